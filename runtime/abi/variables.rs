//! Variables, most of them weak: a definition by the compiler in an instrumented program overrides them.
//!
//! Each is in a module, and so an archive member, of its own.

/// The raw version of a program whose objects do not define it (front-end instrumentation).
pub mod raw_version {
    crate::link::variable! {
        constant ".weak" "__llvm_profile_raw_version", "8", ".8byte", crate::native::RAW_VERSION.number()
    }
}

/// The file name that was passed to the compiler: none.
pub mod filename {
    crate::link::variable! {
        constant ".weak" "__llvm_profile_filename", "1", ".byte", 0
    }
}

/// The mode of directories that the runtime creates, an `int`.
#[cfg(feature = "hosted")]
pub mod directory_mode {
    crate::link::variable! {
        changing ".globl" "lprofDirMode", "4", ".4byte", crate::os::DIRECTORY_MODE
    }
}
