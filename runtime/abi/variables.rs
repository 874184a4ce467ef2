//! Variables, most of them weak: a definition by the compiler in an instrumented program overrides them.
//!
//! They are assembly, because stable Rust has no weak definitions. Each is in a module, and so an archive member, of its own.

/// Defines a variable with one assembler directive.
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

/// The raw version of a program whose objects do not define it (front-end instrumentation).
pub mod raw_version {
    variable! {
        ".rodata.__llvm_profile_raw_version,\"a\",%progbits",
        ".weak" "__llvm_profile_raw_version", "8", ".8byte", crate::native::RAW_VERSION.number()
    }
}

/// The file name that was passed to the compiler: none.
pub mod filename {
    variable! {
        ".rodata.__llvm_profile_filename,\"a\",%progbits",
        ".weak" "__llvm_profile_filename", "1", ".byte", 0
    }
}

/// The mode of directories that the runtime creates, an `int`.
#[cfg(feature = "hosted")]
pub mod directory_mode {
    variable! {
        ".data.lprofDirMode,\"aw\",%progbits",
        ".globl" "lprofDirMode", "4", ".4byte", 0o755
    }
}
