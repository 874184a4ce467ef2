//! The bytes of a file of the program, mapped; or read, where `LLVM_PROFILE_NO_MMAP` is set.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::error::Error;
use crate::os;
use crate::path::Text;
use crate::report::{Grade, print, reason};

/// There are no bytes.
const NONE: c_int = 0;
/// The bytes are a mapping of the file.
const MAPPED: c_int = 1;
/// The bytes were read into mapped pages, which begin with their length.
const READ: c_int = 2;

/// Bytes before those that were read: as many as keep these aligned like memory of an allocator.
const HEAD: usize = 16;

/// The bytes of a file and how they are freed, with the fields that programs see.
#[derive(Debug)]
#[repr(C)]
pub struct FileContent {
    start: *mut c_void,
    state: c_int,
}

impl FileContent {
    const EMPTY: FileContent = FileContent { start: ptr::null_mut(), state: NONE };

    /// Maps or reads the first `len` bytes of a stream's file. Returns no bytes, with a message, for failures.
    ///
    /// # Safety
    /// `stream` must be an open stream.
    pub unsafe fn of(stream: *mut libc::FILE, len: u64) -> FileContent {
        if os::env(c"LLVM_PROFILE_NO_MMAP").is_some() {
            print(Grade::Note, &[b"could not use mmap; using fread instead"]);
            // SAFETY: the caller's stream.
            return unsafe { FileContent::read(stream, len) };
        }
        let mapped = usize::try_from(len).map_err(|_| Error::OVERFLOW);
        // SAFETY: the caller's stream.
        match mapped.and_then(|len| os::map_file(unsafe { libc::fileno(stream) }, len)) {
            Ok(start) => {
                os::initialized(start, len as usize);
                FileContent { start: start.cast(), state: MAPPED }
            }
            Err(error) => FileContent::failed(b"mmap failed: ", reason(error)),
        }
    }

    /// Reads the first `len` bytes of a stream, which must be at its start.
    ///
    /// # Safety
    /// `stream` must be an open stream.
    unsafe fn read(stream: *mut libc::FILE, len: u64) -> FileContent {
        // SAFETY: the caller's stream.
        if unsafe { libc::ftell(stream) } != 0 {
            return FileContent::failed(b"expecting ftell to return zero", b"");
        }
        let Some(whole) = usize::try_from(len).ok().and_then(|len| len.checked_add(HEAD)) else {
            return FileContent::failed(b"mmap failed: ", reason(Error::OVERFLOW));
        };
        let Some(pages) = os::map_pages(whole) else {
            return FileContent::failed(b"mmap failed: ", reason(Error::ENOMEM));
        };
        let start = pages.wrapping_add(HEAD);
        let len = whole.wrapping_sub(HEAD);
        // SAFETY: fresh pages with room for the length and, behind the head, for as many bytes; the caller's stream.
        let done = unsafe {
            pages.cast::<usize>().write(whole);
            libc::fread(start.cast(), 1, len, stream)
        };
        if done == len {
            return FileContent { start: start.cast(), state: READ };
        }
        os::unmap_pages(pages, whole);
        // SAFETY: the caller's stream.
        let end: &[u8] = if unsafe { libc::feof(stream) } != 0 { b": end of file reached" } else { b"" };
        FileContent::failed(b"fread failed", end)
    }

    /// Prints an error, and returns no bytes.
    fn failed(what: &[u8], why: &[u8]) -> FileContent {
        print(Grade::Error, &[b"lprofGetFileContentBuffer: ", what, why]);
        FileContent::EMPTY
    }

    /// Frees the bytes.
    ///
    /// # Safety
    /// The bytes must not be used any more; a mapping must have been made with the length `len`.
    pub unsafe fn release(&mut self, len: usize) {
        let start = self.start.cast::<u8>();
        match self.state {
            MAPPED => os::unmap_pages(start, len),
            READ => {
                let pages = start.wrapping_sub(HEAD);
                // SAFETY: `read` has written it there.
                os::unmap_pages(pages, unsafe { pages.cast::<usize>().read() });
            }
            state => {
                let mut number = Text::<24>::new();
                let _ = number.push_number(u64::from(state.unsigned_abs()));
                let sign: &[u8] = if state < 0 { b"-" } else { b"" };
                let what = b"lprofReleaseBuffer: Buffer has invalid state: ";
                print(Grade::Error, &[what, sign, number.as_bytes()]);
            }
        }
        *self = FileContent::EMPTY;
    }
}
