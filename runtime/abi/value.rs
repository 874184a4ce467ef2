//! The calls that instrumented code makes at value sites.

use core::ffi::c_void;

use crate::format::memop;
use crate::value::record::{record, set_max_values};

export! {
    /// Counts an indirect call target or a vtable.
    fn __llvm_profile_instrument_target(value: u64, data: *mut c_void, site: u32) {
        // SAFETY: the compiler passes the record of this function and the index of this site.
        unsafe { record(value, data.cast(), site, 1) }
    }
    /// The same, `count` times.
    fn __llvm_profile_instrument_target_value(value: u64, data: *mut c_void, site: u32, count: u64) {
        // SAFETY: as above.
        unsafe { record(value, data.cast(), site, count) }
    }
    /// Counts the size of a memory operation, as the representative of its range.
    fn __llvm_profile_instrument_memop(size: u64, data: *mut c_void, site: u32) {
        // SAFETY: as above.
        unsafe { record(memop::representative(size), data.cast(), site, 1) }
    }
    /// Sets how many values a site holds.
    fn lprofSetMaxValsPerSite(max: u32) { set_max_values(max) }
}
