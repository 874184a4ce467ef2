//! Optional functions: they write, merge and reset values, and only programs that count values link them.
//!
//! A dump, a merge and a reset are the same code in all programs, but many programs, and nearly all firmware, have no value sites. So these find
//! the functions for values by weak symbols, and only the hooks have the linker take the archive members that define the symbols:
//!
//! ```text
//! hook  ->  group  ->  profrt_values_reset: pointer to the function  <-  (weak) linked::reset()  <-  reset
//! ```
//!
//! In tests, in the proof that nothing panics and as a crate on a hosted system, where no linker picks archive members, all are linked; on devices
//! without C names none, because nothing calls the hooks.
//!
//! A new function is a line in the table of [`super::linked`] or `merge::linked`. It may not need the C library: programs without one count values
//! too.

/// Whether the linker decides which functions there are.
pub const BY_LINKER: bool = cfg!(all(any(profrt_archive, profrt_device), not(test)));
/// Whether there are all, where the linker does not decide.
pub const ALL: bool = cfg!(any(test, profrt_panic_proof, feature = "hosted"));

/// Defines for each optional function one that returns it, or `None` where it is not linked. `$group` is a symbol to which hooks refer.
macro_rules! optional {
    ($group:literal $($(#[$attribute:meta])* $name:ident: $type:ty = $function:path;)*) => {
        #[cfg(all(any(profrt_archive, profrt_device), not(test)))]
        mod group {
            $crate::link::mark! { $group }
            $($(#[$attribute])* $crate::link::bring!(concat!("profrt_values_", stringify!($name)));)*
        }

        $(
            $(#[$attribute])*
            #[allow(unused_imports, reason = "not every type names something")]
            mod $name {
                use super::*;

                /// The pointer, in an archive member of its own.
                #[cfg(all(any(profrt_archive, profrt_device), not(test)))]
                mod pointer {
                    use super::*;

                    $crate::link::hide!(concat!("profrt_values_", stringify!($name)));
                    #[unsafe(export_name = concat!("profrt_values_", stringify!($name)))]
                    static FUNCTION: $type = $function;
                }

                $crate::link::weak_address! { pointer = concat!("profrt_values_", stringify!($name)) }

                /// Returns the function. Not inlined: the symbol is weak in this archive member only.
                #[inline(never)]
                pub fn linked() -> Option<$type> {
                    match ($crate::value::optional::BY_LINKER, $crate::value::optional::ALL) {
                        // SAFETY: null, or the pointer above, which has this name and type.
                        (true, _) => unsafe { pointer::<$type>().as_ref() }.copied(),
                        (false, true) => Some($function),
                        (false, false) => None,
                    }
                }
            }
            $(#[$attribute])*
            pub use $name::linked as $name;
        )*
    };
}
pub(crate) use optional;
