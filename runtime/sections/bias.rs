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

            crate::link::weak_address! { address = $symbol }

            /// Returns the bias variable, or `None` where the program has none.
            #[inline(never)]
            pub fn variable() -> Option<&'static AtomicIsize> {
                // An i64; addresses need its low word.
                let words = address::<[AtomicIsize; 8 / size_of::<usize>()]>();
                // SAFETY: null, or the compiler's variable, an aligned word that only the runtime writes, as an atomic.
                let words = unsafe { words.as_ref() }?;
                if cfg!(target_endian = "little") { words.first() } else { words.last() }
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
