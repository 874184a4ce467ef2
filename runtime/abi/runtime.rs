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
