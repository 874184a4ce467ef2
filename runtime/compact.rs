//! The counters of an image without its records and names, in few bytes: for devices that keep the rest in the ELF file on the
//! host, where `profrt rebuild` makes a raw profile of both.
//!
//! All numbers are LEB128 (seven bits a byte, the lowest first) unless a width is given.
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | `PRFC` |
//! | 1 | version of this format: 1 |
//! | 1 | bit 0: pointers have 64 bits; bit 1: the device is big-endian; bit 2: values follow |
//! | | length of the build id, then its bytes; 0: none |
//! | | raw version with its variant flags |
//! | | bytes of counters, then the counters: words, or bytes turned over, so that 0 is "not covered" |
//! | | bytes of bitmaps, then the bytes |
//! | | with bit 2: for each record that has values: its distance from the one before it (from -1 for the first); then for each |
//! | | of its sites the number of values, and each value and its count; behind the last record 0 |
//! | 4 | CRC-32 of all bytes before, little-endian |
//!
//! Counters and bitmaps are coded as numbers, and a 0 is followed by one less than the number of zeros it stands for.

#![allow(unsafe_code)]

use crate::sync::Ordering;

use crate::error::Result;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::format::{Variant, Word};
use crate::raw;
use crate::sections::{elf, variables};
use crate::sink::Sink;
use crate::sink::crc::Crc;
use crate::span::Span;
use crate::value::node::{Head, Record, heads, nodes, not_negative, records};

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

/// Writes the counters of this image. None of the steps keeps memory for the next.
#[inline(never)]
pub fn write(sink: &mut dyn Sink) -> Result {
    let mut to = Writer { sink, crc: Crc::new() };
    // Looked at once: the head says it, and the rest must be so.
    let any = valued().1;
    to.head(any)?;
    to.counters()?;
    to.bitmaps()?;
    if any {
        to.values()?;
    }
    to.end()
}

/// The records of this image, and whether any has values. Where records are not loaded, there is nothing that counts values.
#[inline(never)]
fn valued() -> (&'static [Record], bool) {
    let data = if elf::records_are_elsewhere() { Span::EMPTY } else { elf::data::span() };
    // SAFETY: the records of this image.
    let records = unsafe { records(data) };
    (records, records.iter().any(has_values))
}

fn has_values(record: &Record) -> bool {
    heads(record).iter().any(|head| nodes(head).next().is_some())
}

struct Writer<'a> {
    sink: &'a mut dyn Sink,
    crc: Crc,
}

impl Writer<'_> {
    #[inline(never)]
    fn head(&mut self, any: bool) -> Result {
        for byte in MAGIC {
            self.byte(byte)?;
        }
        self.byte(VERSION)?;
        let wide = if Word::NATIVE == Word::W64 { WIDE } else { 0 };
        let order = if cfg!(target_endian = "big") { BIG_ENDIAN } else { 0 };
        self.byte(wide | order | if any { VALUES } else { 0 })?;
        let id = raw::first_build_id(&elf::notes::spans());
        self.number(id.len as u64)?;
        for at in 0..id.len {
            // SAFETY: constant data of this image.
            self.byte(unsafe { id.start.wrapping_add(at).read() })?;
        }
        self.number(variables::raw_version())
    }

    #[inline(never)]
    fn end(&mut self) -> Result {
        let crc = self.crc.value();
        for place in 0..4 {
            self.byte((crc >> (8 * place)) as u8)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn counters(&mut self) -> Result {
        let version = variables::raw_version();
        let counters = elf::counters::span();
        self.number(counters.len as u64)?;
        if Variant(version).counter_size() == 1 {
            // SAFETY: within the counters of this image. Volatile: the program may go on.
            self.run(counters.len, |at| u64::from(!unsafe { counters.start.wrapping_add(at).read_volatile() }))
        } else {
            let first = counters.start.cast::<u64>();
            // SAFETY: the same; counters are aligned words.
            self.run(counters.len / 8, |at| unsafe { first.wrapping_add(at).read_volatile() })
        }
    }

    #[inline(never)]
    fn bitmaps(&mut self) -> Result {
        let bitmap = elf::bitmap::span();
        self.number(bitmap.len as u64)?;
        // SAFETY: within the bitmaps of this image.
        self.run(bitmap.len, |at| u64::from(unsafe { bitmap.start.wrapping_add(at).read_volatile() }))
    }

    /// A byte as it is.
    fn byte(&mut self, byte: u8) -> Result {
        self.crc.add(byte);
        // SAFETY: a local array.
        unsafe { self.sink.write(&[Span::of(&[byte])]) }
    }

    /// In one piece: sinks for which that is too little have memory of their own.
    #[inline(never)]
    fn number(&mut self, mut number: u64) -> Result {
        let mut coded = [0; 10];
        let mut len: usize = 0;
        for place in &mut coded {
            let more = number > 127;
            *place = number as u8 & 127 | if more { 128 } else { 0 };
            self.crc.add(*place);
            len = len.wrapping_add(1);
            number >>= 7;
            if !more {
                break;
            }
        }
        // SAFETY: a local array.
        unsafe { self.sink.write(&[Span::of(coded.get(..len).unwrap_or(&[]))]) }
    }

    /// `len` numbers; a run of zeros as a zero and one less than its length.
    #[inline(always)]
    fn run(&mut self, len: usize, at: impl Fn(usize) -> u64) -> Result {
        let mut zeros: u64 = 0;
        for place in 0..len {
            let number = at(place);
            if number == 0 {
                zeros = zeros.wrapping_add(1);
                continue;
            }
            self.zeros(zeros)?;
            zeros = 0;
            self.number(number)?;
        }
        self.zeros(zeros)
    }

    #[inline(always)]
    fn zeros(&mut self, zeros: u64) -> Result {
        if zeros > 0 {
            self.byte(0)?;
            self.number(zeros.wrapping_sub(1))?;
        }
        Ok(())
    }

    #[inline(never)]
    fn values(&mut self) -> Result {
        let (records, _) = valued();
        let mut distance: u64 = 0;
        for record in records {
            distance = distance.wrapping_add(1);
            if !has_values(record) {
                continue;
            }
            self.number(distance)?;
            distance = 0;
            for head in heads(record) {
                self.site(head)?;
            }
        }
        self.byte(0)
    }

    /// A site's values: as many as there are when their number is written; nodes are only ever added at the end.
    fn site(&mut self, head: &Head) -> Result {
        let many = nodes(head).take(MAX_VALUES_PER_SITE as usize).count();
        self.number(many as u64)?;
        for node in nodes(head).take(many) {
            self.number(node.value.load(Ordering::Relaxed))?;
            self.number(not_negative(node.total()))?;
        }
        Ok(())
    }
}
