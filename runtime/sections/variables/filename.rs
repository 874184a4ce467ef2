//! The name of the profile that was given to the compiler.

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

/// The name that was given to the compiler; empty when none was.
#[allow(unused_unsafe)]
#[inline(never)]
pub fn profile_filename() -> &'static [u8] {
    // SAFETY: a C string that never changes, defined weakly by us (empty) and perhaps by the compiler. Its real length is
    // not the declared one, so the address is hidden from the optimiser.
    unsafe { c_str(core::hint::black_box((&raw const __llvm_profile_filename).cast())) }.to_bytes()
}
