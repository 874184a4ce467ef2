//! Helpers that LLVM's runtime has as functions of its own and that programs have come to call.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::sync::atomic::Ordering;

use super::store;
use crate::helpers;
use crate::state::DUMPED;

/// The `DIR_SEPARATOR` at or behind the first or last one of a C string, or null.
///
/// # Safety
/// `path` must be a C string.
unsafe fn separator(path: *const c_char, last: bool) -> *const c_char {
    // SAFETY: the caller's contract.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let slash = |byte: &u8| *byte == b'/';
    let at = if last { bytes.iter().rposition(slash) } else { bytes.iter().position(slash) };
    at.map_or(core::ptr::null(), |at| path.wrapping_add(at))
}

export! {
    /// Whether the profile was dumped and nothing was reset since.
    fn lprofProfileDumped() -> c_uint { c_uint::from(DUMPED.load(Ordering::Relaxed)) }
    /// Sets or clears the dumped mark.
    fn lprofSetProfileDumped(value: c_uint) { DUMPED.store(value != 0, Ordering::Relaxed) }
    /// The host's name, cut to `len` bytes with its NUL. 0, or -1.
    fn lprofGetHostName(name: *mut c_char, len: c_int) -> c_int {
        // SAFETY: the caller's buffer.
        unsafe { helpers::host_name(name.cast(), usize::try_from(len).unwrap_or(0)) }
    }
    /// The first `/`, or null.
    fn lprofFindFirstDirSeparator(path: *const c_char) -> *const c_char {
        // SAFETY: the caller's string.
        unsafe { separator(path, false) }
    }
    /// The last `/`, or null.
    fn lprofFindLastDirSeparator(path: *const c_char) -> *const c_char {
        // SAFETY: the caller's string.
        unsafe { separator(path, true) }
    }
    /// `GCOV_PREFIX`, its length, and how many directories `GCOV_PREFIX_STRIP` says to strip. Null when it is not set.
    fn lprofGetPathPrefix(strip: *mut c_int, len: *mut usize) -> *const c_char {
        let (prefix, directories) = helpers::path_prefix();
        // SAFETY: the caller's places.
        unsafe { store(strip, directories) };
        // SAFETY: the same.
        unsafe { store(len, prefix.map_or(0, |prefix| prefix.to_bytes().len())) };
        prefix.map_or(core::ptr::null(), CStr::as_ptr)
    }
    /// Writes `prefix`, a `/` where needed, and `path` without its first `strip` directories to `to`.
    fn lprofApplyPathPrefix(to: *mut c_char, path: *const c_char, prefix: *const c_char, len: usize, strip: c_int) {
        // SAFETY: the caller's strings, and room for all of them.
        unsafe { helpers::apply_prefix(to.cast(), path, prefix.cast(), len, strip) }
    }
    /// Locks a file against other processes. 0, or -1 when there are no locks.
    fn lprofLockFd(fd: c_int) -> c_int { helpers::lock(fd, true) }
    /// Unlocks it. The same results.
    fn lprofUnlockFd(fd: c_int) -> c_int { helpers::lock(fd, false) }
    /// Locks the file behind a stream. The same results.
    fn lprofLockFileHandle(stream: *mut libc::FILE) -> c_int {
        // SAFETY: the caller's stream.
        unsafe { helpers::handle::lock(stream, true) }
    }
    /// Unlocks it. The same results.
    fn lprofUnlockFileHandle(stream: *mut libc::FILE) -> c_int {
        // SAFETY: the caller's stream.
        unsafe { helpers::handle::lock(stream, false) }
    }
    /// A locked file, made if need be, as a stream for reading and writing; or null, also for a null path.
    fn lprofOpenFileEx(path: *const c_char) -> *mut libc::FILE {
        if path.is_null() { return core::ptr::null_mut() }
        // SAFETY: the caller's string.
        helpers::c_stream::open(unsafe { CStr::from_ptr(path) })
    }
    /// Keeps the death of the parent from killing us. Whether it would have.
    fn lprofSuspendSigKill() -> c_int { c_int::from(helpers::suspend_parent_death_signal()) }
    /// Undoes that.
    fn lprofRestoreSigKill() { helpers::restore_parent_death_signal() }
    /// Gives the whole pages between two addresses back to the system. 0, or -1.
    fn lprofReleaseMemoryPagesToOS(begin: usize, end: usize) -> c_int {
        // SAFETY: the caller's pages.
        unsafe { crate::os::release_pages(begin, end) }
    }
    /// The signature of this image's profiles.
    fn lprofGetLoadModuleSignature() -> u64 { crate::lifecycle::signature::signature() }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Has a function called at exit. 0, or not.
    fn lprofAtExit(function: extern "C" fn()) -> c_int { if crate::os::at_exit(function) { 0 } else { -1 } }
}

// From clang 22 on.
#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Stores the first `len` bytes of the file behind a stream, and how they are to be given back.
    fn lprofGetFileContentBuffer(stream: *mut libc::FILE, len: u64, content: *mut helpers::content::FileContent) {
        // SAFETY: the caller's stream and place.
        unsafe { store(content, helpers::content::FileContent::of(stream, len)) }
    }
    /// Gives them back.
    fn lprofReleaseBuffer(content: *mut helpers::content::FileContent, len: usize) {
        // SAFETY: the caller's bytes, and their number.
        unsafe { (*content).release(len) }
    }
}
