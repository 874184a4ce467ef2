//! Maps files. A file of its own, since programs without files need only `memory`.

#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;

use super::kernel;
use crate::error::Result;

/// Maps the first `len` bytes of a file for reading. The bytes change with the file, and those after its end must not be read.
pub fn map_file(fd: c_int, len: usize) -> Result<*mut u8> {
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    let start = unsafe { kernel::mmap(ptr::null_mut(), len, libc::PROT_READ, libc::MAP_SHARED, fd, 0) };
    kernel::checked(start).map(ptr::with_exposed_provenance_mut)
}
