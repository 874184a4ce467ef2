//! gcov: what objects of `clang --coverage` call, and the calls of their programs.
//!
//! A program that has such an object links all of these, so that GNU ld and gold, which search an archive once, take none of them from the
//! compiler's own archive behind ours: that one defines all of them in one member.

use core::ffi::{c_char, c_int};

use crate::gcov::encoding::Version;
use crate::gcov::functions::Function;
use crate::gcov::run::RESET;
use crate::gcov::{pass, run};

/// The list of images: one definition for a process, so not hidden. See `gcov::images`.
pub mod profrt_gcov_images {
    crate::link::shared_words! { "profrt_gcov_images" }
}

/// What every object of `clang --coverage` calls.
pub mod llvm_gcov_init {
    use super::*;

    crate::link::hide!("llvm_gcov_init");
    crate::link::comment! { crate::native::RAW_VERSION.number() }
    crate::abi::present::bring! {
        llvm_register_writeout_function llvm_register_reset_function llvm_delete_reset_function_list llvm_writeout_files
        llvm_reset_counters llvm_gcda_start_file llvm_gcda_emit_function llvm_gcda_emit_arcs llvm_gcda_summary_info
        llvm_gcda_end_file __gcov_fork profrt_brings_gcov_dump profrt_brings_gcov_reset
    }

    crate::link::at_start! { run::construct }
    crate::link::at_end! { run::destruct }

    /// Registers the functions that write and reset the counters of an object file.
    #[unsafe(no_mangle)]
    pub extern "C" fn llvm_gcov_init(write: Option<Function>, reset: Option<Function>) {
        run::initialize(write, reset)
    }
}

export! {
    /// Registers a function that writes counters.
    fn llvm_register_writeout_function(function: Option<Function>) { run::register(function, None) }
    /// Registers a function that resets counters.
    fn llvm_register_reset_function(function: Option<Function>) { run::register(None, function) }
    /// Forgets the functions that reset counters.
    fn llvm_delete_reset_function_list() { RESET.clear() }
    /// Writes the files of all images, before an `exec`.
    fn llvm_writeout_files() { run::before_exec() }
    /// Resets the counters of all images, after an `exec` that has failed.
    fn llvm_reset_counters() { run::after_exec() }
    /// Begins a file.
    fn llvm_gcda_start_file(name: *const c_char, version: u32, stamp: u32) {
        // SAFETY: the caller's string, which does not change.
        pass::start(unsafe { crate::path::c_str(name) }, Version(version), stamp)
    }
    /// Appends a function.
    fn llvm_gcda_emit_function(ident: u32, line_checksum: u32, flow_checksum: u32) {
        pass::function(ident, line_checksum, flow_checksum)
    }
    /// Appends the counters of a function.
    fn llvm_gcda_emit_arcs(count: u32, counters: *const u64) {
        // SAFETY: the caller's counters.
        unsafe { pass::counters(count, counters) }
    }
    /// Appends the summary.
    fn llvm_gcda_summary_info() { pass::summary() }
    /// Ends the file and publishes it.
    fn llvm_gcda_end_file() { pass::finish() }
    /// Forks. The child starts from zero, so that only the parent writes the counts from before.
    fn __gcov_fork() -> c_int {
        // SAFETY: `fork` has no preconditions.
        run::after_fork(unsafe { crate::os::fork() })
    }
}

/// Writes the files of all images now. Visible, as in LLVM's archive: programs look it up.
pub mod __gcov_dump {
    // A hidden name: a shared object with LLVM's runtime defines the other one.
    crate::link::mark! { "profrt_brings_gcov_dump" }

    /// Writes the files of all images now.
    #[unsafe(no_mangle)]
    pub extern "C" fn __gcov_dump() {
        crate::gcov::images::write();
    }
}

/// Resets the counters of all images. Visible, as in LLVM's archive: programs look it up.
pub mod __gcov_reset {
    // A hidden name: a shared object with LLVM's runtime defines the other one.
    crate::link::mark! { "profrt_brings_gcov_reset" }

    /// Resets the counters of all images.
    #[unsafe(no_mangle)]
    pub extern "C" fn __gcov_reset() {
        crate::gcov::images::reset();
    }
}
