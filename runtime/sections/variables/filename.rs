//! The file name that the compiler was given (`-fprofile-instr-generate=NAME`).

#![allow(unsafe_code)]

use core::ffi::c_char;

use crate::path::c_str;

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static __llvm_profile_filename: [c_char; 1];
}

#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static __llvm_profile_filename: [c_char; 1] = [0];

/// Returns the file name that the compiler was given, or an empty one.
#[allow(unused_unsafe)]
#[inline(never)]
pub fn profile_filename() -> &'static [u8] {
    // SAFETY: a C string that never changes: `abi::variables` defines an empty one weakly, the compiler perhaps another. Its length is not the
    // declared one, so the address is hidden from the optimizer.
    unsafe { c_str(core::hint::black_box((&raw const __llvm_profile_filename).cast())) }.to_bytes()
}
