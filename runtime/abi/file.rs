//! Profile files: names, directories, when they are written, and continuous mode, in which counters are pages of the file.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::sync::atomic::Ordering;

use super::buffer::status;
use crate::lifecycle::content::LaterWrites;
#[cfg(not(since = "11"))]
use crate::lifecycle::side_files;
use crate::lifecycle::{api, heap, program_stream, start, write};
use crate::os::DIRECTORY_MODE;
use crate::path::PathBuf;
use crate::publish;
use crate::state::request::{REQUESTED_PAGE_SIZE, WANTED, enabled};

/// Returns the bytes of a C string, or `None` for null.
///
/// # Safety
/// `text` must be null or a C string.
unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: a C string by this function's contract, since it is not null.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

export! {
    brings profrt_file_calls;
    /// Determines the file's name, removes the file of an earlier run, and registers the write at exit.
    fn __llvm_profile_initialize() { start::initialize() }
    /// Determines the file's name, and removes the file of an earlier run.
    fn __llvm_profile_initialize_file() { start::initialize_file() }
    /// Registers the write at exit. Returns 0, or -1.
    fn __llvm_profile_register_write_file_atexit() -> c_int { if start::register_exit() { 0 } else { -1 } }
    /// Writes the profile. Returns 0, or -1 with a message.
    fn __llvm_profile_write_file() -> c_int { status(write::write_file(LaterWrites::Possible)) }
    /// Writes the profile and sets the dumped mark: nothing is written again until counters are reset. Returns 0, or -1 with a message.
    fn __llvm_profile_dump() -> c_int { status(write::dump()) }
    /// Sets the pattern of the file's name, which is copied. Null sets `default.profraw`.
    fn __llvm_profile_set_filename(name: *const c_char) {
        // SAFETY: the caller's string.
        api::set_filename(unsafe { bytes(name) })
    }
    /// Returns the file's name as it is now. The caller has to free it, unless it is empty.
    fn __llvm_profile_get_filename() -> *const c_char {
        let mut name = PathBuf::new();
        api::current_filename(&mut name);
        heap::string(name.as_bytes())
    }
    /// Returns the directory of the file with the last `/`, or an empty string. The caller must not free it; a later call may change it.
    fn __llvm_profile_get_path_prefix() -> *const c_char { api::current_directory() }
    /// Directs the profile to an open stream of the caller, which stays open; null directs it to the file again. Returns 0, or 1 with a
    /// message when nothing has changed.
    fn __llvm_profile_set_file_object(file: *mut crate::os::c::FILE, merge: c_int) -> c_int {
        // SAFETY: the caller's stream.
        c_int::from(unsafe { program_stream::set(file, merge != 0) }.is_err())
    }
    /// Creates the directories on the way to `path`.
    fn __llvm_profile_recursive_mkdir(path: *const c_char) {
        // A failure shows when the file is written. SAFETY: the caller's string.
        let _ = publish::make_directories(unsafe { bytes(path) }.unwrap_or(&[]));
    }
    /// Sets the mode of directories that the runtime creates.
    fn __llvm_profile_set_dir_mode(mode: c_uint) { DIRECTORY_MODE.store(mode, Ordering::Relaxed) }
    /// Returns the mode of directories that the runtime creates.
    fn __llvm_profile_get_dir_mode() -> c_uint { DIRECTORY_MODE.load(Ordering::Relaxed) }
}

// LLVM keeps these with the calls of buffers.
export! {
    /// Sets the dumped mark: nothing is written until counters are reset.
    fn __llvm_profile_set_dumped() { crate::state::DUMPED.store(true, Ordering::Relaxed) }
    /// Asks for continuous mode, as `%c` in the name does: the file is mapped when its name is set next.
    fn __llvm_profile_enable_continuous_mode() { WANTED.store(true, Ordering::Relaxed) }
    /// Returns whether continuous mode was asked for, the page size is known, and nothing has failed.
    fn __llvm_profile_is_continuous_mode_enabled() -> c_int { c_int::from(enabled()) }
    /// Sets the page size for which the file is planned.
    fn __llvm_profile_set_page_size(size: c_uint) { REQUESTED_PAGE_SIZE.store(size, Ordering::Relaxed) }
}

#[cfg(since = "10")]
export! {
    /// Stops asking for continuous mode. Counters that are mapped already stay mapped.
    fn __llvm_profile_disable_continuous_mode() { WANTED.store(false, Ordering::Relaxed) }
}

// Up to clang 19.
#[cfg(not(since = "11"))]
export! {
    /// Writes the order of first calls into `NAME.order`. Returns 0, or -1 with a message.
    fn __llvm_orderfile_write_file() -> c_int { status(side_files::write_order_file()) }
    /// Does what `__llvm_orderfile_write_file` does.
    fn __llvm_orderfile_dump() -> c_int { status(side_files::write_order_file()) }
    /// Returns the buffer of the order of first calls.
    fn __llvm_profile_begin_orderfile() -> *const u32 { crate::link::orderfile::span().start.cast() }
}

/// Writes a profile next to this image's: the only call that LLVM 22 exports from shared objects on purpose: an offload runtime looks it up.
#[cfg(since = "10")]
pub mod __llvm_write_custom_profile {
    use super::*;
    use crate::abi::buffer::image;
    use crate::lifecycle::side_files::write_foreign;
    use crate::sections::Image;
    use crate::span::Span;

    // A hidden name, which no shared object defines.
    crate::link::mark! { "profrt_brings_write_custom_profile" }

    /// Writes a profile with these bounds for another target into `DIR/TARGET.NAME`. Returns 0, or -1 with a message.
    ///
    /// # Safety
    /// Bounds of readable memory, `target` null or a C string, `version` null or a word.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __llvm_write_custom_profile(
        target: *const c_char,
        data: *const u8,
        data_end: *const u8,
        counters: *const u8,
        counters_end: *const u8,
        names: *const u8,
        names_end: *const u8,
        version: *const u64,
    ) -> c_int {
        if target.is_null() {
            return -1;
        }
        let image = image! { data: data, data_end; counters: counters, counters_end; names: names, names_end };
        // SAFETY: the caller's pointers.
        unsafe { status(write_foreign(CStr::from_ptr(target).to_bytes(), &image, version.as_ref().copied())) }
    }
}
