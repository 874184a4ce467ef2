//! A sink that writes to a C stream (`FILE *`) of the program, through `stdio`, because the caller asked for it with
//! `__llvm_profile_set_file_object`. Bytes the program has written to the stream before come first.

#![allow(unsafe_code)]

use core::ffi::c_int;

use super::{Sink, in_turn};
use crate::error::Result;
use crate::os::{c, last_error};
use crate::span::Span;

/// A C stream of the caller, which stays open.
pub struct StdioStream(*mut c::FILE);

impl StdioStream {
    /// Creates a sink that writes to `stream`.
    ///
    /// # Safety
    /// `stream` must be an open stream for as long as the sink is used.
    pub const unsafe fn new(stream: *mut c::FILE) -> StdioStream {
        StdioStream(stream)
    }

    /// Returns the file descriptor of the stream.
    pub fn descriptor(&self) -> c_int {
        // SAFETY: an open stream by `new`'s contract.
        unsafe { c::fileno(self.0) }
    }

    /// Moves the position of the stream to the start of its file.
    pub fn rewind(&mut self) -> Result {
        // SAFETY: an open stream by `new`'s contract.
        if unsafe { c::fseek(self.0, 0, c::SEEK_SET) } == 0 { Ok(()) } else { Err(last_error()) }
    }

    /// Writes what the stream has buffered to its file.
    pub fn flush(&mut self) -> Result {
        // SAFETY: an open stream by `new`'s contract.
        if unsafe { c::fflush(self.0) } == 0 { Ok(()) } else { Err(last_error()) }
    }
}

impl Sink for StdioStream {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        // SAFETY: readable by this function's contract; an open stream by `new`'s.
        let done = unsafe { c::fwrite(span.start.cast(), 1, span.len, self.0) };
        if done == span.len { Ok(()) } else { Err(last_error()) }
    }

    in_turn! {}
}
