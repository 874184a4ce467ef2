//! The raw version and the variant flags of the program (`__llvm_profile_raw_version`).

#![allow(unsafe_code)]

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static __llvm_profile_raw_version: u64;
}

// Clang 14 exports the variable from shared objects. A hidden reference hides it in the linked image. Otherwise all images of a process would
// read that of the first, whose flags are wrong for images that were compiled with another kind of instrumentation.
#[cfg(all(feature = "archive", not(test)))]
core::arch::global_asm!(".hidden __llvm_profile_raw_version");

// Without the C names nobody defines the variable: this one has the same value.
#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static __llvm_profile_raw_version: u64 = crate::native::RAW_VERSION.number();

/// Returns the raw version and the variant flags of the program.
#[allow(unused_unsafe)]
#[inline(never)]
pub fn raw_version() -> u64 {
    // SAFETY: a constant word: `abi::variables` defines it weakly, the compiler perhaps strongly.
    unsafe { __llvm_profile_raw_version }
}
