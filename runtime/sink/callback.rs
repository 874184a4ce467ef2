//! A sink that passes every span to a C function.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;
use core::ffi::{c_int, c_void};

/// `int write(void *ctx, const void *bytes, size_t len)`, which returns 0 when it has taken the bytes.
pub type CallbackFn = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int;

/// A C function and its context. The function is called for each span that is not empty.
pub struct Callback {
    function: CallbackFn,
    context: *mut c_void,
}

impl Callback {
    /// Creates a sink that calls `function(context, bytes, len)`.
    ///
    /// # Safety
    /// `function` must be callable with `context` for as long as the sink is used.
    pub const unsafe fn new(function: CallbackFn, context: *mut c_void) -> Callback {
        Callback { function, context }
    }
}

impl Sink for Callback {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        // SAFETY: callable by `new`'s contract; the span is readable by this function's.
        let status = unsafe { (self.function)(self.context, span.start.cast(), span.len) };
        if status == 0 { Ok(()) } else { Err(Error::SINK) }
    }

    in_turn! {}
}
