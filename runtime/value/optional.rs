//! Optional functions: the functions that write, merge and reset values. Only programs that count values link them.
//!
//! A dump, a merge and a reset are the same code in all programs, but many programs, and nearly all firmware, have no value sites. So only the
//! hooks refer to the functions for values strongly, and a program links both or neither:
//!
//! ```text
//! archive   hook (link_all!)  ->  symbol_linked (provide!), in the function's file
//!           dump (optional!)  ->  symbol: pointer (provide!), or null, which the dump's file defines weakly  ->  function
//! device    hook (link_all!)  ->  function
//!           dump (optional!)  ->  weak symbol: pointer (provide!), null without hooks  ->  function
//! ```
//!
//! [`optional`] defines a function that returns `Some` of the optional function, or `None` in a program that has not linked it:
//!
//! | build | mechanism | module |
//! | --- | --- | --- |
//! | archive of a hosted system | by a pointer, null where the function's file is not linked | `archive` |
//! | device with C names | by a weak symbol, which is null when absent | `weak` |
//! | device without C names | never: nothing calls the hooks, which are C names | `fixed` |
//! | test, proof that nothing panics, crate on a hosted system | the function is always linked, as no linker picks archive members | `fixed` |
//!
//! # A new optional function
//!
//! An archive needs three edits, here for `reset_values`:
//!
//! | file | edit |
//! | --- | --- |
//! | the function's, `value/reset.rs` | `provide!("profrt_values_reset": ResetValues = reset_values);` exports a pointer to it |
//! | `value/linked.rs` | `profrt_values_reset_linked` in `link_all!` links the file with the hooks |
//! | its caller's, `reset.rs` | `optional! { fn resetter() -> ResetValues = crate::value::reset::reset_values, "profrt_values_reset"; }` |
//!
//! The caller then has `if let Some(reset) = resetter()`. If a device calls the function too, its `link_all!` needs it as well. None of the
//! functions may need the C library: programs without one count values too. The function that `optional!` defines must not be inlined into other
//! files, where its symbol is a reference that links the optional function.
//!
//! Each module defines `declare!`, which makes the symbol known to the caller's file, and `find!`, which returns the function.

#![allow(unsafe_code)]

/// Defines a function that returns the optional function `$function`, or `None` where it is not linked. `$symbol` is the name under which
/// [`provide`] exports it.
macro_rules! optional {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        $crate::value::optional::declare!($symbol);

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

/// Exports a pointer to an optional function as `$symbol`, and in an archive `$symbol` with `_linked`, both hidden from other images. Stands in
/// the file that defines the function.
macro_rules! provide {
    ($symbol:literal: $type:ty = $function:path) => {
        #[cfg(feature = "archive")]
        core::arch::global_asm!(
            concat!(".hidden ", $symbol, ", ", $symbol, "_linked"),
            concat!(".globl ", $symbol, "_linked"),
            concat!(".set ", $symbol, "_linked, 0"),
        );

        #[cfg(all(not(test), any(feature = "archive", profrt_device)))]
        const _: () = {
            #[unsafe(export_name = $symbol)]
            static FUNCTION: $type = $function;
        };
    };
}
pub(crate) use provide;

#[cfg(all(profrt_archive, not(test)))]
#[path = "optional/archive.rs"]
mod mechanism;
#[cfg(all(profrt_device, not(test)))]
#[path = "optional/weak.rs"]
mod mechanism;
#[cfg(not(all(any(profrt_archive, profrt_device), not(test))))]
#[path = "optional/fixed.rs"]
mod mechanism;
pub(crate) use mechanism::{declare, find};
