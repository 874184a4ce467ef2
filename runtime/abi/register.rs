//! Registration of records and names: clang before 17, for targets whose linker it does not know, emits a constructor that calls once for
//! each record and once for the names of an object file.
//!
//! Registered bounds count only where the linker has defined none: where a linker script has put the profile sections into other sections.
//! Constructors run one after the other, before there are threads.

use core::ffi::c_void;

use super::runtime::__llvm_profile_runtime;
use crate::format::Variant;
use crate::link::registered::{AllBounds, Bounds, COUNTERS, DATA, NAMES};
use crate::native::Record;
use crate::sections::variables;

/// The registered bounds of this image. [`crate::link`] refers to them by this name, weakly: only objects of old compilers link this file.
#[unsafe(export_name = "profrt_registered")]
static ALL: AllBounds = [const { Bounds::new() }; 3];

/// Registers a control record, and sets its counters to their initial value, since no start-up code has done so.
///
/// # Safety
/// `record` must be a control record of this image, of this archive's raw version.
unsafe fn register(record: *const Record) {
    if crate::link::data::linked().len > 0 {
        return;
    }
    // SAFETY: `record` is a control record by this function's contract.
    let (offset, number) = unsafe { ((*record).counter_ptr, (*record).num_counters) };
    let version = Variant(variables::raw_version());
    let start = record.addr().wrapping_add_signed(offset);
    let len = (number as usize).wrapping_mul(version.counter_size() as usize);
    ALL[DATA].grow(record.addr(), size_of::<Record>());
    ALL[COUNTERS].grow(start, len);
    let initial = if version.has(Variant::BYTE_COVERAGE) { 0xff } else { 0 };
    for at in 0..len {
        // SAFETY: within the counters of the record, which are writable memory of this image.
        unsafe { (start.wrapping_add(at) as *mut u8).write_volatile(initial) };
    }
}

export! {
    /// A record of an object file. The constructor also calls this for `__llvm_profile_runtime`, which is none.
    fn __llvm_profile_register_function(record: *const c_void) {
        if record != (&raw const __llvm_profile_runtime).cast() {
            // SAFETY: the compiler's record.
            unsafe { register(record.cast()) };
        }
    }
    /// The names in an object file.
    fn __llvm_profile_register_names_function(names: *const u8, size: u64) {
        ALL[NAMES].grow(names.addr(), size as usize);
    }
}
