//! A profiling runtime in `no_std` Rust that replaces LLVM's `libclang_rt.profile`.
//!
//! Instrumented programs link it; it collects value profiles while they run, and writes raw profiles (`.profraw`) that the
//! stock `llvm-profdata`, `llvm-cov` and `clang -fprofile-use` accept.

#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]

//! # Words of the source
//!
//! | word | means |
//! | --- | --- |
//! | image | an executable or shared object with its own copy of the runtime's data |
//! | section, record, counter, bitmap, value site, name | as in LLVM: `__llvm_prf_data` has the records, `__llvm_prf_cnts` the counters, … |
//! | value node, node list, list head | what one value site has seen: a linked list of values with their counts |
//! | hook | a call of instrumented code that counts a value: `__llvm_profile_instrument_target`, … |
//! | part | one of the kinds of bytes in a profile, from the header to the vtable names: records, counters, bitmaps, … |
//! | plan | offsets, sizes and paddings of the parts of one raw profile |
//! | sink | where the bytes of a profile go: a file, a buffer, a callback, semihosting, lines of text (frames) |
//! | dump | a write of this image's profile, at exit or when the program asks |
//! | raw version | version of the records and of the file, fixed when the archive is built |
//! | mismatch | records of another raw version than the archive's |
//! | profile file | the file that `LLVM_PROFILE_FILE` names |
//! | pool file | a profile file of `%m` or `%Nm`, shared by runs of one program; a private one replaces it for one process |
//! | member | one of the files that a pattern can name: of a pool, of the private files that replace a pool file, or of the numbered files of continuous mode (an archive member is an object file of the archive) |
//! | share | the complete profile of one image and process in a profile file that several of them write to, without `%m` |
//! | run | a process and those that it starts; without `%m` it replaces a file of an earlier run |
//! | round | the time between two resets of the counters; its number is how often they were reset before |
//! | merge | add the counts of a file and ours |
//! | contribution | what a pool holds from this process after its last write to one of the files; before a write: the earlier contribution |
//! | old | of a profile, a file, counts: what the name held before this write |
//! | ours, theirs | of a merge: this image's; those of the profile that is merged with it, in a file or in memory |
//! | live | of counts: in the memory where the program counts, not in a file |
//! | extent | a range of a file that is all hole or all data |
//! | publish | put a complete new file in the place of the name |
//! | identity, fingerprint | of a file: its device and inode; a hash of its state, which a write changes |
//! | temporary file | the file that is being written before it is published; a leftover if its writer was killed |
//! | quarantine | rename a damaged or foreign pool file to `NAME.corrupt-PID`, a `.gcda` file to `NAME.corrupt` |
//! | truncated, damaged, foreign | of a file: cut short; truncated, no profile, or contradicting itself; of another program |
//! | rebase | move an address of an earlier run to where the image is now |
//! | mapping, continuous file | counters mapped onto a file (`%c`), so that each count is in the file at once; home: the address of the mapping |
//! | claim | lock a continuous file for one image, as long as it is mapped, or for a moment to look at it |
//! | stamp | a mark in a continuous file that names the run that counts in it; a time stamp is when a function first ran; gcov's stamp tells builds of an object file apart |
//! | bias | variable of the compiler: the distance from where the linker put counters to where they are now |
//! | evict, decay | what happens to the least frequent value of a full site |
//! | saturate | of a count: stop at 2^56, in `.gcda` files at 2^64 - 1 |
//! | scratch | memory for the time of one write |
//! | optional function | code that is linked only into programs that count values |
//! | hosted | with an operating system; everything else is a device |
//!
//! Conditions of `build.rs`, besides the features of `Cargo.toml`:
//! - `profrt_archive`: `hosted` and `archive`, so linkers pick members of the archive one by one
//! - `profrt_device`: not `hosted`, but `abi`: a device with C names
//! - `profrt_panic_proof`: the archive is optimized as one, to prove that nothing panics; without the two above
//! - `halves`, `no_cas`: the CPU lacks 64-bit atomics; compare-and-swap. Without it interrupts are `masked`, or turned away (`flagged`)
//! - `thread_pointers`: one instruction reads the thread pointer, so that a thread can own the count of a node
//! - `raw = "8"` … `"11"`: the raw version
//! - `kernel_by_number`: system calls bypass the C library; `large_files_by_other_names`: its plain calls take 32-bit offsets
//! - `weak_by_c`: weak variables come from a C file, else from assembly

#![no_std]
#![deny(unsafe_code)]
#![warn(missing_docs)]
// Nearly all of the runtime is called through the C names; devices and raw versions other than 10 use a part of it.
#![cfg_attr(
    any(test, not(feature = "abi"), not(feature = "hosted"), not(raw = "10")),
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

// The operating system
mod os;

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

// Names and messages of hosted systems, and a file that gets its name
#[cfg(feature = "hosted")]
mod filename;
#[cfg(feature = "hosted")]
mod helpers;
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
mod state;

// What happens from start to exit
#[cfg(feature = "hosted")]
#[cfg_attr(not(feature = "archive"), allow(dead_code, reason = "only the archive has the C names"))]
mod gcov;
#[cfg(feature = "hosted")]
mod lifecycle;
#[cfg(feature = "hosted")]
mod output;

// The calls of Rust programs
pub use capture::{capture, capture_counters, capture_counters_frame, capture_frame};
pub use check::{State, check};
pub use error::{Error, Result};
#[cfg(feature = "hosted")]
pub use lifecycle::api::{set_filename, write_file};
pub use reset::reset;
#[cfg(not(feature = "hosted"))]
pub use reset::start;
#[cfg(feature = "hosted")]
#[doc(hidden)]
pub mod internals;

// C names
#[cfg(all(feature = "abi", not(test)))]
mod abi;

// C names that instrumented code calls on devices: for firmware in Rust, which needs no others
#[cfg(all(halves, not(feature = "abi"), target_os = "none", not(test)))]
#[path = "abi/atomic.rs"]
mod atomic;
#[cfg(all(not(feature = "abi"), target_os = "none", not(test)))]
#[path = "abi/runtime.rs"]
mod runtime;
