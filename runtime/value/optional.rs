//! Optional functions: the functions that write, merge and reset values. Only programs that count values link them.
//!
//! A dump, a merge and a reset are the same code in all programs, but many programs, and nearly all firmware, have no value sites. So only the
//! hooks refer to the functions for values strongly, and a program links both or neither:
//!
//! ```text
//! archive   hook (link_all!)  ->  table  ->  symbol: pointer (provide!)  ->  function
//!           dump (optional!)  ->  the same table, if a hook has linked it
//! device    hook (link_all!)  ->  function
//!           dump (optional!)  ->  weak symbol: pointer (provide!), null without hooks  ->  function
//! ```
//!
//! [`optional`] defines a function that returns `Some` of the optional function, or `None` in a program that has not linked it:
//!
//! | build | mechanism | module |
//! | --- | --- | --- |
//! | archive of a hosted system | in a table: gold resolves an absent weak symbol to the address of the file's first byte | `table` |
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
//! | `optional/table.rs` | the symbol in `table_symbols!` gives the pointer a place in the table, which hooks link |
//! | its caller's, `reset.rs` | `optional! { fn resetter() -> ResetValues = crate::value::reset::reset_values, "profrt_values_reset"; }` |
//!
//! The caller then has `if let Some(reset) = resetter()`. If a device calls the function too, `link_all!` in `value/linked.rs` needs it, in place
//! of the table.
//!
//! Each module defines `find!`, which returns the function, and `link_table`. `hook::count_at_record` calls that, because all hooks refer to
//! `count_at_record`. `super::linked` defines `link_all!`.

#![allow(unsafe_code)]

/// Defines a function that returns the optional function `$function`, or `None` where it is not linked. `$symbol` is the name under which
/// [`provide`] exports it.
macro_rules! optional {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        #[cfg(all(profrt_device, not(test)))]
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

        #[cfg(all(not(test), any(feature = "archive", profrt_device)))]
        const _: () = {
            #[unsafe(export_name = $symbol)]
            static FUNCTION: $type = $function;
        };
    };
}
pub(crate) use provide;

#[cfg(all(profrt_archive, not(test)))]
#[path = "optional/table.rs"]
pub(crate) mod mechanism;
#[cfg(all(profrt_device, not(test)))]
#[path = "optional/weak.rs"]
mod mechanism;
#[cfg(not(all(any(profrt_archive, profrt_device), not(test))))]
#[path = "optional/fixed.rs"]
mod mechanism;
pub(crate) use mechanism::{find, link_table};
