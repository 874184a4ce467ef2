//! A sink that writes to a C stream (`FILE *`) of the program, through `stdio`, because the caller asked for it with
//! `__llvm_profile_set_file_object`. Bytes the program has written to the stream before come first.

#![allow(unsafe_code)]

use core::ffi::c_int;

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;

/// Writes to the caller's stream, which stays open.
#[derive(Debug)]
pub struct StdioStream(*mut libc::FILE);

impl StdioStream {
    /// A sink into the stream at this address.
    ///
    /// # Safety
    /// It must be an open stream for as long as the sink is used.
    pub const unsafe fn new(stream: *mut libc::FILE) -> StdioStream {
        StdioStream(stream)
    }

    /// The file behind the stream.
    pub fn descriptor(&self) -> c_int {
        // SAFETY: an open stream by `new`'s contract.
        unsafe { libc::fileno(self.0) }
    }

    /// Goes to the start of the file.
    pub fn rewind(&mut self) -> Result {
        // SAFETY: an open stream by `new`'s contract.
        if unsafe { libc::fseek(self.0, 0, libc::SEEK_SET) } == 0 { Ok(()) } else { Err(failure()) }
    }

    /// Hands everything on to the file behind the stream.
    pub fn flush(&mut self) -> Result {
        // SAFETY: an open stream by `new`'s contract.
        if unsafe { libc::fflush(self.0) } == 0 { Ok(()) } else { Err(failure()) }
    }
}

/// Why a call of `stdio` has failed.
pub(super) fn failure() -> Error {
    // SAFETY: always valid; stdio leaves the reason there.
    Error::os(unsafe { *libc::__errno_location() })
}

impl Sink for StdioStream {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        // SAFETY: readable by this function's contract; an open stream by `new`'s.
        let done = unsafe { libc::fwrite(span.start.cast(), 1, span.len, self.0) };
        if done == span.len { Ok(()) } else { Err(failure()) }
    }

    in_turn! {}
}
