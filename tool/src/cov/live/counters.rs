//! A continuous file: a raw profile whose counters change.
//!
//! The header and the records are read once; then only the sections of counters and bitmaps are, and what has changed is added to the sums.

use std::fs::{File, Metadata};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use profdata::read::raw::{ChangingSections, RawFile};
use profdata::sink::Flags;

use super::functions::Functions;

/// A file that is watched.
pub(super) struct Counters {
    file: File,
    id: Id,
    sections: ChangingSections,
    counters: Section,
    bitmap: Section,
    /// In the order of their counters.
    records: Vec<Record>,
}

/// Which file has a name: a device and a number on it.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Id(u64, u64);

/// Where a function has its counters and its bitmap in the sections.
struct Record {
    function: u32,
    counters: Range<usize>,
    bitmap: Range<usize>,
}

/// A section of the file, and what was last read of it.
#[derive(Default)]
struct Section {
    offset: u64,
    last: Vec<u8>,
    new: Vec<u8>,
    /// Which pieces of it are other ones than before.
    changed: Vec<bool>,
}

/// Bytes of a piece, which stays in the processor's cache.
const PIECE: usize = 1 << 16;

impl Id {
    pub(super) fn of(found: &Metadata) -> Id {
        Id(found.dev(), found.ino())
    }
}

impl Section {
    /// Errors: it does not fit into memory.
    fn of(range: &Range<u64>, zero: u8) -> Result<Section> {
        let len = usize::try_from(range.end.saturating_sub(range.start))?;
        Ok(Section { offset: range.start, last: vec![zero; len], new: vec![zero; len], changed: Vec::new() })
    }

    /// Reads the section. Returns whether anything has changed. Errors: those of the system; the file has become shorter.
    fn read(&mut self, file: &File) -> std::io::Result<bool> {
        self.changed.clear();
        let mut offset = self.offset;
        for (new, last) in self.new.chunks_mut(PIECE).zip(self.last.chunks(PIECE)) {
            file.read_exact_at(new, offset)?;
            offset = offset.saturating_add(PIECE as u64);
            self.changed.push(differ(new, last));
        }
        Ok(self.changed.contains(&true))
    }

    /// Returns what a part was, and what it is; `None` where nothing near it has changed.
    fn changes(&self, part: &Range<usize>) -> Option<(&[u8], &[u8])> {
        let pieces = self.changed.get(part.start / PIECE..=part.end.saturating_sub(1) / PIECE)?;
        pieces.contains(&true).then_some((self.last.get(part.clone())?, self.new.get(part.clone())?))
    }
}

/// Returns whether two pieces differ. By words: that of musl, which a comparison of slices calls, goes byte by byte.
fn differ(one: &[u8], other: &[u8]) -> bool {
    let ((one, end), (other, other_end)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    end != other_end || one.iter().zip(other).any(|(one, other)| u64::from_ne_bytes(*one) != u64::from_ne_bytes(*other))
}

impl Counters {
    /// Opens a file. Its counts are added at the first [`Counters::add_to`].
    ///
    /// Errors: it cannot be read; it is no raw profile, or not one of source coverage.
    pub(super) fn open(path: &Path, functions: &mut Functions) -> Result<Counters> {
        let file = File::open(path)?;
        let found = file.metadata()?;
        let mut bytes = vec![0; usize::try_from(found.len())?];
        file.read_exact_at(&mut bytes, 0)?;
        let raw = RawFile::parse(&bytes, 0).context("it is no raw profile")?;
        ensure!(
            !raw.flags().has(Flags::IR),
            "it is of -fprofile-generate, which counts other places than source coverage"
        );
        ensure!(!raw.needs_correlation(), "its records are only in the program (-profile-correlate)");
        functions.heading(raw.heading());
        let (names, _) = raw.names();
        let sections = raw.changing();
        let record = |head: profdata::read::raw::RecordHead| {
            let part = |start: u64, len: usize| {
                let start = usize::try_from(start).ok()?;
                Some(start..start.checked_add(len)?)
            };
            let counters = part(head.counters_at, sections.counter_size.checked_mul(head.num_counters as usize)?)?;
            let bitmap = part(head.bitmap_at, head.num_bitmap_bytes as usize)?;
            Some(Record { function: functions.number(&head, &names)?, counters, bitmap })
        };
        let mut records: Vec<Record> = raw.records().filter_map(record).collect();
        records.sort_by_key(|record| (record.counters.start, record.function));
        // A linker can leave several records of a function that share its counters.
        records.dedup_by(|one, other| (&one.counters, one.function) == (&other.counters, other.function));
        Ok(Counters {
            id: Id::of(&found),
            counters: Section::of(&sections.counters, sections.zero())?,
            bitmap: Section::of(&sections.bitmap, 0)?,
            sections,
            records,
            file,
        })
    }

    pub(super) fn id(&self) -> Id {
        self.id
    }

    /// Goes on where an earlier file of the same name has ended, if this file has its counts: a process that writes values, at its end too,
    /// replaces its file by one with the same counters and more. A new run counts from zero.
    pub(super) fn follow(&mut self, before: &Counters) {
        if self.counters.read(&self.file).is_err() || self.counters.last.len() != before.counters.last.len() {
            return;
        }
        let counts = |bytes| self.sections.counts(bytes);
        let has_all = counts(&self.counters.new).zip(counts(&before.counters.last)).all(|(new, old)| new >= old);
        if has_all {
            self.counters.last.clone_from(&before.counters.last);
            self.bitmap.last.clone_from(&before.bitmap.last);
        }
    }

    /// Adds what was counted since the last call to the sums, and the functions that counted to `changed`.
    ///
    /// Errors: those of the system; the file has become shorter.
    pub(super) fn add_to(&mut self, functions: &mut Functions, changed: &mut Vec<u32>) -> std::io::Result<()> {
        let has_bits = self.bitmap.read(&self.file)?;
        if !self.counters.read(&self.file)? && !has_bits {
            return Ok(());
        }
        for record in &self.records {
            let counted = self.counters.changes(&record.counters).filter(|(last, new)| last != new);
            let bits = self.bitmap.changes(&record.bitmap).filter(|(last, new)| last != new);
            // Most functions stand still.
            if counted.is_none() && bits.is_none() {
                continue;
            }
            let Some((_, function)) = functions.get(record.function) else { continue };
            changed.push(record.function);
            let (own, own_bits) = (function.counters.clone(), function.bitmap.clone());
            if let Some((last, new)) = counted {
                let sums = functions.sums.counters.get_mut(own).unwrap_or_default();
                let [last, new] = [last, new].map(|bytes| self.sections.counts(bytes));
                for ((sum, new), last) in sums.iter_mut().zip(new).zip(last) {
                    // A counter that is smaller was set back, and counts from zero.
                    *sum = sum.saturating_add(new.checked_sub(last).unwrap_or(new));
                }
            }
            if let Some((_, new)) = bits {
                let bits = functions.sums.bitmaps.get_mut(own_bits).unwrap_or_default();
                bits.iter_mut().zip(new).for_each(|(sum, new)| *sum |= new);
            }
        }
        std::mem::swap(&mut self.counters.last, &mut self.counters.new);
        std::mem::swap(&mut self.bitmap.last, &mut self.bitmap.new);
        Ok(())
    }
}
