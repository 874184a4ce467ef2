//! The bytes of a file of the program, mapped.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::error::Error;
use crate::os::{self, c};
use crate::path::Text;
use crate::report::{Grade, print, reason};

/// There are no bytes.
const NONE: c_int = 0;
/// The bytes are a mapping of the file.
const MAPPED: c_int = 1;
/// The bytes of a file and how they are freed, with the fields that programs see.
#[repr(C)]
pub struct FileContent {
    start: *mut c_void,
    state: c_int,
}

impl FileContent {
    const EMPTY: FileContent = FileContent { start: ptr::null_mut(), state: NONE };

    /// Maps the first `len` bytes of a stream's file. Returns no bytes, with a message, for failures. `LLVM_PROFILE_NO_MMAP` has no effect.
    ///
    /// # Safety
    /// `stream` must be an open stream.
    pub unsafe fn of(stream: *mut c::FILE, len: u64) -> FileContent {
        let mapped = usize::try_from(len).map_err(|_| Error::OVERFLOW);
        // SAFETY: the caller's stream.
        match mapped.and_then(|len| os::map_file(unsafe { c::fileno(stream) }, len)) {
            Ok(start) => {
                os::initialized(start, len as usize);
                FileContent { start: start.cast(), state: MAPPED }
            }
            Err(error) => {
                print(Grade::Error, &[b"lprofGetFileContentBuffer: mmap failed: ", reason(error)]);
                FileContent::EMPTY
            }
        }
    }

    /// Frees the bytes.
    ///
    /// # Safety
    /// The bytes must not be used any more; a mapping must have been made with the length `len`.
    pub unsafe fn release(&mut self, len: usize) {
        if self.state == MAPPED {
            os::unmap_pages(self.start.cast(), len);
        } else {
            let mut number = Text::<24>::new();
            let _ = number.push_number(u64::from(self.state.unsigned_abs()));
            let sign: &[u8] = if self.state < 0 { b"-" } else { b"" };
            print(Grade::Error, &[b"lprofReleaseBuffer: Buffer has invalid state: ", sign, number.as_bytes()]);
        }
        *self = FileContent::EMPTY;
    }
}
