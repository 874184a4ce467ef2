//! Continuous mode, in which counters are pages of the profile file.

use core::ffi::{c_int, c_uint};
use core::sync::atomic::Ordering;

use crate::continuous::request::{PAGE_SIZE, WANTED, enabled};

export! {
    /// Asks for continuous mode, as `%c` in the name does: the file is mapped when its name is set next.
    fn __llvm_profile_enable_continuous_mode() { WANTED.store(true, Ordering::Relaxed) }
    /// Returns whether continuous mode was asked for, the page size is known, and nothing has failed.
    fn __llvm_profile_is_continuous_mode_enabled() -> c_int { c_int::from(enabled()) }
    /// Sets the page size for which the file is planned.
    fn __llvm_profile_set_page_size(size: c_uint) { PAGE_SIZE.store(size, Ordering::Relaxed) }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Stops asking for continuous mode. Counters that are mapped already stay mapped.
    fn __llvm_profile_disable_continuous_mode() { WANTED.store(false, Ordering::Relaxed) }
}
