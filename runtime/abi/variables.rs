//! Variables, most of them weak: what the compiler defines in an instrumented program wins.
//!
//! In assembly, because stable Rust has no weak definitions. Each in a module of its own, for the same reason as functions.

/// A variable of one directive.
macro_rules! variable {
    ($section:literal, $binding:literal $name:literal, $size:literal, $directive:literal, $value:expr) => {
        core::arch::global_asm!(
            concat!(".pushsection ", $section),
            ".p2align 3",
            concat!($binding, " ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", %object"),
            concat!(".size ", $name, ", ", $size),
            concat!($name, ":"),
            concat!($directive, " {value}"),
            ".popsection",
            value = const $value,
        );
    };
}

/// Raw version of a program whose objects do not say it (front-end instrumentation).
pub mod raw_version {
    variable! {
        ".rodata.__llvm_profile_raw_version,\"a\",%progbits",
        ".weak" "__llvm_profile_raw_version", "8", ".8byte", crate::format::RawVersion::BUILT.number()
    }
}

/// The name given to the compiler: none.
pub mod filename {
    variable! {
        ".rodata.__llvm_profile_filename,\"a\",%progbits",
        ".weak" "__llvm_profile_filename", "1", ".byte", 0
    }
}

/// Mode of the directories we make, an `int`.
#[cfg(feature = "hosted")]
pub mod directory_mode {
    variable! {
        ".data.lprofDirMode,\"aw\",%progbits",
        ".globl" "lprofDirMode", "4", ".4byte", 0o755
    }
}
