//! ELF: directives, sections, and what linkers define for each image.
//!
//! A directive takes effect only in the codegen unit that holds it. So each symbol that is referred to weakly, or defined by directives, has a module
//! of its own, whose functions are never inlined into another one.
//!
//! Unit tests have no sections of profiles: bounds are empty there.

#![allow(unsafe_code)]
#![allow(dead_code, unused_imports, unused_macros, reason = "some builds have no C names")]

/// Hides symbols from other images.
macro_rules! hide {
    ($($name:expr),*) => { core::arch::global_asm!($(concat!(".hidden ", $name)),*); };
}

/// Makes references to functions of other images weak: null where nobody defines them.
macro_rules! weak {
    ($($name:literal),*) => { core::arch::global_asm!($(concat!(".weak ", $name)),*); };
}

/// Refers to symbols, so that the linker takes the archive members that define them: entries of the symbol table without a relocation, which cost
/// nothing at run time. Hidden, so that no shared object that exports such a name satisfies them.
macro_rules! bring {
    ($($name:expr),*) => { core::arch::global_asm!($(concat!(".hidden ", $name), concat!(".globl ", $name)),*); };
}

/// Refers to functions in the same way.
macro_rules! bring_calls {
    ($($name:expr),*) => { $crate::link::bring!($($name),*); };
}

/// Defines a symbol of no bytes in this module, and so in its archive member, to which others refer to have the member linked.
macro_rules! mark {
    ($name:expr) => {
        core::arch::global_asm!(
            concat!(".pushsection .rodata.", $name, ",\"a\",%progbits"),
            concat!(".hidden ", $name),
            concat!(".globl ", $name),
            concat!(".type ", $name, ", %object"),
            concat!($name, ":"),
            ".popsection",
        );
    };
}

/// Defines a function that returns the address of a hidden symbol of this image, or null where nobody defines it.
macro_rules! weak_address {
    ($name:ident = $symbol:expr) => {
        core::arch::global_asm!(
            concat!(".weak ", $symbol),
            concat!(".hidden ", $symbol),
            ".weak profrt_defined_by_nobody",
            ".hidden profrt_defined_by_nobody",
        );

        #[inline(always)]
        fn $name<T>() -> *const T {
            unsafe extern "C" {
                #[link_name = $symbol]
                static SYMBOL: [u64; 0];
                // gold leaves a symbol that nobody defines to the loader, which resolves it to the address where the image was loaded.
                #[link_name = "profrt_defined_by_nobody"]
                static NOTHING: [u64; 0];
            }
            if cfg!(test) {
                return core::ptr::null();
            }
            let address = $crate::link::opaque((&raw const SYMBOL).cast::<T>());
            // (No closure: it would be a function of its own, perhaps in another codegen unit.)
            if cfg!(feature = "hosted") && address == $crate::link::opaque((&raw const NOTHING).cast()) {
                return core::ptr::null();
            }
            address
        }
    };
}

/// Hides an address from the optimizer, which assumes that no static is at address 0, and no two are at one address. (`black_box` would store it.)
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "it has no instruction")]
pub fn opaque<T>(mut address: *const T) -> *const T {
    // SAFETY: no instruction. (Not `pure`: a reference that nobody reads stays, too.)
    unsafe { core::arch::asm!("/* {} */", inout(reg) address, options(nomem, nostack, preserves_flags)) };
    address
}

/// Calls a function at the start of the image.
macro_rules! at_start {
    ($function:path) => {
        #[used]
        #[unsafe(link_section = ".init_array")]
        static CONSTRUCTOR: extern "C" fn() = $function;
    };
}

/// Calls a function at the end of the image: the first in the array, so the last to be called, after the destructors of the program, whose counts
/// belong to the profile.
macro_rules! at_end {
    ($function:path) => {
        #[used]
        #[unsafe(link_section = ".fini_array.100")]
        static DESTRUCTOR: extern "C" fn() = $function;
    };
}

/// Says in the section `.comment`, as compilers do, that the program has this runtime. It takes no memory, and `strip` leaves it.
macro_rules! comment {
    ($raw:expr) => {
        core::arch::global_asm!(
            ".pushsection .comment,\"MS\",%progbits,1",
            concat!(".asciz \"profrt ", env!("CARGO_PKG_VERSION"), ", raw version {raw}\""),
            ".popsection",
            raw = const $raw,
        );
    };
}

