//! The compiler's bias variables, which move counters and bitmaps in programs that are compiled with `-fprofile-continuous` or
//! `-mllvm -runtime-counter-relocation`.
//!
//! Instrumented code adds the variable to the address of every counter. The compiler defines it in each object that uses it, weak and
//! hidden, and the linker keeps one. The runtime has only a weak *reference*, which is null in all other programs. (A weak definition in
//! the archive, as LLVM's has, would replace the program's one when it comes first or the whole archive is linked.)

#![allow(unsafe_code)]

macro_rules! bias {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use core::sync::atomic::{AtomicIsize, Ordering};

            #[cfg(not(test))]
            core::arch::global_asm!(
                concat!(".weak ", $symbol),
                concat!(".hidden ", $symbol),
                ".weak profrt_defined_by_nobody",
                ".hidden profrt_defined_by_nobody",
            );

            #[cfg(not(test))]
            unsafe extern "C" {
                // An i64; addresses need its low word.
                #[link_name = $symbol]
                static BIAS: [u64; 0];
                // An undefined weak symbol, to compare with: gold leaves a hidden one to the loader, which resolves it to the
                // address where the image was loaded.
                #[link_name = "profrt_defined_by_nobody"]
                static NOTHING: [u64; 0];
            }

            #[cfg(not(test))]
            fn address() -> *const AtomicIsize {
                // Hidden from the optimizer, which assumes that no static is at address 0, and no two are at one address.
                let words: *const u64 = core::hint::black_box((&raw const BIAS).cast());
                let nothing: *const u64 = core::hint::black_box((&raw const NOTHING).cast());
                if words == nothing {
                    return core::ptr::null();
                }
                if words.is_null() || cfg!(target_endian = "little") {
                    return words.cast();
                }
                words.wrapping_add(1).cast::<AtomicIsize>().wrapping_sub(1)
            }

            #[cfg(test)]
            fn address() -> *const AtomicIsize {
                core::ptr::null()
            }

            /// Returns the bias variable, or `None` where the program has none.
            #[inline(never)]
            pub fn variable() -> Option<&'static AtomicIsize> {
                // SAFETY: `address` returns null, or the compiler's variable, an aligned word that only the runtime writes, as an atomic.
                unsafe { address().as_ref() }
            }

            /// Returns the bias as it is now.
            #[inline(never)]
            pub fn now() -> isize {
                variable().map_or(0, |bias| bias.load(Ordering::Relaxed))
            }
        }
    )*};
}

bias! {
    /// Added to the addresses of counters.
    counters = "__llvm_profile_counter_bias"
    /// Added to the addresses of bitmaps (LLVM 20 and up).
    bitmap = "__llvm_profile_bitmap_bias"
}
