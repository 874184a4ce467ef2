//! What objects of clang before 17 call for targets whose linker clang does not know; see `sections/register.rs`.

use core::ffi::c_void;

use super::runtime::__llvm_profile_runtime;
use crate::sections::register::{register, register_names};

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
        register_names(names, size as usize);
    }
}
