//! The profile in a file: names, directories, when to write.

use core::ffi::{CStr, c_char, c_int, c_uint};
use core::sync::atomic::Ordering;

use super::buffer::status;
use crate::helpers::heap;
use crate::lifecycle::later_writes::LaterWrites;
use crate::lifecycle::{api, program_stream, start, write};
use crate::os::Variables;
use crate::path::PathBuf;
use crate::sections::variables;

/// # Safety
/// `text` must be null or a C string.
unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's contract.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

export! {
    brings profrt_file_calls;
    /// Learns the name, notes which file is there, and has the profile written at exit.
    fn __llvm_profile_initialize() { start::initialize() }
    /// Learns the name and notes which file is there.
    fn __llvm_profile_initialize_file() { start::initialize_file(Variables::none().find()) }
    /// Has the profile written at exit. 0, or -1.
    fn __llvm_profile_register_write_file_atexit() -> c_int { if start::register_exit() { 0 } else { -1 } }
    /// Writes the profile. 0, or -1 with a message.
    fn __llvm_profile_write_file() -> c_int { status(write::write_file(LaterWrites::Possible)) }
    /// Writes the profile and lets nothing be written again until counters are reset. 0, or -1 with a message.
    fn __llvm_profile_dump() -> c_int { status(write::dump()) }
    /// Sets the pattern of the file's name, which is copied. Null: back to `default.profraw`.
    fn __llvm_profile_set_filename(name: *const c_char) {
        // SAFETY: the caller's string.
        api::set_filename(unsafe { bytes(name) })
    }
    /// The file's name as of now, which the caller has to free, or an empty string, which it must not.
    fn __llvm_profile_get_filename() -> *const c_char {
        let mut name = PathBuf::new();
        api::current_filename(&mut name);
        heap::string(name.as_bytes())
    }
    /// Its directory with the last `/`, or an empty string. It stays ours; a later call may change it.
    fn __llvm_profile_get_path_prefix() -> *const c_char { api::current_directory().as_ptr() }
    /// Directs the profile to an open stream of the caller, which stays open. Null: back to the file. 0, or 1 with a message
    /// when the profile stays where it was.
    fn __llvm_profile_set_file_object(file: *mut libc::FILE, merge: c_int) -> c_int {
        // SAFETY: the caller's stream.
        c_int::from(unsafe { program_stream::set(file, merge != 0) }.is_err())
    }
    /// Makes the directories on the way to `path`.
    fn __llvm_profile_recursive_mkdir(path: *const c_char) {
        // SAFETY: the caller's string.
        api::make_directories(unsafe { bytes(path) }.unwrap_or(&[]))
    }
    /// Sets the mode of directories we make.
    fn __llvm_profile_set_dir_mode(mode: c_uint) { variables::directory_mode().store(mode, Ordering::Relaxed) }
    /// Mode of directories we make.
    fn __llvm_profile_get_dir_mode() -> c_uint { variables::directory_mode().load(Ordering::Relaxed) }
}

// LLVM keeps this one with the calls of buffers.
export! {
    /// Lets nothing be written until counters are reset.
    fn __llvm_profile_set_dumped() { crate::state::DUMPED.store(true, Ordering::Relaxed) }
}
