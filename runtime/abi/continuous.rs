//! Continuous mode: counters are pages of the file.

use core::ffi::{c_int, c_uint};
use core::sync::atomic::Ordering;

use crate::state::continuous_request::{PAGE_SIZE, WANTED, enabled};

export! {
    /// Wants continuous mode, as `%c` in the name does: the file is mapped when it gets its name next.
    fn __llvm_profile_enable_continuous_mode() { WANTED.store(true, Ordering::Relaxed) }
    /// Whether continuous mode is wanted, the page size known, and nothing has failed.
    fn __llvm_profile_is_continuous_mode_enabled() -> c_int { c_int::from(enabled()) }
    /// Sets the size of pages that the file is laid out for.
    fn __llvm_profile_set_page_size(size: c_uint) { PAGE_SIZE.store(size, Ordering::Relaxed) }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Wants no continuous mode. Counters that are pages of a file stay that.
    fn __llvm_profile_disable_continuous_mode() { WANTED.store(false, Ordering::Relaxed) }
}
