//! Where counters and bitmaps really are: the compiler's bias variables, in programs that were compiled with them
//! (`-fprofile-continuous`, `-mllvm -runtime-counter-relocation`).
//!
//! Instrumented code adds the variable to the address of every counter. The compiler defines it in each object that uses it,
//! weak and hidden, and the linker keeps one. Ours is only a weak *reference*: null in all other programs, whatever the order
//! on the linker's command line. (A weak definition of ours, as in LLVM's archive, is taken for the program's one when it comes
//! first or the whole archive is linked.)

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
                // An i64, of which the address needs the low word.
                #[link_name = $symbol]
                static BIAS: [u64; 0];
                // What a weak reference to nothing looks like: gold leaves a hidden one to the loader, which makes it the
                // address where the image was loaded.
                #[link_name = "profrt_defined_by_nobody"]
                static NOTHING: [u64; 0];
            }

            #[cfg(not(test))]
            fn address() -> *const AtomicIsize {
                // Hidden from the optimiser, which takes no static to be at address 0, nor two at the same one.
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

            /// The variable, if the program has one.
            #[inline(never)]
            pub fn variable() -> Option<&'static AtomicIsize> {
                // SAFETY: null, or the program's variable, which instrumented code reads and nobody but us writes.
                unsafe { address().as_ref() }
            }

            /// What is added to addresses now.
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
