//! Optional functions: the functions that write, merge and reset values. Only programs that count values link them.
//!
//! Flash is short on devices, and neither firmware nor a program compiled for coverage has value sites. But a dump, a merge and a reset are
//! the same code in all programs. If they called the functions for values as usual, the linker would put these into each program. So they
//! refer to them weakly: [`optional`] defines a function that returns `Some` of the optional function, or `None` in a program that has not
//! linked it. The hooks that instrumented code calls ([`super::hook`]) refer to all optional functions strongly, by `link_all`. So a program
//! links both or neither.
//!
//! A symbol connects the sides: [`provide`] exports a pointer to the function under this name. How a caller finds the pointer:
//!
//! | build | way |
//! | --- | --- |
//! | archive of a hosted system | in a table (`optional/table.rs`): gold resolves an absent weak symbol to the address of the file's first byte |
//! | device with C names | by a weak symbol, which is null when absent |
//! | device without C names | never: nothing calls the hooks, which are C names |
//! | test, proof that nothing panics, crate on a hosted system | not needed: the function is always linked, as no linker picks archive members |

#![allow(unsafe_code)]

/// Defines a function that returns the optional function `$function`, or `None` where it is not linked. `$symbol` is the name under which
/// [`provide`] exports it.
macro_rules! optional {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".hidden ", $symbol));

        $(#[$doc])*
        #[inline(always)]
        fn $name() -> Option<$type> {
            // Builds that find the function by its symbol do not name it otherwise.
            const _: $type = $function;
            $crate::value::optional::find!($type, $function, $symbol)
        }
    };
}
pub(crate) use optional;

/// Exports a pointer to an optional function as `$symbol`, hidden from other images. Stands in the file that defines the function.
macro_rules! provide {
    ($symbol:literal: $type:ty = $function:path) => {
        #[cfg(feature = "archive")]
        core::arch::global_asm!(concat!(".hidden ", $symbol));

        #[cfg(all(not(test), any(feature = "archive", all(feature = "abi", not(feature = "hosted")))))]
        const _: () = {
            #[unsafe(export_name = $symbol)]
            static FUNCTION: $type = $function;
        };
    };
}
pub(crate) use provide;

/// Links all optional functions with the file that uses the macro: those of the table on hosted systems, the listed ones on devices.
macro_rules! link_all {
    ($($type:ty = $function:path,)*) => {
        #[cfg(all(profrt_archive, not(test)))]
        $crate::value::optional::table::table_symbols!(emit_table);

        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        #[used]
        static OPTIONAL: ($($type,)*) = ($($function,)*);
    };
}
pub(crate) use link_all;

#[cfg(all(profrt_archive, not(test)))]
pub(crate) mod table;
#[cfg(all(profrt_archive, not(test)))]
pub(crate) use table::{find, link_table};

#[cfg(any(test, profrt_panic_proof, all(feature = "hosted", not(profrt_archive))))]
macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {
        Some($function)
    };
}
#[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {{
        unsafe extern "C" {
            #[link_name = $symbol]
            static FUNCTION: [usize; 0];
        }
        // Hidden from the optimizer, which assumes that no static is at address 0.
        let pointer: *const $type = core::hint::black_box((&raw const FUNCTION).cast());
        // SAFETY: null, or the pointer to `$function` that `provide` exports; `optional` has checked its type.
        unsafe { pointer.as_ref() }.copied()
    }};
}
#[cfg(not(any(test, profrt_panic_proof, feature = "hosted", feature = "abi")))]
macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {
        None
    };
}
#[cfg(not(all(profrt_archive, not(test))))]
pub(crate) use find;

/// Does nothing: these builds have no table.
#[cfg(not(all(profrt_archive, not(test))))]
#[inline(always)]
pub fn link_table() {}
