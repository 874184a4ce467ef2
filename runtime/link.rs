//! What object formats and linkers decide: section bounds, notes with build ids, and the binding and visibility of symbols. One file an object
//! format; nothing else in the runtime has assembler directives or names sections.

/// The sections, under our names.
macro_rules! sections {
    ($each:ident) => {
        $each! {
            /// Control records.
            data = "__llvm_prf_data" => DATA
            /// Counters.
            counters = "__llvm_prf_cnts" => COUNTERS
            /// MC/DC bitmaps.
            bitmap = "__llvm_prf_bits"
            /// Function names.
            names = "__llvm_prf_names" => NAMES
            /// Vtable records.
            vtables = "__llvm_prf_vtab"
            /// Vtable names.
            vnames = "__llvm_prf_vns"
            /// The value nodes that the compiler reserves.
            vnodes = "__llvm_prf_vnds"
            /// The compiler's heads of value sites.
            vheads = "__llvm_prf_vals"
            /// gcov's write-out and reset functions.
            covinit = "__llvm_covinit"
            /// Order file instrumentation (clang 19 and before).
            orderfile = "__llvm_orderfile"
        }
    };
}

/// Defines [`section`] from the table.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $section:literal $(=> $registered:ident)?)*) => {
        /// Expands to the name of a section. (In textual scope: a macro that a macro has defined has no path.)
        #[allow(unused_macros, reason = "only the archive has sections of its own")]
        macro_rules! section {
            $(($name) => { $section };)*
        }
    };
}
sections!(names);

pub mod build_id;
#[cfg(not(wasm))]
mod elf;
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod registered;
#[cfg(wasm)]
mod wasm;

pub use build_id::MAX_NOTE_SEGMENTS;
#[cfg(not(wasm))]
pub use elf::*;
#[cfg(wasm)]
pub use wasm::*;
