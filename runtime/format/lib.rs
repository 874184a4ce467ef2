//! What the bytes of LLVM's raw profiles and of profrt's dumps mean.

#![doc = include_str!("README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(test)]
extern crate std;

// Machines and versions
pub mod encoding;
pub mod error;
pub mod version;

// The parts of a raw profile, and their places
pub mod header;
pub mod layout;
pub mod memop;
pub mod parts;
pub mod record;
pub mod value;
pub mod value_record;

// Formats of profrt
pub mod compact;
pub mod crc;
pub mod frame;
pub mod node;

pub use encoding::{Encoding, Endian, WordSize};
pub use error::FormatError;
pub use header::Header;
pub use record::RecordShape;
pub use version::{All, RawVersion, Scope, Variant};
