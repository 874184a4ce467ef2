//! What objects of clang before 17 call for targets whose linker clang does not know; see `sections/registered.rs`.

use core::ffi::c_void;

use super::runtime::__llvm_profile_runtime;
use crate::sections::registered;

export! {
    /// A record of an object file. The constructor also calls this for `__llvm_profile_runtime`, which is none.
    fn __llvm_profile_register_function(record: *const c_void) {
        if record != (&raw const __llvm_profile_runtime).cast() {
            // SAFETY: the compiler's record.
            unsafe { registered::register(record.cast()) };
        }
    }
    /// The names in an object file.
    fn __llvm_profile_register_names_function(names: *const u8, size: u64) {
        registered::register_names(names, size as usize);
    }
}
