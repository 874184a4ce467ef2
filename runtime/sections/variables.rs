//! Reads the variables that the compiler defines in instrumented programs. `abi::variables` defines them weakly, for other programs.

#![allow(unsafe_code, unused_unsafe)]

#[cfg(feature = "hosted")]
use core::ffi::c_char;

#[cfg(all(feature = "abi", not(weak_by_reference), not(test)))]
unsafe extern "C" {
    static __llvm_profile_raw_version: u64;
    #[cfg(feature = "hosted")]
    static __llvm_profile_filename: [c_char; 1];
}

// Without the C names, and where references are weak, nobody defines the variables: these have the same values.
#[cfg(not(all(feature = "abi", not(weak_by_reference), not(test))))]
#[allow(non_upper_case_globals)]
mod defined {
    pub static __llvm_profile_raw_version: u64 = crate::native::RAW_VERSION.number();
    #[cfg(feature = "hosted")]
    pub static __llvm_profile_filename: [super::c_char; 1] = [0];
}
#[cfg(not(all(feature = "abi", not(weak_by_reference), not(test))))]
use defined::*;

// Clang 14 exports the variable from shared objects. A hidden reference hides it in the linked image. Otherwise all images of a process would
// read that of the first, whose flags are wrong for images that were compiled with another kind of instrumentation.
#[cfg(all(feature = "archive", not(test)))]
crate::link::hide!("__llvm_profile_raw_version");

#[cfg(weak_by_reference)]
crate::link::variable_address! { compilers_version = "__llvm_profile_raw_version" }
#[cfg(weak_by_reference)]
crate::link::variable_address! { compilers_filename = "__llvm_profile_filename" }

/// Returns the raw version and the variant flags of the program. (Never in line: the directive above works in this module.)
#[inline(never)]
pub fn raw_version() -> u64 {
    #[cfg(weak_by_reference)]
    // SAFETY: null, or the compiler's constant word.
    if let Some(version) = unsafe { compilers_version::<u64>().as_ref() } {
        return *version;
    }
    // SAFETY: a constant word: `abi::variables` defines it weakly, the compiler perhaps strongly.
    unsafe { __llvm_profile_raw_version }
}

// In line: a program refers only to the variables that it uses.

/// Returns the file name that the compiler was given (`-fprofile-instr-generate=NAME`), or an empty one.
#[cfg(feature = "hosted")]
#[cfg_attr(not(weak_by_reference), inline)]
#[cfg_attr(weak_by_reference, inline(never))]
pub fn profile_filename() -> &'static [u8] {
    #[cfg(weak_by_reference)]
    // SAFETY: null, or the compiler's C string.
    if let Some(name) = unsafe { compilers_filename::<c_char>().as_ref() } {
        // SAFETY: that C string, which never changes.
        return unsafe { crate::path::c_str(name) }.to_bytes();
    }
    // SAFETY: a C string that never changes: `abi::variables` defines an empty one weakly, the compiler perhaps another. Its length is not the
    // declared one, so the address is hidden from the optimizer.
    unsafe { crate::path::c_str(core::hint::black_box((&raw const __llvm_profile_filename).cast())) }.to_bytes()
}
