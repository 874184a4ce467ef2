//! A sink that writes lines of text: a profile goes over a serial line or a debug console on which the program also prints.
//!
//! Each packet is a line of printable ASCII: `~P`, then its bytes in base64 (`A-Z a-z 0-9 + /`, no `=`), then a line feed.
//! A receiver passes on as text any line that does not begin so or has a wrong checksum. Numbers are little-endian on all devices.
//!
//! | bytes | in every packet |
//! | --- | --- |
//! | 1 | kind: 0 begin, 1 data, 2 end |
//! | 2 | id of the dump: low half of the CRC of the bytes to be sent when the dump began |
//! | 4 | offset: of a data packet's bytes in the dump; of an end packet, the length of the dump; else 0 |
//! | n | begin: version (1), content (0 raw profile, 1 counters), u32 length; data: up to 192 bytes; end: u32 CRC-32 of the dump |
//! | 4 | CRC-32 of all bytes before |
//!
//! A packet holds the offset of its bytes, so a receiver sees which bytes are lost, and packets may come in any order. Sending a dump again
//! fills the gaps, from any offset on ([`Frame::new`]'s `from`).

#![allow(unsafe_code)]

use super::crc::{Checksum, Crc};
use super::latch::Latch;
use super::{Sink, in_turn};
use crate::error::Result;
use crate::span::Span;

/// Largest number of the dump's bytes in a data packet.
pub const PAYLOAD: u32 = 192;
/// Version of this format.
pub const VERSION: u8 = 1;

/// The contents of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DumpContent {
    /// A whole raw profile.
    Raw = 0,
    /// Counters only ([`crate::compact`]).
    Counters = 1,
}

/// Kinds of packets.
const BEGIN: u8 = 0;
const DATA: u8 = 1;
const END: u8 = 2;

/// Encodes a dump as lines for another sink. The latch is the first field, so that its address is that of the frame, which the functions keep
/// in a register anyway; then come the small fields, which small CPUs reach with short instructions only near the beginning.
#[repr(C)]
pub struct Frame<'a> {
    to: Latch<'a>,
    /// Kind of the packet that is being written.
    kind: u8,
    /// Number of bits that have no character yet.
    pending: u8,
    /// Those bits, in the lowest places.
    bits: u16,
    /// Number of bytes so far in the packet of the next byte.
    filled: u8,
    /// Whether that packet is sent.
    sent: bool,
    /// Id of the dump.
    id: u16,
    /// CRC of the packet that is being written.
    packet: Crc,
    /// CRC of the dump.
    dump: Crc,
    /// Offset of the next byte in the dump.
    at: u32,
    /// Offset before which data is left out.
    from: u32,
}

impl<'a> Frame<'a> {
    /// Creates a frame for the dump that `checksum` was computed from. Data before the offset `from` is left out. Nothing is written yet.
    #[inline]
    pub fn new(sink: &'a mut dyn Sink, checksum: &Checksum, from: u32) -> Frame<'a> {
        let (to, packet, dump, id) = (Latch::new(sink), Crc::new(), Crc::new(), checksum.crc.value() as u16);
        Frame { to, packet, dump, at: 0, from, id, bits: 0, pending: 0, kind: BEGIN, filled: 0, sent: false }
    }

    /// Writes the first packet.
    pub fn begin(&mut self, content: DumpContent, len: u32) -> Result {
        self.open();
        self.number(u32::from(VERSION) | (content as u32) << 8, 2);
        self.number(len, 4);
        self.close();
        self.to.result
    }

    /// Writes the last packets.
    pub fn end(&mut self) -> Result {
        if self.filled > 0 && self.sent {
            self.close();
        }
        self.kind = END;
        self.open();
        self.number(self.dump.value(), 4);
        self.close();
        self.to.result
    }

    /// Begins a packet. Its kind and its offset are in `self`, since arguments would take stack.
    #[inline(never)]
    fn open(&mut self) {
        self.packet = Crc::new();
        self.to.byte(b'~');
        self.to.byte(b'P');
        self.number(u32::from(self.kind) | u32::from(self.id) << 8, 3);
        self.number(self.at, 4);
    }

    /// Ends a packet.
    #[inline(never)]
    fn close(&mut self) {
        self.number(self.packet.value(), 4);
        if self.pending > 0 {
            self.to.byte(digit(self.bits << 6u8.wrapping_sub(self.pending)));
        }
        (self.bits, self.pending) = (0, 0);
        self.to.byte(b'\n');
    }

    /// Writes the `bytes` lowest bytes of a number.
    #[inline(never)]
    fn number(&mut self, mut number: u32, mut bytes: u32) {
        while bytes > 0 {
            bytes = bytes.wrapping_sub(1);
            let byte = number as u8;
            number >>= 8;
            self.packet.add(byte);
            self.bits = self.bits << 8 | u16::from(byte);
            self.pending = self.pending.wrapping_add(8);
            while self.pending >= 6 {
                self.pending = self.pending.wrapping_sub(6);
                self.to.byte(digit(self.bits >> self.pending));
            }
        }
    }

    /// Writes a byte of the dump.
    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        self.dump.add(byte);
        if self.filled == 0 {
            // A packet that ends before `from` is not sent.
            self.sent = self.at.saturating_add(PAYLOAD) > self.from;
            if self.sent {
                self.kind = DATA;
                self.open();
            }
        }
        self.at = self.at.wrapping_add(1);
        self.filled = self.filled.wrapping_add(1);
        if self.sent {
            self.number(byte.into(), 1);
        }
        if u32::from(self.filled) == PAYLOAD {
            self.filled = 0;
            if self.sent {
                self.close();
            }
        }
    }
}

/// Returns the base64 character of the six lowest bits.
fn digit(bits: u16) -> u8 {
    let six = (bits & 63) as u8;
    match six {
        0..26 => six.wrapping_add(b'A'),
        26..52 => six.wrapping_add(b'a' - 26),
        52..62 => six.wrapping_sub(52).wrapping_add(b'0'),
        62 => b'+',
        _ => b'/',
    }
}

impl Sink for Frame<'_> {
    unsafe fn put(&mut self, mut span: Span) -> Result {
        while span.len > 0 {
            // SAFETY: within a span that is readable by this function's contract. Volatile: others may write to it.
            let byte = unsafe { span.start.read_volatile() };
            span = Span { start: span.start.wrapping_add(1), len: span.len.wrapping_sub(1) };
            self.byte(byte);
        }
        self.to.result
    }

    in_turn! {}
}
