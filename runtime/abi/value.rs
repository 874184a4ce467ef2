//! The calls that instrumented code makes at value sites.

use core::ffi::{c_int, c_void};

use crate::format::memop;
use crate::format::record::Record;
use crate::value::limit;
use crate::value::record::record;

export! {
    /// Counts an indirect call target or a vtable.
    fn __llvm_profile_instrument_target(value: u64, data: *mut c_void, site: u32) {
        // SAFETY: the compiler passes the record of this function and the index of this site.
        unsafe { record::<4>(value, data.cast(), site, 1) }
    }
    /// The same, `count` times.
    fn __llvm_profile_instrument_target_value(value: u64, data: *mut c_void, site: u32, count: u64) {
        // A value that was seen no times is none. SAFETY: as above.
        if count > 0 { unsafe { record::<4>(value, data.cast(), site, count) } }
    }
    /// Counts the size of a memory operation, as the representative of its range.
    fn __llvm_profile_instrument_memop(size: u64, data: *mut c_void, site: u32) {
        // SAFETY: as above.
        unsafe { record::<1>(memop::representative_fast(size), data.cast(), site, 1) }
    }
    /// Sets how many values a site holds.
    fn lprofSetMaxValsPerSite(max: u32) { limit::set_max_values(max) }
    /// Sets the number of sites of one kind in a record that the program has made itself.
    fn __llvm_profile_set_num_value_sites(data: *mut Record, kind: u32, sites: u16) {
        // SAFETY: the caller's record.
        if let Some(count) = unsafe { (*data).num_value_sites.get_mut(kind as usize) } {
            *count = sites;
        }
    }
    /// How a size is counted: the representative of its range.
    fn InstrProfGetRangeRepValue(size: u64) -> u64 { memop::representative(size) }
    /// Whether the range of a size holds just that size.
    fn InstrProfIsSingleValRange(size: u64) -> u32 { u32::from(memop::is_single(size)) }
    /// Leading zero bits.
    fn InstProfClzll(value: u64) -> c_int { value.leading_zeros() as c_int }
    /// Bits that are set.
    fn InstProfPopcountll(value: u64) -> c_int { value.count_ones() as c_int }
}

#[cfg(feature = "hosted")]
export! {
    /// Reads from the environment how many values a site holds.
    fn lprofSetupValueProfiler() { crate::lifecycle::value_limits::setup(crate::os::Variables::none().find()) }
}