/// Defines a hidden variable of the program with one assembler directive: stable Rust has no weak definitions.
macro_rules! variable {
    ($binding:literal $name:literal, $size:literal, $directive:literal, $value:expr) => {
        core::arch::global_asm!(
            concat!(".pushsection .rodata.", $name, ",\"a\",%progbits"),
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

/// Defines a variable of two words, zeros, that all images of a process share.
macro_rules! shared_words {
    ($name:literal) => {
        core::arch::global_asm!(
            concat!(".pushsection .bss.", $name, ",\"aw\",%nobits"),
            ".p2align 3",
            concat!(".globl ", $name),
            concat!(".type ", $name, ", %object"),
            concat!(".size ", $name, ", 16"),
            concat!($name, ":"),
            ".zero 16",
            ".popsection",
        );
    };
}

/// Has counters and bitmaps, if linked after them, begin at a page and end with one; `$name` is their end.
macro_rules! whole_pages {
    ($name:literal, $page:expr) => {
        core::arch::global_asm!(
            // Retained (R): lld drops sections to which nothing refers.
            concat!(".pushsection ", section!(counters), ",\"awR\",%progbits"),
            ".p2align {page}",
            concat!(".hidden ", $name),
            concat!(".globl ", $name),
            concat!(".type ", $name, ", %object"),
            concat!($name, ":"),
            ".popsection",
            concat!(".pushsection ", section!(bitmap), ",\"awR\",%progbits"),
            ".p2align {page}",
            ".popsection",
            page = const $page,
        );
    };
}

pub(crate) use {
    at_end, at_start, bring, bring_calls, comment, hide, mark, shared_words, variable, weak, weak_address, whole_pages,
};

/// Defines a module for each section, with its bounds: from the `__start_`/`__stop_` symbols that linkers define. The references are weak, so that
/// absent sections read as empty, and hidden, so that each executable and each shared object sees only its own.
macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $([$($part:tt)*])?
        $(= $section:literal $coff:tt $(=> $registered:ident)?)?)*) => {$($(
        #[doc = concat!("`", $section, "`.")]
        pub mod $name {
            use crate::span::Span;

            core::arch::global_asm!(
                concat!(".weak __start_", $section),
                concat!(".hidden __start_", $section),
                concat!(".weak __stop_", $section),
                concat!(".hidden __stop_", $section),
            );

            unsafe extern "C" {
                // Zero-sized arrays: between two integers LLVM may assume different addresses and fold the comparison.
                #[link_name = concat!("__start_", $section)]
                static START: [u64; 0];
                #[link_name = concat!("__stop_", $section)]
                static STOP: [u64; 0];
            }

            /// Returns the bytes of the section in this image, or an empty span.
            #[inline(never)]
            pub fn span() -> Span {
                let span = bounds();
                $(
                    #[cfg(all(not(feature = "hosted"), feature = "abi"))]
                    if span.len == 0 {
                        return super::registered(super::super::registered::$registered);
                    }
                )?
                span
            }

            /// Returns the bytes of the section that the linker has collected.
            #[cfg(not(feature = "hosted"))]
            #[inline(never)]
            pub fn linked() -> Span {
                bounds()
            }

            #[inline(always)]
            fn bounds() -> Span {
                if cfg!(test) { Span::EMPTY } else { Span::between((&raw const START).cast(), (&raw const STOP).cast()) }
            }
        }
    )?)*};
}

sections!(bounds);

#[cfg(all(not(feature = "hosted"), feature = "abi"))]
weak_address! { all_bounds = "profrt_registered" }

/// Returns the bounds that objects have registered: only objects of old compilers register, and link `abi::register`.
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
#[inline(never)]
fn registered(which: usize) -> crate::span::Span {
    // SAFETY: null, or the address of `register::ALL`, which has this name and type.
    let bounds = unsafe { all_bounds::<super::registered::AllBounds>().as_ref() };
    bounds.and_then(|bounds| bounds.get(which)).map_or(crate::span::Span::EMPTY, |one| one.span())
}

// On devices a section that no linker script places ends up anywhere: in RAM that nothing loads, or under the heap. Therefore code that
// calls the function below (every dump, start and check) links only with one of our linker-script fragments, which define this symbol.
#[cfg(all(target_os = "none", not(feature = "hosted")))]
unsafe extern "C" {
    #[link_name = "error_profrt_is_linked_without_its_linker_script_profrt.x"]
    static IS_PLACED: [u64; 0];
}

weak_address! { records_in_elf = "profrt_records_in_elf" }

/// Returns whether the linker script has left records and names in the ELF file, so that their bounds are not addresses in memory. (The
/// script then defines the symbol.)
#[inline(never)]
pub fn records_are_elsewhere() -> bool {
    #[cfg(all(target_os = "none", not(feature = "hosted")))]
    opaque(&raw const IS_PLACED);
    !records_in_elf::<u8>().is_null()
}

/// The build id of this image, in a section that our linker-script fragments make: on devices the ELF header is not loaded.
#[cfg(all(target_os = "none", not(feature = "hosted")))]
pub mod notes {
    use super::super::MAX_NOTE_SEGMENTS;
    use crate::span::Span;

    bounds! {
        /// The build-id note.
        section = "profrt_notes" ()
    }

    /// Returns the section with the build-id note.
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        [section::span()]
    }

    /// Returns the build id, or an empty span. The section holds no other note.
    #[inline(never)]
    pub fn build_id() -> Span {
        let note = section::span();
        // Length of the name ("GNU"), of the id, kind, name.
        let id = note.skip(16);
        if id.len == 0 {
            return id;
        }
        // SAFETY: the note has more than 16 bytes by the check above; the linker script aligns it to 4, and it is constant.
        id.prefix(unsafe { note.start.cast::<u32>().wrapping_add(1).read() } as usize)
    }

    /// Returns no bytes: the range is not known.
    pub fn loaded_range() -> Span {
        Span::EMPTY
    }
}

#[cfg(not(all(target_os = "none", not(feature = "hosted"))))]
pub mod notes;
