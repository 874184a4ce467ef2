//! The counters of an image without its records and names, in few bytes: for devices that keep the rest in the ELF file on the
//! host, where `profrt device rebuild` makes a raw profile of both.
//!
//! All numbers are LEB128 (seven bits a byte, the lowest first) unless a width is given.
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | [`MAGIC`] |
//! | 1 | [`VERSION`] |
//! | 1 | flags: [`WIDE`], [`BIG_ENDIAN`], [`VALUES`], [`ADDRESS`] |
//! | | length of the build id, then its bytes; 0: none |
//! | | raw version with its variant flags |
//! | | with [`ADDRESS`]: where the counters are linked or were loaded, for a program that can be anywhere |
//! | | bytes of counters, then the counters: words, or inverted bytes, so that 0 is "not covered" |
//! | | bytes of bitmaps, then the bytes |
//! | | with [`VALUES`]: for each record that has values: its distance from the one before it (from -1 for the first); then for each |
//! | | of its sites the number of values, and each value and its count; after the last record 0 |
//! | 4 | CRC-32 of all bytes before, little-endian |
//!
//! Counters and bitmaps are coded as numbers, and a 0 is followed by one less than the number of zeros it stands for.

/// The first bytes.
pub const MAGIC: [u8; 4] = *b"PRFC";
/// Version of this format.
pub const VERSION: u8 = 1;
/// Flag: pointers have 64 bits.
pub const WIDE: u8 = 1;
/// Flag: the device is big-endian.
pub const BIG_ENDIAN: u8 = 2;
/// Flag: values follow.
pub const VALUES: u8 = 4;
/// Flag: the address of the counters follows.
pub const ADDRESS: u8 = 8;
