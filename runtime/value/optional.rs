//! Optional functions: those that count, write and merge values are linked only into programs that count values, since flash is short on
//! devices, and neither firmware nor a program compiled for coverage has value sites.
//!
//! Code that may do without such a function asks for it with [`optional`]; the file that defines the function says so with [`provide`].
//! The hooks that count values ([`super::hook`]) bring all optional functions along.
//!
//! On devices the reference is a weak symbol. On hosted systems it is an entry of a section, since gold resolves a missing weak symbol to the
//! address of the file's first byte.

#![allow(unsafe_code)]

/// Defines a function that returns the optional function `$function`, or `None` where it is not linked. `$symbol` is the name under which
/// [`provide`] exports it.
///
/// The function is always linked where the linker does not pick archive members: in a test, in the proof that nothing panics, and in a crate
/// for hosted systems, which may be optimized as one. It is never linked without the C names, which counting code calls.
macro_rules! optional {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        $(#[$doc])*
        #[cfg(any(test, profrt_panic_proof, all(feature = "hosted", not(profrt_archive))))]
        fn $name() -> Option<$type> {
            Some($function)
        }

        $(#[$doc])*
        #[cfg(all(profrt_archive, not(test)))]
        fn $name() -> Option<$type> {
            let address = $crate::value::optional::entry(const { $crate::value::optional::place($symbol) })?;
            // SAFETY: the table has the address of `$symbol` at this place, and only `$function` is exported under that name.
            Some(unsafe { core::mem::transmute::<*const u8, $type>(address) })
        }

        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".hidden ", $symbol));

        $(#[$doc])*
        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            unsafe extern "C" {
                #[link_name = $symbol]
                static FUNCTION: [u64; 0];
            }
            // Hidden from the optimizer, which assumes that no static is at address 0.
            let address: *const u8 = core::hint::black_box((&raw const FUNCTION).cast());
            // SAFETY: null, or `$function`, the only one that is exported under this name.
            unsafe { core::mem::transmute::<*const u8, Option<$type>>(address) }
        }

        $(#[$doc])*
        #[cfg(not(any(test, profrt_panic_proof, feature = "hosted", feature = "abi")))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            None
        }
    };
}
pub(crate) use optional;

/// Hides the exported name of an optional function from other images. Stands in the file that defines the function.
macro_rules! provide {
    ($symbol:literal) => {
        #[cfg(feature = "archive")]
        core::arch::global_asm!(concat!(".hidden ", $symbol));
    };
}
pub(crate) use provide;

/// Without the table: all optional functions are linked, or weak symbols find them.
#[cfg(not(all(profrt_archive, not(test))))]
mod table {
    macro_rules! provide_table {
        () => {};
    }
    pub(crate) use provide_table;

    /// Does nothing.
    #[inline(always)]
    pub fn require_table() {}
}
#[cfg(all(profrt_archive, not(test)))]
pub(crate) mod table;

pub(crate) use table::provide_table;
pub use table::require_table;
#[cfg(all(profrt_archive, not(test)))]
pub use table::{entry, place};
