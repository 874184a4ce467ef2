//! What is linked only where something counts values: who writes a dump refers to it weakly, and who counts ([`super::record`]) brings
//! it along. Flash is short on devices, and most firmware has no value sites.

#![allow(unsafe_code)]

/// A function that gives the function of this name, if it is linked. On systems it is; without the C names, which code that counts
/// calls, it is not.
macro_rules! linked {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        $(#[$doc])*
        #[cfg(any(feature = "hosted", test))]
        fn $name() -> Option<$type> {
            Some($function)
        }

        #[cfg(all(not(feature = "hosted"), feature = "abi", not(test)))]
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".hidden ", $symbol));

        $(#[$doc])*
        #[cfg(all(not(feature = "hosted"), feature = "abi", not(test)))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            unsafe extern "C" {
                #[link_name = $symbol]
                static FUNCTION: [u64; 0];
            }
            // Hidden from the optimiser, which takes no static to be at address 0.
            let address: *const u8 = core::hint::black_box((&raw const FUNCTION).cast());
            // SAFETY: null, or the function above: nobody else has that name.
            unsafe { core::mem::transmute::<*const u8, Option<$type>>(address) }
        }

        $(#[$doc])*
        #[cfg(all(not(feature = "hosted"), not(feature = "abi"), not(test)))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            None
        }
    };
}
pub(crate) use linked;
