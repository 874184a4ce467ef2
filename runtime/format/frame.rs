//! A dump as lines of text, for a serial line or a debug console on which the program also prints.
//!
//! Each packet is a line of printable ASCII: [`MARK`], then its bytes in base64 (`A-Z a-z 0-9 + /`, no `=`), then a line feed.
//! A receiver passes on as text any line that does not begin so or has a wrong checksum. Numbers are little-endian on all devices.
//!
//! | bytes | in every packet |
//! | --- | --- |
//! | 1 | kind: [`BEGIN`], [`DATA`] or [`END`] |
//! | 2 | id of the dump: low half of the CRC of the bytes to be sent when the dump began |
//! | 4 | offset: of a data packet's bytes in the dump; of an end packet, the length of the dump; else 0 |
//! | n | begin: [`VERSION`], [`DumpContent`], u32 length; data: up to [`PAYLOAD`] bytes; end: u32 CRC-32 of the dump |
//! | 4 | CRC-32 of all bytes before |
//!
//! A packet holds the offset of its bytes, so a receiver sees which bytes are lost, and packets may come in any order.

/// The first characters of a packet's line.
pub const MARK: [u8; 2] = *b"~P";
/// Largest number of the dump's bytes in a data packet.
pub const PAYLOAD: u32 = 192;
/// Version of this format.
pub const VERSION: u8 = 1;

/// Kind of the packet that begins a dump.
pub const BEGIN: u8 = 0;
/// Kind of a packet with bytes of the dump.
pub const DATA: u8 = 1;
/// Kind of the packet that ends a dump.
pub const END: u8 = 2;

/// The contents of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DumpContent {
    /// A complete raw profile.
    Raw = 0,
    /// Counters only ([`crate::compact`]).
    Counters = 1,
}
