//! A profiling runtime in `no_std` Rust that replaces LLVM's `libclang_rt.profile`.
//!
//! Instrumented programs link it; it keeps value profiles while they run, and writes raw profiles (`.profraw`) that the
//! stock `llvm-profdata`, `llvm-cov` and `clang -fprofile-use` accept. Read on in the order of the modules: each uses
//! those above it.

#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![allow(clippy::new_without_default, reason = "places of several kilobytes are made as statics only")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(test)]
extern crate std;

// What everything is made of.
pub mod copy;
pub mod error;
pub mod span;
pub mod sync;

// Meaning of the bytes, where they live, and the one plan of the file.
pub mod format;
pub mod layout;
pub mod sections;

// The values that sites see.
pub mod value;

// Is it ours; back to the start.
pub mod mismatch;
pub mod reset;
pub mod state;

// Bytes on their way out.
pub mod dump;
pub mod raw;
pub mod sink;

// Dumps without files, and whether all is in place for them.
pub mod capture;
pub use capture::capture;
pub mod check;
pub mod compact;

// Counts of other runs.
pub mod merge;

// The rooms of hosted systems.
#[cfg(feature = "hosted")]
pub mod continuous;
#[cfg(feature = "hosted")]
pub mod filename;
#[cfg(feature = "hosted")]
pub mod helpers;
#[cfg(feature = "hosted")]
pub mod path;
#[cfg(feature = "hosted")]
pub mod publish;
#[cfg(feature = "hosted")]
pub mod report;

// From start to exit.
#[cfg(feature = "hosted")]
pub mod lifecycle;

// The floor, and the skin.
#[cfg(all(feature = "abi", not(test)))]
pub mod abi;
pub mod os;

// The names that instrumented code asks for on devices, for firmware in Rust, which needs no others.
#[cfg(all(halves, not(feature = "abi"), target_os = "none", not(test)))]
#[path = "abi/atomic.rs"]
mod atomic;
#[cfg(all(not(feature = "abi"), target_os = "none", not(test)))]
#[path = "abi/runtime.rs"]
mod runtime;
