//! Helper functions of LLVM's runtime that do not concern profiles: host name, path prefixes, locks, signals.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int};
use core::ptr;

use crate::error::Error;
use crate::os::{self, c, file};
use crate::path::Path;
use crate::path::{leading_decimal, without_directories};
use crate::report::{Grade, print};
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::span::Span;

pub mod content;
pub mod heap;

/// Writes the host's name and a NUL to `to`, truncated to `room` bytes. Returns 0, also for no space, or -1.
///
/// # Safety
/// `to` must have room for `room` bytes.
pub unsafe fn host_name(to: *mut u8, room: usize) -> c_int {
    let Some(text) = room.checked_sub(1) else { return 0 };
    let copied = os::host_name(|name| {
        let name = Span::of(name).prefix(text);
        // SAFETY: the caller's room.
        unsafe { Buffer::new(to, room).write(&[name, Span::of(b"\0")]) }
    });
    if matches!(copied, Some(Ok(()))) { 0 } else { -1 }
}

/// Returns `GCOV_PREFIX`, if it is set and not empty, and then the number in `GCOV_PREFIX_STRIP`, else 0.
pub fn path_prefix() -> (Option<&'static CStr>, c_int) {
    let strip = os::env(c"GCOV_PREFIX_STRIP").map_or(0, |text| leading_decimal(text.to_bytes()));
    let prefix = os::env(c"GCOV_PREFIX").filter(|prefix| !prefix.is_empty());
    (prefix, if prefix.is_some() { c_int::try_from(strip).unwrap_or(c_int::MAX) } else { 0 })
}

/// Writes `prefix`, a `/` unless it ends in one, and `path` without its first `strip` directories, as a C string.
///
/// # Safety
/// - `prefix` must have `len` bytes, `path` must be a C string.
/// - `to` must have room for both, a `/` and a NUL.
pub unsafe fn apply_prefix(to: *mut u8, path: *const c_char, prefix: *const u8, len: usize, strip: c_int) {
    // SAFETY: the caller's string.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let rest = without_directories(path, u32::try_from(strip).unwrap_or(0));
    let prefix = Span { start: prefix, len };
    // SAFETY: the last byte of the prefix, where there is one.
    let ends = len > 0 && unsafe { *prefix.start.wrapping_add(len - 1) } == b'/';
    // Also before a `/`, as the official runtime does.
    let slash = if len > 0 && !ends { Span::of(b"/") } else { Span::EMPTY };
    let room = len.saturating_add(slash.len).saturating_add(rest.len()).saturating_add(1);
    // SAFETY: the caller's room, the caller's strings.
    let _ = unsafe { Buffer::new(to, room).write(&[prefix, slash, Span::of(rest), Span::of(b"\0")]) };
}

/// Locks or unlocks all bytes of a file of the program. Returns -1 when the system has no locks for the file; else 0, also for other errors,
/// as in LLVM's runtime.
///
/// Unlike the runtime's own locks these are the process's, so that a program which opens a file twice does not wait for
/// itself, and neither does a child that it forks.
pub fn lock(fd: c_int, on: bool) -> c_int {
    let locked = file::lock_for_process(fd, on);
    if let Err(error) = locked {
        os::set_errno(error);
    }
    if locked == Err(Error::ENOLCK) { -1 } else { 0 }
}

// In line below: only programs that make such a call need these functions of the C library.

/// Locks or unlocks the file of a stream. Returns what [`lock`] does.
///
/// # Safety
/// `stream` must be an open stream.
#[inline]
pub unsafe fn lock_stream(stream: *mut c::FILE, on: bool) -> c_int {
    // SAFETY: an open stream by this function's contract.
    lock(unsafe { c::fileno(stream) }, on)
}

/// Opens or creates a file for reading and writing, locks it against other processes, and returns a stream. Returns null when the file cannot
/// be opened. A failure to lock is only a warning.
#[inline]
pub fn open_stream(path: &CStr) -> *mut c::FILE {
    let fd = match file::open_or_create(Path::from(path).into()) {
        Ok(file) => file.into_raw(),
        Err(error) => {
            os::set_errno(error);
            return ptr::null_mut();
        }
    };
    if lock(fd, true) != 0 {
        let reason: &[u8] = b"the system has no locks left for it";
        print(Grade::Warning, &[b"Other processes may write to \"", path.to_bytes(), b"\" at the same time: ", reason]);
    }
    // SAFETY: an open descriptor that belongs to the stream from now on; a C string.
    unsafe { c::fdopen(fd, c"r+b".as_ptr()) }
}
