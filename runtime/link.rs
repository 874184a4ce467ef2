//! What object formats and linkers decide: section bounds, notes with build ids, and the binding and visibility of symbols. One file an object
//! format; nothing else in the runtime has assembler directives or names sections.

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
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod registered;
#[cfg(wasm)]
mod wasm;
#[cfg(not(elf))]
mod without_elf;

pub use build_id::MAX_NOTE_SEGMENTS;
#[cfg(coff)]
pub use coff::*;
#[cfg(elf)]
pub use elf::*;
#[cfg(macho)]
pub use macho::*;
#[cfg(wasm)]
pub use wasm::*;
