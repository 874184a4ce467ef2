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

/// Characters that are handed on at a time.
const PIECE: usize = 16;

/// Turns bytes into lines for another sink.
pub struct Frame<'a> {
    sink: &'a mut dyn Sink,
    text: [u8; PIECE],
    used: usize,
    /// Bits that have no character yet, and how many.
    bits: u32,
    pending: u32,
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
        Frame {
            sink,
            text: [0; PIECE],
            used: 0,
            bits: 0,
            pending: 0,
            packet: Crc::new(),
            dump: Crc::new(),
            at: 0,
            from,
            id,
        }
    }

    /// The first packet.
    pub fn begin(&mut self, content: Content, len: u32) -> Result {
        self.open(BEGIN, 0)?;
        self.byte(VERSION)?;
        self.byte(content as u8)?;
        self.word(len)?;
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
        self.word(crc)?;
        self.close()
    }

    /// Whether the packet with this byte of the dump is sent: not when all of it is before `from`.
    fn is_sent(&self, at: u32) -> bool {
        let end = at.wrapping_sub(at % PAYLOAD).saturating_add(PAYLOAD);
        end > self.from
    }

    #[inline(never)]
    fn open(&mut self, kind: u8, offset: u32) -> Result {
        self.packet = Crc::new();
        self.character(b'~')?;
        self.character(b'P')?;
        self.byte(kind)?;
        self.byte(self.id as u8)?;
        self.byte((self.id >> 8) as u8)?;
        self.word(offset)
    }

    #[inline(never)]
    fn close(&mut self) -> Result {
        let crc = self.packet.value();
        self.word(crc)?;
        if self.pending > 0 {
            let last = self.bits << 6u32.wrapping_sub(self.pending);
            self.digit(last)?;
        }
        (self.bits, self.pending) = (0, 0);
        self.character(b'\n')?;
        self.flush()
    }

    #[inline(always)]
    fn word(&mut self, word: u32) -> Result {
        for place in 0..4 {
            self.byte((word >> (8 * place)) as u8)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn byte(&mut self, byte: u8) -> Result {
        self.packet.add(byte);
        self.bits = self.bits << 8 | u32::from(byte);
        self.pending = self.pending.wrapping_add(8);
        while self.pending >= 6 {
            self.pending = self.pending.wrapping_sub(6);
            self.digit(self.bits >> self.pending)?;
        }
        self.bits &= (1 << self.pending) - 1;
        Ok(())
    }

    #[inline(always)]
    fn digit(&mut self, six: u32) -> Result {
        let six = (six & 63) as u8;
        self.character(match six {
            0..26 => six.wrapping_add(b'A'),
            26..52 => six.wrapping_add(b'a' - 26),
            52..62 => six.wrapping_sub(52).wrapping_add(b'0'),
            62 => b'+',
            _ => b'/',
        })
    }

    #[inline(always)]
    fn character(&mut self, character: u8) -> Result {
        if self.used == PIECE {
            self.flush()?;
        }
        if let Some(place) = self.text.get_mut(self.used) {
            *place = character;
        }
        self.used = self.used.wrapping_add(1);
        Ok(())
    }

    #[inline(never)]
    fn flush(&mut self) -> Result {
        let text = Span::of(self.text.get(..self.used).unwrap_or(&[]));
        self.used = 0;
        // SAFETY: characters of our own.
        unsafe { self.sink.write(&[text]) }
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
                self.byte(byte)?;
                if self.at.is_multiple_of(PAYLOAD) {
                    self.close()?;
                }
            }
        }
        Ok(())
    }
}
