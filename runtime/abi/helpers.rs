//! Helper functions of LLVM's runtime, which programs call, too.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::sync::atomic::Ordering;

use super::store;
use crate::helpers;
use crate::os::c::FILE;
use crate::path::is_slash;
use crate::state::DUMPED;

/// Returns the address of the first or last `/` in a C string, or null.
///
/// # Safety
/// `path` must be a C string.
unsafe fn separator(path: *const c_char, last: bool) -> *const c_char {
    // SAFETY: a C string by this function's contract.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let slash = |byte: &u8| is_slash(*byte);
    let at = if last { bytes.iter().rposition(slash) } else { bytes.iter().position(slash) };
    at.map_or(core::ptr::null(), |at| path.wrapping_add(at))
}

export! {
    /// Returns the dumped mark: whether the profile was dumped and not reset since.
    fn lprofProfileDumped() -> c_uint { c_uint::from(DUMPED.load(Ordering::Relaxed)) }
    /// Sets or clears the dumped mark.
    fn lprofSetProfileDumped(value: c_uint) { DUMPED.store(value != 0, Ordering::Relaxed) }
    /// Stores the host's name, truncated to `len` bytes with its NUL. Returns 0, or -1.
    fn lprofGetHostName(name: *mut c_char, len: c_int) -> c_int {
        // SAFETY: the caller's buffer.
        unsafe { helpers::host_name(name.cast(), usize::try_from(len).unwrap_or(0)) }
    }
    /// Returns the address of the first `/`, or null.
    fn lprofFindFirstDirSeparator(path: *const c_char) -> *const c_char {
        // SAFETY: the caller's string.
        unsafe { separator(path, false) }
    }
    /// Returns the address of the last `/`, or null.
    fn lprofFindLastDirSeparator(path: *const c_char) -> *const c_char {
        // SAFETY: the caller's string.
        unsafe { separator(path, true) }
    }
    /// Returns `GCOV_PREFIX`, or null when it is not set. Stores its length, and the number of directories in `GCOV_PREFIX_STRIP`.
    fn lprofGetPathPrefix(strip: *mut c_int, len: *mut usize) -> *const c_char {
        let (prefix, directories) = helpers::path_prefix();
        // SAFETY: the caller's places.
        unsafe { store(strip, directories) };
        // SAFETY: the caller's places.
        unsafe { store(len, prefix.map_or(0, |prefix| prefix.to_bytes().len())) };
        prefix.map_or(core::ptr::null(), CStr::as_ptr)
    }
    /// Writes `prefix`, a `/` where needed, and `path` without its first `strip` directories to `to`.
    fn lprofApplyPathPrefix(to: *mut c_char, path: *const c_char, prefix: *const c_char, len: usize, strip: c_int) {
        // SAFETY: the caller's strings, and room for all of them.
        unsafe { helpers::apply_prefix(to.cast(), path, prefix.cast(), len, strip) }
    }
    /// Locks a file against other processes. Returns 0, or -1 where the system has no locks for the file.
    fn lprofLockFd(fd: c_int) -> c_int { helpers::lock(fd, true) }
    /// Unlocks a file. Returns what `lprofLockFd` does.
    fn lprofUnlockFd(fd: c_int) -> c_int { helpers::lock(fd, false) }
    /// Locks the file of a stream. Returns what `lprofLockFd` does.
    fn lprofLockFileHandle(stream: *mut FILE) -> c_int {
        // SAFETY: the caller's stream.
        unsafe { helpers::lock_stream(stream, true) }
    }
    /// Unlocks the file of a stream. Returns what `lprofLockFd` does.
    fn lprofUnlockFileHandle(stream: *mut FILE) -> c_int {
        // SAFETY: the caller's stream.
        unsafe { helpers::lock_stream(stream, false) }
    }
    /// Opens or creates a file, locks it, and returns a stream for reading and writing; or null, also for a null path.
    fn lprofOpenFileEx(path: *const c_char) -> *mut FILE {
        if path.is_null() { return core::ptr::null_mut() }
        // SAFETY: the caller's string.
        helpers::open_stream(unsafe { CStr::from_ptr(path) })
    }
    /// Prevents the parent's death from killing this process. Returns whether it would have.
    fn lprofSuspendSigKill() -> c_int { c_int::from(crate::os::suspend_kill_at_parent_death()) }
    /// Lets the parent's death kill this process again.
    fn lprofRestoreSigKill() { crate::os::restore_kill_at_parent_death() }
    /// Releases the whole pages between two addresses to the system. Returns 0, or -1.
    fn lprofReleaseMemoryPagesToOS(begin: usize, end: usize) -> c_int {
        // SAFETY: the caller's pages.
        unsafe { crate::os::release_pages(begin, end) }
    }
    /// Returns the signature of this image's profiles.
    fn lprofGetLoadModuleSignature() -> u64 { crate::name::signature::signature() }
}

#[cfg(since = "10")]
export! {
    /// Registers a function that is called at exit. Returns 0, or another number for failures.
    fn lprofAtExit(function: extern "C" fn()) -> c_int { if crate::os::at_exit(function) { 0 } else { -1 } }
    /// Maps or reads the first `len` bytes of a stream's file, and stores their address in `content`. From clang 22 on.
    fn lprofGetFileContentBuffer(stream: *mut FILE, len: u64, content: *mut helpers::content::FileContent) {
        // SAFETY: the caller's stream and place.
        unsafe { store(content, helpers::content::FileContent::of(stream, len)) }
    }
    /// Frees the bytes of `content`. From clang 22 on.
    fn lprofReleaseBuffer(content: *mut helpers::content::FileContent, len: usize) {
        // SAFETY: the caller's bytes, and their number.
        unsafe { (*content).release(len) }
    }
}
