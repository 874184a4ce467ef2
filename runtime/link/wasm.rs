//! WebAssembly: directives, sections, and what `wasm-ld` defines for a module. Each symbol has its module, as for ELF, and a type, which the assembler
//! does not know otherwise. Nothing has to be hidden: a module exports what it is told to.

#![allow(unsafe_code)]
#![allow(unused_imports, unused_macros, reason = "some builds have no C names")]

/// Refers to data, so that the linker takes the archive members that define them.
macro_rules! bring {
    ($($name:expr),*) => { core::arch::global_asm!($(concat!(".globl ", $name), concat!(".type ", $name, ",@object")),*); };
}

/// Defines data of one byte in this module, and so in its archive member, to which others refer to have the member linked.
macro_rules! mark {
    ($name:expr) => {
        $crate::link::variable! { ".globl" $name, "1", ".byte", 0 }
    };
}

/// Defines a function that returns the address of data, or null where nobody defines them.
macro_rules! weak_address {
    ($name:ident = $symbol:expr) => {
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".type ", $symbol, ",@object"));

        #[inline(always)]
        fn $name<T>() -> *const T {
            unsafe extern "C" {
                #[link_name = $symbol]
                static SYMBOL: [u64; 0];
            }
            // Hidden from the optimizer, which assumes that no static is at address 0.
            core::hint::black_box((&raw const SYMBOL).cast::<T>())
        }
    };
}

/// Defines a function that returns the address of a variable of the compiler, or null.
macro_rules! variable_address {
    ($name:ident = $symbol:expr) => {
        $crate::link::weak_address! { $name = $symbol }
    };
}

/// Calls a function at the start of the module, before constructors of the program, whose exit handlers are called first then.
macro_rules! at_start {
    ($function:path) => {
        #[used]
        #[unsafe(link_section = ".init_array.100")]
        static CONSTRUCTOR: extern "C" fn() = $function;
    };
}

/// Defines a variable of the program with one assembler directive.
macro_rules! variable {
    ($binding:literal $name:expr, $size:literal, $directive:literal, $value:expr) => {
        core::arch::global_asm!(
            concat!(".section .data.", $name, ",\"\",@"),
            ".p2align 3",
            concat!($binding, " ", $name),
            concat!(".type ", $name, ",@object"),
            concat!(".size ", $name, ", ", $size),
            concat!($name, ":"),
            concat!($directive, " {value}"),
            value = const $value,
        );
    };
}

pub use super::without_elf::*;
pub(crate) use {at_start, bring, mark, variable, variable_address, weak_address};

/// Defines a module for each section, with its bounds: from the `__start_`/`__stop_` symbols that the linker defines for segments whose names are C
/// identifiers.
macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $([$($part:tt)*])?
        $(= $section:literal $coff:tt $(=> $registered:ident)?)?)*) => {$($(
        #[doc = concat!("`", $section, "`.")]
        pub mod $name {
            use crate::span::Span;

            crate::link::weak_address! { start = concat!("__start_", $section) }
            crate::link::weak_address! { stop = concat!("__stop_", $section) }

            /// Returns the bytes of the section, or an empty span.
            #[inline(never)]
            pub fn span() -> Span {
                Span::between(start(), stop())
            }

            pub use span as linked;
        }
    )?)*};
}

sections!(bounds);

/// No notes: a module has none in its memory.
pub mod notes {
    use crate::span::Span;

    pub use super::super::without_elf::{build_id, spans};

    /// Returns no bytes: functions have numbers, which no load moves.
    pub fn loaded_range() -> Span {
        Span::EMPTY
    }
}
