//! Raw version and variant flags of the program.

#![allow(unsafe_code)]

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static __llvm_profile_raw_version: u64;
}

// Without the C names there is nobody to define it: the value it would have.
#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static __llvm_profile_raw_version: u64 = crate::format::RawVersion::BUILT.number();

/// Raw version and variant flags of the program.
#[allow(unused_unsafe)]
#[inline(never)]
pub fn raw_version() -> u64 {
    // SAFETY: a constant, defined weakly by us and perhaps strongly by the compiler.
    unsafe { __llvm_profile_raw_version }
}
