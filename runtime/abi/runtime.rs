//! The symbol that pulls the constructor and the destructor into a program.
//!
//! The clang driver passes `-u__llvm_profile_runtime`. A program that defines the symbol itself does not get this archive
//! member: nothing is done at its start and exit, and there is no file code unless it calls some.
//!
//! Objects for targets other than Linux refer to the symbol themselves. Without a system there is nothing to construct.

#![allow(unsafe_code)]
#![allow(non_upper_case_globals, reason = "a C name")]

crate::link::hide!("__llvm_profile_runtime");
crate::link::comment! { crate::native::RAW_VERSION.number() }

// Links the calls to which a program may have only weak references.
#[cfg(feature = "hosted")]
crate::link::bring_calls!("profrt_file_calls");

/// The symbol; its value is not used.
#[unsafe(no_mangle)]
pub static __llvm_profile_runtime: core::sync::atomic::AtomicI32 = core::sync::atomic::AtomicI32::new(0);

#[cfg(feature = "hosted")]
crate::link::at_start! { crate::lifecycle::start::initialize }
#[cfg(feature = "hosted")]
crate::link::at_end! { crate::lifecycle::start::at_exit }

#[cfg(all(halves, target_os = "none"))]
pub mod atomic {
    //! The 64-bit atomic addition that counting code calls on CPUs whose atomic instructions end at 32 bits, where there is no libatomic: code
    //! that rustc instruments counts atomically, and so does clang's with `-fprofile-update=atomic`.

    #![allow(unsafe_code)]

    use core::ffi::c_int;

    use crate::sync::{AtomicU64, Ordering};

    crate::link::hide!("__atomic_fetch_add_8");

    /// Adds to a counter, and returns its value before. No addition is lost, whatever other calls of this function run at the same time.
    ///
    /// # Safety
    /// `number` must be valid and aligned. Meanwhile it must be changed only by calls of this function.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __atomic_fetch_add_8(number: *mut u64, by: u64, _order: c_int) -> u64 {
        // SAFETY: `number` is valid, aligned and used atomically by this function's contract.
        unsafe { AtomicU64::from_ptr(number) }.fetch_add(by, Ordering::Relaxed)
    }
}
