//! The counters of an image without its records and names, in few bytes: for devices that keep the rest in the ELF file on the
//! host, where `profrt rebuild` makes a raw profile of both.
//!
//! All numbers are LEB128 (seven bits a byte, the lowest first) unless a width is given.
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | `PRFC` |
//! | 1 | version of this format: 1 |
//! | 1 | bit 0: pointers have 64 bits; bit 1: the device is big-endian; bit 2: values follow; bit 3: the address of the counters does |
//! | | length of the build id, then its bytes; 0: none |
//! | | raw version with its variant flags |
//! | | with bit 3: where the counters are linked or were loaded: of a program that can be anywhere |
//! | | bytes of counters, then the counters: words, or bytes turned over, so that 0 is "not covered" |
//! | | bytes of bitmaps, then the bytes |
//! | | with bit 2: for each record that has values: its distance from the one before it (from -1 for the first); then for each |
//! | | of its sites the number of values, and each value and its count; behind the last record 0 |
//! | 4 | CRC-32 of all bytes before, little-endian |
//!
//! Counters and bitmaps are coded as numbers, and a 0 is followed by one less than the number of zeros it stands for.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::format::{Variant, WordSize};
use crate::sections::{elf, variables};
use crate::sink::Sink;
use crate::sink::crc::Crc;
use crate::sink::latch::Latch;
use crate::span::Span;
use crate::value::optional::optional;
use crate::value::writer::compact;

/// How the bytes begin.
pub const MAGIC: [u8; 4] = *b"PRFC";
/// Version of this format.
pub const VERSION: u8 = 1;
/// Pointers have 64 bits.
pub const WIDE: u8 = 1;
/// The device is big-endian.
pub const BIG_ENDIAN: u8 = 2;
/// Values follow.
pub const VALUES: u8 = 4;
/// The address of the counters follows.
pub const ADDRESS: u8 = 8;

/// Images on systems may have been loaded anywhere; on devices they are where the linker put them.
const MOVES: bool = cfg!(feature = "hosted");

/// Writes the counters of this image. None of the steps keeps memory for the next.
#[inline(never)]
pub fn write(sink: &mut dyn Sink) -> Result {
    let mut to = CompactWriter { to: Latch::new(sink), crc: Crc::new() };
    let values = values();
    to.head(if values.is_some() { VALUES } else { 0 });
    let size = Variant(variables::raw_version()).counter_size() as usize;
    to.section(live_counters(), size, 0xff);
    to.section(live_bitmap(), 1, 0);
    if let Some(values) = values {
        values(&mut |number| to.number(number));
    }
    to.end();
    to.to.result
}

#[cfg(feature = "hosted")]
use crate::sections::{live_bitmap, live_counters};
// Nothing moves them.
#[cfg(not(feature = "hosted"))]
use elf::{bitmap::span as live_bitmap, counters::span as live_counters};

optional! {
    /// What writes the values, if anything counts some.
    fn values() -> compact::WriteCompactValues = compact::write_compact_values, "profrt_values_as_numbers";
}

struct CompactWriter<'a> {
    to: Latch<'a>,
    crc: Crc,
}

impl CompactWriter<'_> {
    #[inline(never)]
    fn head(&mut self, values: u8) {
        let wide = if WordSize::NATIVE == WordSize::W64 { WIDE } else { 0 };
        let order = if cfg!(target_endian = "big") { BIG_ENDIAN } else { 0 };
        let address = if MOVES { ADDRESS } else { 0 };
        let [a, b, c, d] = MAGIC;
        self.bytes(Span::of(&[a, b, c, d, VERSION, wide | order | address | values]));
        let id = elf::notes::build_id();
        self.number(id.len as u64);
        self.bytes(id);
        self.number(variables::raw_version());
        if MOVES {
            self.number(elf::counters::span().address());
        }
    }

    #[inline(never)]
    fn end(&mut self) {
        let crc = self.crc.value().to_le_bytes();
        self.bytes(Span::of(&crc));
    }

    /// A section of counters of `size` bytes, 1 or 8; bytes with these bits turned over.
    #[inline(never)]
    fn section(&mut self, section: Span, size: usize, turned: u8) {
        self.number(section.len as u64);
        let mut zeros: usize = 0;
        let mut rest = section;
        while rest.len >= size {
            // SAFETY: within the section; words of counters are aligned. Volatile: the program may go on.
            let number = unsafe {
                match size {
                    1 => u64::from(rest.start.read_volatile() ^ turned),
                    _ => rest.start.cast::<u64>().read_volatile(),
                }
            };
            rest = rest.skip(size);
            if number == 0 {
                zeros = zeros.wrapping_add(1);
            }
            // A run ends before the next other number, or with the section.
            if zeros > 0 && (number != 0 || rest.len < size) {
                self.number(0);
                self.number(zeros.wrapping_sub(1) as u64);
                zeros = 0;
            }
            if number != 0 {
                self.number(number);
            }
        }
    }

    /// In one piece: sinks for which that is too little have memory of their own.
    #[inline(never)]
    fn number(&mut self, mut number: u64) {
        let mut coded = [0; 10];
        let mut len: usize = 0;
        for place in &mut coded {
            *place = number as u8 | 128;
            len = len.wrapping_add(1);
            number >>= 7;
            if number == 0 {
                *place &= 127;
                break;
            }
        }
        self.bytes(Span { start: coded.as_ptr(), len });
    }

    /// Bytes as they are: of our own, or constants of the image.
    #[inline(never)]
    fn bytes(&mut self, bytes: Span) {
        // SAFETY: readable, as all callers are here.
        unsafe {
            self.crc.add_all(bytes);
            self.to.put(bytes);
        }
    }
}
