//! A sink that writes to an open file.

#![allow(unsafe_code)]

use super::Sink;
use crate::error::Result;
use crate::os::Fd;
use crate::span::Span;

/// Writes to a file at its current place and counts the bytes.
#[derive(Debug)]
pub struct File<'a> {
    fd: &'a Fd,
    /// Bytes written so far.
    pub written: u64,
}

impl File<'_> {
    /// A sink into `fd`.
    pub const fn new(fd: &Fd) -> File<'_> {
        File { fd, written: 0 }
    }
}

impl Sink for File<'_> {
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        // SAFETY: readable by this function's contract.
        unsafe { self.fd.write(spans) }?;
        self.written = spans.iter().fold(self.written, |sum, span| sum.wrapping_add(span.len as u64));
        Ok(())
    }
}
