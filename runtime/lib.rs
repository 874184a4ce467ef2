//! A profiling runtime in `no_std` Rust that replaces LLVM's `libclang_rt.profile`.
//!
//! Instrumented programs link it; it collects value profiles while they run, and writes raw profiles (`.profraw`) that the
//! stock `llvm-profdata`, `llvm-cov` and `clang -fprofile-use` accept.

#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]
#![no_std]
#![cfg_attr(experimental_asm, feature(asm_experimental_arch))]
#![deny(unsafe_code)]
#![warn(missing_docs)]
// Nearly all of the runtime is called through the C names; devices and raw versions other than 10 use a part of it.
#![cfg_attr(
    any(test, not(complete), not(feature = "abi"), not(since = "10"), since = "11"),
    allow(dead_code, unused_imports)
)]
#![allow(clippy::new_without_default, reason = "values of several kilobytes are made only as statics")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(test)]
extern crate std;

// Modules use those of their own section and of the sections above; `cargo xtask audit` checks it.

// Basic types
mod copy;
mod error;
#[cfg(feature = "hosted")]
mod path;
mod span;
mod sync;
#[doc(hidden)]
pub use profrt_format as format;

// The object format
#[macro_use]
mod link;

// The operating system, and statics that several modules share
mod os;
mod state;

// The raw version of this archive, the sections of this image
mod native;
mod sections;

// Sinks and value profiling
pub mod sink;
mod value;

// Writing a raw profile, to any sink and to buffers
mod dump;
mod raw;

// Checks, and dumps without files
mod capture;
mod check;
mod compact;
mod mismatch;

// Merging counts of other runs
mod merge;

// Hosted systems: messages, names, a file that gets its name
#[cfg(feature = "hosted")]
mod filename;
#[cfg(feature = "hosted")]
mod name;
#[cfg(feature = "hosted")]
mod publish;
#[cfg(feature = "hosted")]
mod report;

// Reset, and counters that are pages of a file
#[cfg(feature = "hosted")]
mod continuous;
mod reset;

// The state of the profile file of this image
#[cfg(feature = "hosted")]
mod output;

// What happens from start to exit
#[cfg(complete)]
#[cfg_attr(not(feature = "archive"), allow(dead_code, reason = "only the archive has the C names"))]
mod gcov;
#[cfg(feature = "hosted")]
mod lifecycle;

// The calls of Rust programs
pub use capture::{capture, capture_counters, capture_counters_frame, capture_frame};
pub use check::{State, check};
pub use error::{Error, Result};
#[cfg(feature = "hosted")]
pub use lifecycle::api::{set_filename, write_file};
pub use merge::into_memory::merge;
pub use reset::reset;
#[cfg(not(feature = "hosted"))]
pub use reset::start;
#[cfg(feature = "hosted")]
#[doc(hidden)]
pub mod internals;

// C names
#[cfg(all(feature = "abi", not(test)))]
mod abi;

// C names that instrumented code calls: for Rust, which needs no others
#[cfg(all(calls_runtime, not(feature = "abi"), not(test)))]
#[path = "abi/runtime.rs"]
mod runtime;

// Words of the source. Sections, records, counters, bitmaps, value sites and names are LLVM's.
//
// image            an executable or shared object, with its own copy of the runtime's data
// part, plan       a kind of bytes in a profile (header, records, counters, ...); the offsets, sizes and paddings of all parts
// sink             where the bytes of a profile go: a file, a buffer, a callback, semihosting, lines of text (frames)
// dump             a write of this image's profile, at exit or when the program asks
// raw version      that of records and files, fixed when the archive is built; a mismatch is an object of another one
// hook             a call of instrumented code that counts a value
// value node       a value of a site and its count; the nodes of a site are a linked list, which starts at its list head
// evict, decay     what happens to the least frequent value of a full site
// optional function  code that is linked only into programs that count values
// profile file     the file that `LLVM_PROFILE_FILE` names; with `%m` a pool file, to which runs of one program add
// run              a process and those that it starts; the first process removes the file of an earlier run
// merge            add the counts of a file and ours; live counts are those in memory
// rebase           move an address of an earlier run to where the image is now
// saturate         of a count: stop at 2^56, in `.gcda` files at 2^64 - 1
// contribution     what this image has written under the current name since the last reset
// publish          put a complete new file in the place of the name, or a complete profile after others (placeholder: until then)
// second name      `.NAME.profrt`, which a new file has until it is exchanged with the old one
// snapshot, window  a copy of the counters at a write; the part of many counters that a merge has in memory at a time
// beside           of a plain profile: in `NAME-PID`, because the file with the name is not ours to merge
// truncated, damaged, foreign  of a file: cut short; no profile, or contradicting itself; of another program
// continuous file  counters mapped onto a file (`%c`), so that each count is in it at once; slot: a name, with its number
// claim, adopt, renew  of a continuous file: take a free name; take over an unlocked pool file; replace the file that this process counts in
// bias             variable of the compiler: the distance from where the linker put counters to where they are now
// scratch          memory for the time of one write
// hosted           with an operating system; everything else is a device
//
// Conditions of `build.rs`, besides the features of `Cargo.toml`:
// elf, wasm, coff, macho  the object format; drive_letters: directories end with `\` or `:`, too; experimental_asm: of the compiler
// complete            hosted, with all of LLVM's archive for Linux: `--coverage`, `_exit` wrapped by the linker, pages of counters
// calls_runtime       instrumented code itself refers to names of the runtime; short_distances: those between sections have 32 bits
// profrt_archive      `hosted` and `archive`, so linkers pick members of the archive one by one
// profrt_device       not `hosted`, but `abi`: a device with C names
// profrt_panic_proof  the archive is optimized as one, to prove that nothing panics; without the two above
// halves, no_cas      the CPU lacks 64-bit atomics; compare-and-swap. Without it interrupts are `masked`, or turned away (`flagged`)
// cortex_m, thumb     by which instruction a program calls a debugger
// thread_pointers     one instruction reads the thread pointer, so that a thread can own the count of a node
// since = "8"...      the raw version is this one or a later one
// kernel_by_number    system calls bypass the C library; `large_files_by_other_names`: its plain calls take 32-bit offsets
// weak_by_c           weak variables come from a C file, else from assembly; `weak_by_reference`: nowhere, so references are weak
