//! Meaning of the bytes of a raw profile, for all raw versions at once: header, control record, value data.
//!
//! Pure: no operating system, no state; unsafe code only where a header is looked at as an array of its fields. Source of every fact: the public header
//! `profile/InstrProfData.inc` that each clang installs in its resource directory, and the objects clang emits.

pub mod encoding;
pub mod header;
pub mod memop;
pub mod record;
pub mod value;
pub mod value_record;
pub mod version;

pub use encoding::{Encoding, Endian, WordSize};
pub use header::Header;
pub use record::RecordShape;
pub use version::{RawVersion, Variant};
