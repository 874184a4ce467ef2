//! Leaves a gap in a C stream of the program. A file of its own, since only a few programs leave gaps.

#![allow(unsafe_code)]

use core::ffi::c_long;

use super::stdio::failure;
use crate::error::{Error, Result};

/// Moves the position of a stream forward by `len` bytes.
///
/// # Safety
/// `stream` must be an open stream.
pub unsafe fn skip(stream: *mut libc::FILE, len: usize) -> Result {
    let len = c_long::try_from(len).map_err(|_| Error::OVERFLOW)?;
    // SAFETY: an open stream by the caller's contract.
    if unsafe { libc::fseek(stream, len, libc::SEEK_CUR) } == 0 { Ok(()) } else { Err(failure()) }
}
