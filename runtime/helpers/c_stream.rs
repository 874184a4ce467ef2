//! Files that the program wants as C streams: the one place that makes such a stream, because that is what the call is for.

#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr;

use crate::os::{self, file};
use crate::report::{Grade, print};

/// A file for reading and writing, made if need be, locked against other processes, as a stream. Null when it cannot be
/// opened. That it cannot be locked is no more than a warning.
pub fn open(path: &CStr) -> *mut libc::FILE {
    let file = match file::open_or_create(path.into()) {
        Ok(file) => file,
        Err(error) => {
            os::tell(error);
            return ptr::null_mut();
        }
    };
    let fd = file.into_raw();
    if super::lock(fd, true) != 0 {
        let reason: &[u8] = b"the system has no locks left for it";
        print(Grade::Warning, &[b"Other processes may write to \"", path.to_bytes(), b"\" at the same time: ", reason]);
    }
    // SAFETY: an open descriptor that belongs to the stream from now on; a C string.
    unsafe { libc::fdopen(fd, c"r+b".as_ptr()) }
}
