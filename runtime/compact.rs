//! Writes the counters of an image without its records and names, in the format of [`crate::format::compact`].

#![allow(unsafe_code)]

use crate::error::Result;
use crate::format::compact::{ADDRESS, BIG_ENDIAN, MAGIC, VALUES, VERSION, WIDE};
use crate::format::{Variant, WordSize};
use crate::link;
use crate::sections::variables;
use crate::sink::Sink;
use crate::sink::crc::Crc;
use crate::sink::latch::Latch;
use crate::span::Span;
use crate::value::linked;

/// Images on systems may have been loaded anywhere; on devices they are where the linker put them.
const MOVES: bool = cfg!(feature = "hosted");

/// Writes the counters of this image. None of the steps keeps memory for the next.
#[inline(never)]
pub fn write(sink: &mut dyn Sink) -> Result {
    let mut to = CompactWriter { to: Latch::new(sink), crc: Crc::new() };
    let values = linked::write_compact();
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
use link::{bitmap::span as live_bitmap, counters::span as live_counters};

struct CompactWriter<'a> {
    to: Latch<'a>,
    crc: Crc,
}

impl CompactWriter<'_> {
    /// Writes the header.
    #[inline(never)]
    fn head(&mut self, values: u8) {
        let wide = if WordSize::NATIVE == WordSize::W64 { WIDE } else { 0 };
        let order = if cfg!(target_endian = "big") { BIG_ENDIAN } else { 0 };
        let address = if MOVES { ADDRESS } else { 0 };
        let [a, b, c, d] = MAGIC;
        self.bytes(Span::of(&[a, b, c, d, VERSION, wide | order | address | values]));
        let id = link::notes::build_id();
        self.number(id.len as u64);
        self.bytes(id);
        self.number(variables::raw_version());
        if MOVES {
            self.number(link::counters::span().address());
        }
    }

    /// Writes the checksum.
    #[inline(never)]
    fn end(&mut self) {
        let crc = self.crc.value().to_le_bytes();
        self.bytes(Span::of(&crc));
    }

    /// Writes a section of counters of `size` bytes, 1 or 8. Inverts the bits `turned` of each byte.
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

    /// Writes one number in one call: sinks that need larger pieces have memory of their own.
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
