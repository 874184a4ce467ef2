//! The calls that instrumented code makes at value sites.

use core::ffi::{c_int, c_void};

use crate::format::memop;
use crate::native::Record;
use crate::value::hook::count_value;
use crate::value::limits::values_per_site;

export! {
    /// Counts an indirect call target or a vtable.
    fn __llvm_profile_instrument_target(value: u64, data: *mut c_void, site: u32) {
        // SAFETY: the compiler passes the record of this function and the index of this site.
        unsafe { count_value::<4>(value, data.cast(), site, 1) }
    }
    /// Counts an indirect call target or a vtable `count` times.
    fn __llvm_profile_instrument_target_value(value: u64, data: *mut c_void, site: u32, count: u64) {
        // A value with a count of 0 is not recorded. SAFETY: the compiler passes the record of this function and the index of this site.
        if count > 0 { unsafe { count_value::<4>(value, data.cast(), site, count) } }
    }
    /// Counts the size of a memory operation, as the representative of its range.
    fn __llvm_profile_instrument_memop(size: u64, data: *mut c_void, site: u32) {
        // SAFETY: the compiler passes the record of this function and the index of this site.
        unsafe { count_value::<1>(memop::representative(size), data.cast(), site, 1) }
    }
    /// Sets the number of values that a site holds.
    fn lprofSetMaxValsPerSite(max: u32) { values_per_site::set_max_values(max) }
    /// Sets the number of sites of one kind in a record that the program has created itself.
    fn __llvm_profile_set_num_value_sites(data: *mut Record, kind: u32, sites: u16) {
        // SAFETY: the caller's record.
        if let Some(count) = unsafe { (*data).num_value_sites.get_mut(kind as usize) } {
            *count = sites;
        }
    }
    /// Returns the representative of a size's range, as which the size is counted.
    fn InstrProfGetRangeRepValue(size: u64) -> u64 { memop::representative(size) }
    /// Returns whether the range of a size contains only that size.
    fn InstrProfIsSingleValRange(size: u64) -> u32 { u32::from(memop::is_single(size)) }
    /// Returns the number of leading zero bits.
    fn InstProfClzll(value: u64) -> c_int { value.leading_zeros() as c_int }
    /// Returns the number of bits that are set.
    fn InstProfPopcountll(value: u64) -> c_int { value.count_ones() as c_int }
}

#[cfg(feature = "hosted")]
export! {
    /// Reads the number of values that a site holds from the environment.
    fn lprofSetupValueProfiler() { crate::lifecycle::value_limits::setup() }
}
