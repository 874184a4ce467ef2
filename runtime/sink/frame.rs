//! A sink for lines of text: a profile goes over a serial line or a debug console on which the program also prints.
//!
//! Each packet is a line of printable ASCII: `~P`, then its bytes in base64 (`A-Z a-z 0-9 + /`, no `=`), then a line feed.
//! What does not begin so, or whose checksum is wrong, is not ours: a receiver hands it on as text. Numbers are
//! little-endian, whatever the device is.
//!
//! | bytes | in every packet |
//! | --- | --- |
//! | 1 | kind: 0 begin, 1 data, 2 end |
//! | 2 | which dump it belongs to: low half of the checksum of what was to be sent when the dump began |
//! | 4 | offset: of a data packet's bytes in the dump; of an end packet, the length of the dump; else 0 |
//! | n | begin: version (1), content (0 raw profile, 1 counters), u32 length; data: up to 192 bytes; end: u32 CRC-32 of the dump |
//! | 4 | CRC-32 of all bytes before |
//!
//! A packet says where its bytes belong, so a receiver sees what is lost and does not mind in which order packets come; a
//! dump that is sent once more fills the gaps, from any offset on ([`Frame::new`]'s `from`).

#![allow(unsafe_code)]

use super::Sink;
use super::crc::{Checksum, Crc};
use crate::error::{Error, Result};
use crate::span::Span;

/// Bytes of the dump in a data packet.
pub const PAYLOAD: u32 = 192;
/// Version of this format.
pub const VERSION: u8 = 1;

/// What a dump holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Content {
    /// A whole raw profile.
    Raw = 0,
    /// Counters only ([`crate::compact`]).
    Counters = 1,
}

/// Kinds of packets.
const BEGIN: u8 = 0;
const DATA: u8 = 1;
const END: u8 = 2;

/// Turns bytes into lines for another sink.
pub struct Frame<'a> {
    sink: &'a mut dyn Sink,
    /// Bits that have no character yet, and how many.
    bits: u8,
    pending: u8,
    /// Of the packet that is being written.
    packet: Crc,
    /// Of the dump.
    dump: Crc,
    at: u32,
    from: u32,
    id: u16,
}

impl<'a> Frame<'a> {
    /// Begins a dump of what `checksum` has seen. Data before the offset `from` is left out.
    pub fn new(sink: &'a mut dyn Sink, content: Content, checksum: &Checksum, from: u32) -> Result<Frame<'a>> {
        let mut frame = Frame::before(sink, checksum, from);
        frame.begin(content, checksum.len)?;
        Ok(frame)
    }

    /// The same, before anything is written: so that it stays in its place.
    #[inline]
    pub fn before(sink: &'a mut dyn Sink, checksum: &Checksum, from: u32) -> Frame<'a> {
        let id = checksum.crc.value() as u16;
        Frame { sink, bits: 0, pending: 0, packet: Crc::new(), dump: Crc::new(), at: 0, from, id }
    }

    /// The first packet.
    pub fn begin(&mut self, content: Content, len: u32) -> Result {
        self.open(BEGIN, 0)?;
        self.number(u32::from(VERSION) | (content as u32) << 8, 2)?;
        self.number(len, 4)?;
        self.close()
    }

    /// Ends the dump.
    pub fn finish(mut self) -> Result {
        self.end()
    }

    /// The last packets.
    pub fn end(&mut self) -> Result {
        if !self.at.is_multiple_of(PAYLOAD) && self.is_sent(self.at.wrapping_sub(1)) {
            self.close()?;
        }
        let (len, crc) = (self.at, self.dump.value());
        self.open(END, len)?;
        self.number(crc, 4)?;
        self.close()
    }

    /// Whether the packet with this byte of the dump is sent: not when all of it is before `from`.
    fn is_sent(&self, at: u32) -> bool {
        let end = at.wrapping_sub(at % PAYLOAD).saturating_add(PAYLOAD);
        end > self.from
    }

    #[inline(always)]
    fn open(&mut self, kind: u8, offset: u32) -> Result {
        self.packet = Crc::new();
        self.text(b"~P")?;
        self.number(u32::from(kind) | u32::from(self.id) << 8, 3)?;
        self.number(offset, 4)
    }

    #[inline(always)]
    fn close(&mut self) -> Result {
        self.number(self.packet.value(), 4)?;
        if self.pending > 0 {
            let last = digit(u32::from(self.bits) << 6u8.wrapping_sub(self.pending));
            self.text(&[last])?;
        }
        (self.bits, self.pending) = (0, 0);
        self.text(b"\n")
    }

    /// The low bytes of a number.
    #[inline(never)]
    fn number(&mut self, mut number: u32, bytes: u32) -> Result {
        for _ in 0..bytes {
            let byte = number as u8;
            number >>= 8;
            self.packet.add(byte);
            // At most four bits are left of the byte before.
            let bits = u32::from(self.bits) << 8 | u32::from(byte);
            let pending = u32::from(self.pending).wrapping_add(8);
            let (first, second) = (digit(bits >> pending.wrapping_sub(6)), digit(bits));
            let two = pending == 12;
            self.pending = if two { 0 } else { pending.wrapping_sub(6) as u8 };
            self.bits = bits as u8 & ((1 << self.pending) - 1);
            let both = [first, second];
            self.text(both.get(..if two { 2 } else { 1 }).unwrap_or(&[]))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8]) -> Result {
        // SAFETY: characters of our own.
        unsafe { self.sink.write(&[Span::of(text)]) }
    }
}

/// The character for six bits.
fn digit(bits: u32) -> u8 {
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
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans {
            for place in 0..span.len {
                // SAFETY: within a span that is readable by this function's contract. Volatile: others may write to it.
                let byte = unsafe { span.start.wrapping_add(place).read_volatile() };
                self.dump.add(byte);
                let at = self.at;
                self.at = at.checked_add(1).ok_or(Error::Overflow)?;
                if !self.is_sent(at) {
                    continue;
                }
                if at.is_multiple_of(PAYLOAD) {
                    self.open(DATA, at)?;
                }
                self.number(byte.into(), 1)?;
                if self.at.is_multiple_of(PAYLOAD) {
                    self.close()?;
                }
            }
        }
        Ok(())
    }
}
