//! What the targets of readers share: a sink that keeps and counts all that it gets, and what must be true of every input.

use profdata::name::name_hash;
use profdata::sink::ValueSites;
use profdata::sink::{Heading, RecordRef, Sink, Trace};
use profdata::{Error, Finding};

/// A part that a reader has handed over.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    Heading(Heading),
    Record(Record),
    BinaryId(Vec<u8>),
    VtableName(Vec<u8>),
    Traces(Vec<Trace>, u64),
    MemProf(u64, Vec<u8>),
    Finding(Finding),
}

/// A record that owns its parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub name: (u64, Option<Vec<u8>>),
    pub hash: u64,
    pub counters: Vec<u64>,
    pub bitmap: Vec<u8>,
    pub uniformity: Vec<u8>,
    pub values: Option<ValueSites>,
}

impl From<RecordRef<'_>> for Record {
    fn from(record: RecordRef<'_>) -> Record {
        Record {
            name: (record.name.hash, record.name.bytes.map(<[u8]>::to_vec)),
            hash: record.hash,
            counters: record.counters.to_vec(),
            bitmap: record.bitmap.to_vec(),
            uniformity: record.uniformity.to_vec(),
            values: record.values.cloned(),
        }
    }
}

/// A sink that keeps all parts, and counts them.
#[derive(Clone, Default, Debug)]
pub struct Kept {
    pub parts: Vec<Part>,
    counters: usize,
    bytes_of_bitmaps: usize,
    sites: usize,
    values: usize,
    bytes_of_names: usize,
    bytes_beside: usize,
}

/// How often linked functions may share a byte of a section.
const SHARED: usize = 16;
/// The largest number of bytes that zlib makes of one.
const RATIO: usize = 1032;

impl Kept {
    /// Asserts that memory is bounded by the size of the input.
    fn assert_bounded(&self, input: &[u8]) {
        let len = input.len();
        let bounds = [
            ("parts", self.parts.len(), RATIO * len),
            ("counters", self.counters, SHARED * len),
            ("bytes of bitmaps", self.bytes_of_bitmaps, SHARED * len),
            ("sites", self.sites, len),
            ("values", self.values, len / 4),
            ("bytes of names", self.bytes_of_names, 64 * RATIO * len),
            ("other bytes", self.bytes_beside, RATIO * len),
        ];
        for (what, found, most) in bounds {
            assert!(found <= most, "{found} {what}, of {len} bytes");
        }
    }

    /// Returns whether each name has the hash that stands beside it.
    fn has_right_hashes(&self) -> bool {
        self.records().all(|record| record.name.1.as_ref().is_none_or(|bytes| name_hash(bytes) == record.name.0))
    }

    /// Returns all records.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.parts.iter().filter_map(|part| if let Part::Record(record) = part { Some(record) } else { None })
    }
}

impl Sink for Kept {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.parts.push(Part::Heading(*heading));
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.counters += record.counters.len();
        self.bytes_of_bitmaps += record.bitmap.len() + record.uniformity.len();
        self.bytes_of_names += record.name.bytes.map_or(0, <[u8]>::len);
        for kind in record.values.iter().flat_map(|values| &values.kinds) {
            self.sites += kind.len();
            self.values += kind.values().len();
        }
        self.parts.push(Part::Record(record.into()));
        Ok(())
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.bytes_beside += id.len();
        self.parts.push(Part::BinaryId(id.to_vec()));
    }

    fn vtable_name(&mut self, name: &[u8]) {
        self.bytes_beside += name.len();
        self.parts.push(Part::VtableName(name.to_vec()));
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        self.bytes_beside += traces.iter().map(|trace| 16 + trace.functions.len()).sum::<usize>();
        self.parts.push(Part::Traces(traces.to_vec(), stream_size));
    }

    fn memprof(&mut self, section: &[u8], start: u64) {
        self.bytes_beside += section.len();
        self.parts.push(Part::MemProf(start, section.to_vec()));
    }

    fn finding(&mut self, finding: Finding) {
        self.parts.push(Part::Finding(finding));
    }
}

impl Kept {
    /// Returns whether functions may have one byte where time stamps are promised.
    fn may_lack_stamps(&self) -> bool {
        let both = profdata::sink::Flags::TEMPORAL | profdata::sink::Flags::BYTE_COVERAGE;
        self.parts.iter().any(|part| matches!(part, Part::Heading(heading) if heading.flags.has(both)))
    }
}

/// Reads an input strictly and with salvage. Asserts that both are bounded, and that what is whole is the same for both. Returns what the
/// strict reader handed over, unless it failed.
pub fn check(input: &[u8], mut read: impl FnMut(bool, &mut Kept) -> Result<(), Error>) -> Option<Kept> {
    let (mut strict, mut salvaged) = (Kept::default(), Kept::default());
    let whole = read(false, &mut strict);
    strict.assert_bounded(input);
    let salvage = read(true, &mut salvaged);
    salvaged.assert_bounded(input);
    match whole {
        Ok(()) => {
            // Only the salvaging reader checks hashes of names, and keeps the byte of a function where LLVM takes 8 for a time stamp.
            if strict.has_right_hashes() && !strict.may_lack_stamps() {
                assert_eq!(salvage, Ok(()));
                assert_eq!(salvaged.parts, strict.parts);
            }
            Some(strict)
        }
        Err(error) => {
            let _ = (error.to_string(), error.cause(), error.remedy());
            None
        }
    }
}
