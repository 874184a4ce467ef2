//! The calls that instrumented code makes at value sites.

use core::ffi::c_void;

use crate::format::memop;
use crate::native::Record;
use crate::value::hook::count_value;

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
    /// Sets the number of sites of one kind in a record that the program has created itself.
    fn __llvm_profile_set_num_value_sites(data: *mut Record, kind: u32, sites: u16) {
        // SAFETY: the caller's record.
        if let Some(count) = unsafe { (*data).num_value_sites.get_mut(kind as usize) } {
            *count = sites;
        }
    }
}
