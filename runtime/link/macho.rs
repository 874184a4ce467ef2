//! Mach-O: directives, sections, and what linkers define for each image. C names begin with `_`.
//!
//! A symbol that nobody defines is an error, also where references are weak. So, as in COFF, the functions for values are in every program, and the
//! compiler's bias variables stay unknown.

#![allow(unsafe_code)]
#![allow(unused_imports, unused_macros, reason = "some builds have no C names")]

/// Hides symbols from other images.
macro_rules! hide {
    ($($name:expr),*) => { core::arch::global_asm!($(concat!(".private_extern _", $name)),*); };
}

/// Does nothing: the system has the functions.
macro_rules! weak {
    ($($name:literal),*) => {};
}

/// Calls a function at the start of the image.
macro_rules! at_start {
    ($function:path) => {
        #[used]
        #[unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs")]
        static CONSTRUCTOR: extern "C" fn() = $function;
    };
}

/// Defines a hidden variable of the program with one assembler directive. As the compiler's own definition it is one of which the linker keeps any.
macro_rules! variable {
    ($binding:literal $name:literal, $size:literal, $directive:literal, $value:expr) => {
        core::arch::global_asm!(
            ".section __DATA,__data",
            ".p2align 3",
            concat!(".globl _", $name),
            concat!(".weak_definition _", $name),
            concat!(".private_extern _", $name),
            concat!("_", $name, ":"),
            concat!($directive, " {value}"),
            ".text",
            value = const $value,
        );
    };
}

/// Nothing reads it: clang 14 passes the name to the linker beside a list of symbols to export.
#[cfg(all(feature = "archive", not(since = "9")))]
pub mod directory_mode {
    variable! {
        ".globl" "lprofDirMode", "4", ".4byte", 0
    }
}

pub use super::without_elf::*;
pub use core::hint::black_box as opaque;
pub(crate) use {at_start, hide, variable, weak};

/// Defines a function that returns the bytes between two symbols, which the linker makes by their names.
macro_rules! between {
    ($name:ident, $start:expr, $end:expr) => {
        /// Returns the bytes, or an empty span.
        #[inline(never)]
        pub fn $name() -> $crate::span::Span {
            unsafe extern "C" {
                // Zero-sized arrays: between two integers LLVM may assume different addresses and fold the comparison.
                #[link_name = concat!("\u{1}", $start)]
                static START: [u64; 0];
                #[link_name = concat!("\u{1}", $end)]
                static END: [u64; 0];
            }
            $crate::span::Span::between((&raw const START).cast(), (&raw const END).cast())
        }
    };
}

/// Defines a module for each section of this image, with its bounds.
macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $([$($part:tt)*])?
        $(= $section:literal $coff:tt $(=> $registered:ident)?)?)*) => {$($(
        #[doc = concat!("`", $section, "`.")]
        pub mod $name {
            between! { span, concat!("section$start$__DATA$", $section), concat!("section$end$__DATA$", $section) }
            pub use span as linked;
        }
    )?)*};
}

sections!(bounds);

/// No notes: those of an image are not in its memory.
pub mod notes {
    pub use super::super::without_elf::{build_id, spans};

    // The code and what the program writes to, with the constants between them.
    between! { loaded_range, "segment$start$__TEXT", "segment$end$__DATA" }
}
