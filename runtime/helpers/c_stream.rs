//! Opens files as C streams for `lprofOpenFileEx`, the only call that returns a stream.

#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr;

use crate::os::{self, file};
use crate::report::{Grade, print};

/// Opens or creates a file for reading and writing, locks it against other processes, and returns a stream. Returns null when the file cannot
/// be opened. A failure to lock is only a warning.
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
