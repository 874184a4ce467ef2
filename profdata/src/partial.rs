//! Partial results: merged profiles that merge further.

/// The first bytes of a partial result.
pub const MAGIC: [u8; 8] = *b"\xffprfpar\x81";
