//! Raw version and variant flags of the program.

#![allow(unsafe_code)]

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static __llvm_profile_raw_version: u64;
}

// Clang 14 exports the variable from shared objects. A hidden reference hides it in the linked image: else all images of a process would
// read that of the first, and what it says about counters is wrong for those that were compiled with another kind of instrumentation.
#[cfg(all(feature = "archive", not(test)))]
core::arch::global_asm!(".hidden __llvm_profile_raw_version");

// Without the C names there is nobody to define it: the value it would have.
#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static __llvm_profile_raw_version: u64 = crate::native::RAW_VERSION.number();

/// Raw version and variant flags of the program.
#[allow(unused_unsafe)]
#[inline(never)]
pub fn raw_version() -> u64 {
    // SAFETY: a constant, defined weakly by us and perhaps strongly by the compiler.
    unsafe { __llvm_profile_raw_version }
}
