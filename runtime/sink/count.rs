//! A sink that only counts bytes: it measures what a writer would write.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;

/// The number of bytes so far.
#[derive(Debug, Default)]
pub struct Count(pub u64);

impl Sink for Count {
    unsafe fn put(&mut self, span: Span) -> Result {
        self.0 = self.0.checked_add(span.len as u64).ok_or(Error::OVERFLOW)?;
        Ok(())
    }

    in_turn! {}
}
