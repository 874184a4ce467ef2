//! The host's side of profrt: receives profiles from devices, rebuilds them from memory, and checks files.
//!
//! What the bytes mean and how long each part is comes from the runtime's own `format` and `layout`; nothing here computes a size
//! of a raw profile.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// A profile in memory, and how it becomes a file.
pub mod raw;

// Is it whole?
pub mod check;

// From an ELF file and memory.
pub mod rebuild;

// From a device.
pub mod receive;

// LLVM's tool, replaced.
pub mod llvm_profdata;

pub mod text;
