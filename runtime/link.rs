//! What object formats and linkers decide: section bounds, notes with build ids, and the binding and visibility of symbols. One file an object
//! format; nothing else in the runtime has assembler directives, or names sections but for the table in `format/parts.rs`.
//!
//! A format's file defines, or takes from `without_elf`:
//!
//! - the macros `hide`, `at_start`, `at_end`, `bring`, `bring_calls`, `mark`, `comment`, `weak_address` and `variable`; `weak` on Unix systems;
//!   `variable_address` with `weak_by_reference`
//! - `opaque`, on Unix systems
//! - a module for each named section of `sections!`, with `span` and, for devices, `linked`
//! - `records_are_elsewhere`, `notes::{spans, build_id, loaded_range}`
//!
//! It needs its `mod` and `pub use` here, and a column of names in `sections!` if they differ (`in_this_format!`).
//!
//! Only ELF has `whole_pages` and `shared_words`; only COFF `library`, `symbol`, `word`, `NOTHING` and `is_library`.

#![allow(unused_macros, reason = "only the archive has sections of its own")]

/// The sections: those that are parts of a profile, and others.
macro_rules! sections {
    ($each:ident) => {
        profrt_format::sections! { $each
            /// The value nodes that the compiler reserves.
            vnodes = "__llvm_prf_vnds" (".lprfnd", "dw", 8)
            /// The compiler's heads of value sites.
            vheads = "__llvm_prf_vals" (".lprfv", "dw", 8)
            /// gcov's write-out and reset functions.
            covinit = "__llvm_covinit" (".lcovd", "dw", 8)
            /// Order file instrumentation (clang 19 and before).
            orderfile = "__llvm_orderfile" (".lorder", "dw", 8)
        }
    };
}

/// Expands to the one of two names that the object format has.
#[cfg(not(any(coff, macho)))]
macro_rules! in_this_format {
    ($name:literal, $coff:literal) => {
        $name
    };
}
#[cfg(coff)]
macro_rules! in_this_format {
    ($name:literal, $coff:literal) => {
        concat!($coff, "$M")
    };
}
#[cfg(macho)]
macro_rules! in_this_format {
    ($name:literal, $coff:literal) => {
        concat!("__DATA,", $name)
    };
}

/// Defines [`section`] from the table.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident $([$($part:tt)*])?
        $(= $section:literal ($coff:literal $($flags:tt)*) $(=> $registered:ident)?)?)*) => {
        /// Expands to the name of a section. (In textual scope: a macro that a macro has defined has no path.)
        macro_rules! section {
            $($(($name) => { in_this_format!($section, $coff) };)?)*
        }
    };
}
sections!(names);

pub mod build_id;
#[cfg(coff)]
mod coff;
#[cfg(elf)]
mod elf;
#[cfg(macho)]
mod macho;
#[cfg(wasm)]
mod wasm;

pub use build_id::MAX_NOTE_SEGMENTS;
#[cfg(coff)]
pub use coff::*;
#[cfg(elf)]
pub use elf::*;
#[cfg(macho)]
pub use macho::*;
#[cfg(wasm)]
pub use wasm::*;

#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod registered {
    //! Bounds of what objects have registered (`abi::register`): the control records, their counters and the function names.

    use crate::span::Span;
    use crate::sync::{AtomicUsize, Ordering};

    /// Bounds of one section: the lowest address, and the end of the highest object; 0 while nothing is registered.
    pub struct Bounds {
        from: AtomicUsize,
        to: AtomicUsize,
    }

    impl Bounds {
        /// Creates empty bounds.
        pub const fn new() -> Bounds {
            Bounds { from: AtomicUsize::new(0), to: AtomicUsize::new(0) }
        }

        /// Extends the bounds to the `len` bytes at `from`. Constructors call it one after the other, before there are threads.
        pub fn grow(&self, from: usize, len: usize) {
            let known = self.from.load(Ordering::Relaxed);
            if known == 0 || from < known {
                self.from.store(from, Ordering::Relaxed);
            }
            let end = from.wrapping_add(len);
            if end > self.to.load(Ordering::Relaxed) {
                self.to.store(end, Ordering::Relaxed);
            }
        }

        /// Returns the bytes from the lowest to the highest address.
        #[inline(always)]
        pub fn span(&self) -> Span {
            Span::between(self.from.load(Ordering::Relaxed) as *const u8, self.to.load(Ordering::Relaxed) as *const u8)
        }
    }

    /// Index of the control records' bounds in [`AllBounds`].
    pub const DATA: usize = 0;
    /// Index of the counters' bounds in [`AllBounds`].
    pub const COUNTERS: usize = 1;
    /// Index of the function names' bounds in [`AllBounds`].
    pub const NAMES: usize = 2;

    /// The bounds of everything that objects of this image have registered.
    pub type AllBounds = [Bounds; 3];
}

#[cfg(not(elf))]
mod without_elf {
    //! What only ELF has, for the other object formats: directives that do nothing, and no notes.

    #![allow(unused_imports, unused_macros, reason = "some builds have no C names")]

    use super::MAX_NOTE_SEGMENTS;
    use crate::span::Span;

    /// Does nothing: an image exports what it is told to.
    macro_rules! hide {
        ($($name:expr),*) => {};
    }

    /// Does nothing. So the linker does not take a call to which a program has only weak references.
    macro_rules! bring_calls {
        ($($name:expr),*) => {};
    }

    /// Does nothing: there are no destructors, only exit handlers.
    macro_rules! at_end {
        ($function:path) => {};
    }

    /// Does nothing.
    macro_rules! comment {
        ($raw:expr) => {};
    }

    /// Does nothing, but for WebAssembly: what would have to be linked by its name is linked in every program.
    macro_rules! bring {
        ($($name:expr),*) => {};
    }

    /// Does nothing: nobody refers to the symbol.
    macro_rules! mark {
        ($name:expr) => {};
    }

    /// Defines a function that returns null.
    macro_rules! weak_address {
        ($name:ident = $symbol:expr) => {
            #[inline(always)]
            fn $name<T>() -> *const T {
                core::ptr::null()
            }
        };
    }

    pub(crate) use {at_end, bring, bring_calls, comment, hide, mark, weak_address};

    /// Returns `false`.
    pub fn records_are_elsewhere() -> bool {
        false
    }

    /// Returns no notes: an image has none in its memory.
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        [Span::EMPTY; MAX_NOTE_SEGMENTS]
    }

    /// Returns no build id.
    pub fn build_id() -> Span {
        Span::EMPTY
    }
}
