//! A sink that writes a dump as lines of text, in the format of [`crate::format::frame`]. Sending a dump again fills the gaps of a receiver, from
//! any offset on ([`Frame::new`]'s `from`).

#![allow(unsafe_code)]

use super::crc::{Checksum, Crc};
use super::latch::Latch;
use super::{Sink, in_turn};
use crate::error::Result;
use crate::format::frame::{BEGIN, DATA, DumpContent, END, MARK, PAYLOAD, VERSION};
use crate::span::Span;

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
        let [first, second] = MARK;
        self.to.byte(first);
        self.to.byte(second);
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

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::buffer::Buffer;
    use super::*;

    /// The host tool's tests read the same example.
    #[test]
    fn the_example_of_the_format_is_written() {
        let bytes: Vec<u8> = (0..500u32).map(|number| (number * 7 / 4) as u8).collect();
        let mut text = [0u8; 1024];
        let lines = |text: &mut [u8], from: u32| {
            let mut checksum = Checksum { crc: Crc::new(), len: 0 };
            // SAFETY: `text` outlives the sink, and `bytes` are readable.
            let left = unsafe {
                checksum.put(Span::of(&bytes)).unwrap();
                let mut sink = Buffer::new(text.as_mut_ptr(), text.len());
                let mut frame = Frame::new(&mut sink, &checksum, from);
                frame.begin(DumpContent::Raw, checksum.len).unwrap();
                frame.put(Span::of(&bytes)).unwrap();
                frame.end().unwrap();
                sink.room()
            };
            text.len() - left
        };
        let example = include_bytes!("../format/frame/example.txt");
        let len = lines(&mut text, 0);
        assert_eq!(&text[..len], example);
        // A packet that ends before `from` is left out.
        let len = lines(&mut text, 192);
        let resumed = example.split_inclusive(|byte| *byte == b'\n').enumerate().filter(|(index, _)| *index != 1);
        assert!(text[..len].iter().eq(resumed.flat_map(|(_, line)| line)));
    }
}
