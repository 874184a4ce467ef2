//! Variables, most of them weak: a definition by the compiler in an instrumented program overrides them.
//!
//! Each is in a module, and so an archive member, of its own.

/// The raw version of a program whose objects do not define it (front-end instrumentation).
pub mod raw_version {
    crate::link::variable! {
        ".weak" "__llvm_profile_raw_version", "8", ".8byte", crate::native::RAW_VERSION.number()
    }
}

/// The file name that was passed to the compiler: none.
pub mod filename {
    crate::link::variable! {
        ".weak" "__llvm_profile_filename", "1", ".byte", 0
    }
}

/// Nothing reads it: for macOS clang 14 passes the name to the linker beside a list of symbols to export.
#[cfg(all(macho, not(since = "9")))]
pub mod directory_mode {
    crate::link::variable! {
        ".globl" "lprofDirMode", "4", ".4byte", 0
    }
}
