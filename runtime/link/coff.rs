//! COFF: directives, sections, and the header of an image. Linkers sort sections of one name by what follows a `$` in it, so that marks come before
//! (`$A`) and after (`$Z`) what the compiler has (`$M`). Nothing has to be hidden: an image exports what it is told to.
//!
//! A weak symbol of COFF has a default and takes no archive member, so nothing here is weak: the functions for values are in every program, and the
//! compiler's bias variables stay unknown.

#![allow(unsafe_code)]
#![allow(unused_imports, unused_macros, reason = "some builds have no C names")]

/// Expands to the name of a C symbol as the assembler knows it.
#[cfg(not(target_arch = "x86"))]
macro_rules! symbol {
    ($name:expr) => {
        $name
    };
}
#[cfg(target_arch = "x86")]
macro_rules! symbol {
    ($name:expr) => {
        concat!("_", $name)
    };
}

/// Expands to the directive for an address.
#[cfg(target_pointer_width = "64")]
macro_rules! word {
    () => {
        ".quad"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word {
    () => {
        ".long"
    };
}

/// Defines a function that returns the address of a variable of the compiler, or null. The address is a word of its own, because the compiler may
/// define the variable in this very module, which then may not refer to it; without a definition the linker takes another name for it.
macro_rules! variable_address {
    ($name:ident = $symbol:literal) => {
        core::arch::global_asm!(
            ".section .drectve,\"yni\"",
            concat!(
                ".ascii \" -alternatename:",
                $crate::link::symbol!($symbol),
                "=",
                $crate::link::symbol!("profrt_nothing"),
                "\""
            ),
            ".section .rdata,\"dr\"",
            ".p2align 3",
            concat!(".globl ", $crate::link::symbol!(concat!("profrt_address_of_", $symbol))),
            concat!($crate::link::symbol!(concat!("profrt_address_of_", $symbol)), ":"),
            concat!($crate::link::word!(), " ", $crate::link::symbol!($symbol)),
            ".text",
        );

        fn $name<T>() -> *const T {
            unsafe extern "C" {
                #[link_name = concat!("profrt_address_of_", $symbol)]
                static ADDRESS: usize;
            }
            // SAFETY: the word above, which the linker has set.
            let address = core::ptr::with_exposed_provenance(unsafe { ADDRESS });
            if address == (&raw const $crate::link::NOTHING).cast() { core::ptr::null() } else { address }
        }
    };
}

/// What a variable is that nobody defines.
#[cfg_attr(weak_by_reference, unsafe(export_name = "profrt_nothing"))]
pub static NOTHING: usize = 0;

/// Calls a function at the start of the image, before constructors of the program (`$XCU`), whose exit handlers are called first then.
macro_rules! at_start {
    ($function:path) => {
        #[used]
        #[unsafe(link_section = ".CRT$XCL")]
        static CONSTRUCTOR: extern "C" fn() = $function;
    };
}

/// Defines a variable of the program with one assembler directive. As the compiler's own definition it is one of which the linker keeps any.
macro_rules! variable {
    ($binding:literal $name:literal, $size:literal, $directive:literal, $value:expr) => {
        core::arch::global_asm!(
            concat!(".section .data$", $name, ",\"dw\",discard,", $crate::link::symbol!($name)),
            ".p2align 3",
            concat!(".globl ", $crate::link::symbol!($name)),
            concat!($crate::link::symbol!($name), ":"),
            concat!($directive, " {value}"),
            ".text",
            value = const $value,
        );
    };
}

/// Has the linker look into a library of the system, which compilers do not name by themselves.
macro_rules! library {
    ($name:literal) => {
        core::arch::global_asm!(".section .drectve,\"yni\"", concat!(".ascii \" -defaultlib:", $name, "\""), ".text");
    };
}

pub use super::without_elf::*;
pub(crate) use {at_start, library, symbol, variable, variable_address, word};

/// Defines a module for each section, with its bounds: what is between the marks. The mark before names is one byte, which `llvm-cov` skips; the
/// others are words, so that what follows is aligned.
macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $([$($part:tt)*])?
        $(= $elf:literal ($section:literal, $flags:literal, $mark:literal) $(=> $registered:ident)?)?)*) => {$($(
        #[doc = concat!("`", $elf, "`.")]
        pub mod $name {
            use crate::span::Span;

            core::arch::global_asm!(
                concat!(".section ", $section, "$A,\"", $flags, "\""),
                ".p2align {align}",
                concat!(".globl ", $crate::link::symbol!(concat!("profrt_start_of_", stringify!($name)))),
                concat!($crate::link::symbol!(concat!("profrt_start_of_", stringify!($name))), ":"),
                ".zero {mark}",
                concat!(".section ", $section, "$Z,\"", $flags, "\""),
                concat!(".globl ", $crate::link::symbol!(concat!("profrt_end_of_", stringify!($name)))),
                concat!($crate::link::symbol!(concat!("profrt_end_of_", stringify!($name))), ":"),
                ".byte 0",
                ".text",
                align = const if $mark == 8 { 3 } else { 0 },
                mark = const $mark,
            );

            unsafe extern "C" {
                #[link_name = concat!("profrt_start_of_", stringify!($name))]
                static START: [u8; $mark];
                // A zero-sized array: between two integers LLVM may assume different addresses and fold the comparison.
                #[link_name = concat!("profrt_end_of_", stringify!($name))]
                static END: [u64; 0];
            }

            /// Returns the bytes of the section in this image, or an empty span.
            #[inline(never)]
            pub fn span() -> Span {
                if cfg!(test) {
                    return Span::EMPTY;
                }
                Span::between((&raw const START).cast::<u8>().wrapping_add($mark), (&raw const END).cast())
            }

            pub use span as linked;
        }
    )?)*};
}

sections!(bounds);

unsafe extern "C" {
    /// The first byte of this image, which linkers define.
    static __ImageBase: [u8; 0];
}

/// Returns a number in the header of this image, at an offset from the signature of the header.
fn header<T: Copy>(offset: usize) -> T {
    /// Where an image has the offset of the signature.
    const SIGNATURE_AT: usize = 0x3c;
    let base = (&raw const __ImageBase).cast::<u8>();
    // SAFETY: an image begins with this header, which is loaded and does not change.
    let signature = unsafe { base.wrapping_add(SIGNATURE_AT).cast::<u32>().read_unaligned() };
    // SAFETY: the callers pass offsets of fields that every header has.
    unsafe { base.wrapping_add(signature as usize).wrapping_add(offset).cast::<T>().read_unaligned() }
}

/// Returns whether this image is a library.
pub fn is_library() -> bool {
    const CHARACTERISTICS: usize = 22;
    const LIBRARY: u16 = 0x2000;
    header::<u16>(CHARACTERISTICS) & LIBRARY != 0
}

/// No notes: an image has none.
pub mod notes {
    use super::{__ImageBase, header};
    use crate::span::Span;

    pub use super::super::without_elf::{build_id, spans};

    /// Returns where this image is in memory.
    pub fn loaded_range() -> Span {
        const SIZE_OF_IMAGE: usize = 80;
        Span { start: (&raw const __ImageBase).cast(), len: header::<u32>(SIZE_OF_IMAGE) as usize }
    }
}
