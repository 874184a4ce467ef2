//! A profile in memory.

pub(crate) mod record;

use std::collections::{BTreeSet, HashSet};

use crate::error::{Error, ErrorKind};
use crate::finding::Finding;
use crate::flags::Flags;
use crate::name::{Name, NameId, Names, name_hash};
use crate::sink::{Heading, RecordRef, Sink, Trace, sum_of};
use crate::sorted::by_bytes;
use crate::values::ValueSites;
pub(crate) use record::Span;
use record::StoredRecord;

/// A profile: records in the order in which they came, and the sections that belong to none of them.
///
/// As a [`Sink`] it takes each record as it is: two records of one function stay two. [`crate::merge`] adds them.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub(crate) flags: Flags,
    pub(crate) headings: Vec<Heading>,
    pub(crate) names: Names,
    pub(crate) records: Vec<StoredRecord>,
    /// Places in `records`, sorted by name and hash; empty: the order of records is that of memory.
    order: Vec<u32>,
    pub(crate) counters: Vec<u64>,
    pub(crate) bitmaps: Vec<u8>,
    pub(crate) uniformity: Vec<u8>,
    pub(crate) traces: Vec<Trace>,
    pub(crate) trace_stream_size: u64,
    pub(crate) vtable_names: Vec<Vec<u8>>,
    /// Hashes of the names that a reader handed over: a compressed section can have one name a million times.
    vtable_hashes: HashSet<u64>,
    pub(crate) binary_ids: BTreeSet<Vec<u8>>,
    pub(crate) memprof: Vec<(u64, Vec<u8>)>,
    pub(crate) findings: Vec<Finding>,
}

impl Profile {
    /// Returns a profile without records.
    pub fn new() -> Profile {
        Profile::default()
    }

    /// Returns the variant flags: those of all headings together.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Sets the variant flags.
    pub fn set_flags(&mut self, flags: Flags) {
        self.flags = flags;
    }

    /// Returns what the input said of itself: one heading for each profile in it.
    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// Returns whether values above the largest count are pseudo counts (hot, warm): false only if all headings are of releases without them.
    pub(crate) fn has_pseudo_counts(&self) -> bool {
        self.headings.is_empty() || self.headings.iter().any(|heading| heading.format.has_pseudo_counts())
    }

    /// Returns all names of records.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns all records: sorted after [`Profile::sort`] and a merge, otherwise in the order in which they came.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RecordRef<'_>> + Clone {
        (0..self.len()).map(|index| self.record(index).unwrap_or(RecordRef::EMPTY))
    }

    /// Returns the hashes of the names and the structural hashes of all records, in the order in which they came, which is faster than a sorted one.
    pub fn keys(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..self.len()).filter_map(|place| self.stored_record(place)).map(|record| (record.name.hash, record.hash))
    }

    /// Returns the sum of all counters, without records that say only how hot a function is ([`RecordRef::is_pseudo`]).
    pub fn counts(&self) -> u128 {
        let records = (0..self.len()).filter_map(|place| self.stored_record(place));
        records.filter(|record| !record.is_pseudo()).map(|record| sum_of(record.counters)).sum()
    }

    /// Returns a record by its place in that order.
    pub fn record(&self, index: usize) -> Option<RecordRef<'_>> {
        self.stored_record(self.place(index))
    }

    /// Returns the number of a record's name in [`Profile::names`].
    pub(crate) fn name_id(&self, index: usize) -> Option<NameId> {
        self.stored_name_id(self.place(index))
    }

    /// Moves the records to where they stand in the order.
    fn settle(&mut self) {
        if !self.order.is_empty() {
            let mut records: Vec<_> = std::mem::take(&mut self.records).into_iter().map(Some).collect();
            let order = std::mem::take(&mut self.order);
            let moved = order.into_iter().filter_map(|place| records.get_mut(place as usize)?.take());
            self.records = moved.collect();
        }
    }

    /// Returns where in memory a record stands.
    fn place(&self, index: usize) -> usize {
        if self.order.is_empty() { index } else { self.order.get(index).map_or(usize::MAX, |place| *place as usize) }
    }

    /// Returns the places in memory of all records, sorted by name and hash; `None` if records have the order of memory.
    pub(crate) fn order(&self) -> Option<&[u32]> {
        if self.order.is_empty() { None } else { Some(&self.order) }
    }

    /// Returns a record by its place in memory. A walk over all is much faster in this order.
    pub(crate) fn stored_record(&self, place: usize) -> Option<RecordRef<'_>> {
        Some(self.view(self.records.get(place)?))
    }

    /// Returns the number of the name of a record by its place in memory.
    pub(crate) fn stored_name_id(&self, place: usize) -> Option<NameId> {
        Some(self.records.get(place)?.name)
    }

    /// Adds a name to [`Profile::names`] unless it is there; `None` when there are too many.
    pub(crate) fn intern(&mut self, name: Name<'_>) -> Option<NameId> {
        self.names.intern(name)
    }

    fn view<'a>(&'a self, record: &'a StoredRecord) -> RecordRef<'a> {
        RecordRef {
            name: self.names.get(record.name),
            hash: record.hash,
            counters: record.counters.of(&self.counters),
            bitmap: record.bitmap.of(&self.bitmaps),
            uniformity: record.uniformity.of(&self.uniformity),
            values: record.values.as_deref(),
        }
    }

    /// Appends a record, and returns its place. Errors: [`ErrorKind::TooLarge`] when there are too many names.
    pub fn push(&mut self, record: RecordRef<'_>) -> Result<usize, Error> {
        let Some(name) = self.names.intern(record.name) else { return Err(Error::new(ErrorKind::TooLarge, "names")) };
        self.settle();
        let index = self.records.len();
        self.records.push(StoredRecord {
            name,
            hash: record.hash,
            counters: Span::append(&mut self.counters, record.counters),
            bitmap: Span::append(&mut self.bitmaps, record.bitmap),
            uniformity: Span::append(&mut self.uniformity, record.uniformity),
            values: record.values.map(|values| Box::new(values.clone())),
        });
        Ok(index)
    }

    /// Returns the counters of a record, to change them.
    pub(crate) fn counters_mut(&mut self, index: usize) -> &mut [u64] {
        self.records.get(self.place(index)).map_or(&mut [], |record| record.counters.of_mut(&mut self.counters))
    }

    /// Returns the bitmap of a record, to change it.
    pub(crate) fn bitmap_mut(&mut self, index: usize) -> &mut [u8] {
        self.records.get(self.place(index)).map_or(&mut [], |record| record.bitmap.of_mut(&mut self.bitmaps))
    }

    /// Returns the value sites of a record, to change them.
    pub fn values_mut(&mut self, index: usize) -> Option<&mut Option<Box<ValueSites>>> {
        let place = self.place(index);
        Some(&mut self.records.get_mut(place)?.values)
    }

    /// Replaces the uniformity bits of a record.
    pub(crate) fn set_uniformity(&mut self, index: usize, bits: &[u8]) {
        let place = self.place(index);
        let Some(record) = self.records.get_mut(place) else { return };
        if record.uniformity.len == bits.len() {
            record.uniformity.of_mut(&mut self.uniformity).copy_from_slice(bits);
        } else {
            record.uniformity = Span::append(&mut self.uniformity, bits);
        }
    }

    /// Sorts the records by the bytes of their names, then by their hashes. Records without a name come first, by the hash of the name.
    ///
    /// The records stay where they are in memory; only the order changes in which they are handed out.
    pub fn sort(&mut self) {
        let names = self.names.iter().map(|(_, name)| name.bytes.unwrap_or(&[]));
        let names: Vec<&[u8]> = names.collect();
        // Names are compared, and not the names of records: one long name may have many records.
        let mut ranks = vec![0; names.len()];
        for (rank, name) in (1..).zip(by_bytes(&names, |name| name)) {
            if let Some(slot) =
                ranks.get_mut(name as usize).filter(|_| names.get(name as usize).is_some_and(|name| !name.is_empty()))
            {
                *slot = rank;
            }
        }
        let key = |(place, record): (u32, &StoredRecord)| {
            let rank: u32 = ranks.get(record.name.index()).copied().unwrap_or(0);
            let unnamed = if rank == 0 { self.names.get(record.name).hash } else { 0 };
            (rank, unnamed, record.hash, place)
        };
        let mut keys: Vec<_> = (0..).zip(&self.records).map(key).collect();
        keys.sort_unstable();
        self.order = keys.into_iter().map(|(.., place)| place).collect();
    }

    /// Hands all parts to `sink`, as a reader does, in the order of the file format: headings, records, and the rest.
    pub fn send_to(&self, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
        for heading in &self.headings {
            sink.heading(heading)?;
        }
        for record in self.records() {
            sink.record(record)?;
        }
        for id in &self.binary_ids {
            sink.binary_id(id);
        }
        for name in &self.vtable_names {
            sink.vtable_name(name);
        }
        if !self.traces.is_empty() || self.trace_stream_size != 0 {
            sink.traces(&self.traces, self.trace_stream_size);
        }
        for (start, section) in &self.memprof {
            sink.memprof(section, *start);
        }
        for finding in &self.findings {
            sink.finding(finding.clone());
        }
        Ok(())
    }

    /// Keeps only the records for which `keep` returns true. It is asked in the order of [`Profile::records`].
    pub fn retain(&mut self, mut keep: impl FnMut(RecordRef<'_>) -> bool) {
        self.settle();
        let kept: Vec<bool> = self.records().map(&mut keep).collect();
        let mut kept = kept.into_iter();
        self.records.retain(|_| kept.next() == Some(true));
    }

    /// Returns the temporal traces.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// Returns the number of traces that were ever seen.
    pub fn trace_stream_size(&self) -> u64 {
        self.trace_stream_size
    }

    /// Replaces the temporal traces.
    pub fn set_traces(&mut self, traces: Vec<Trace>, stream_size: u64) {
        (self.traces, self.trace_stream_size) = (traces, stream_size);
    }

    /// Returns the names of vtables, in the order in which they came, each once.
    pub fn vtable_names(&self) -> &[Vec<u8>] {
        &self.vtable_names
    }

    /// Replaces the names of vtables.
    pub fn set_vtable_names(&mut self, names: Vec<Vec<u8>>) {
        self.vtable_names = names;
        self.vtable_hashes.clear();
    }

    /// Returns the binary ids.
    pub fn binary_ids(&self) -> &BTreeSet<Vec<u8>> {
        &self.binary_ids
    }

    /// Returns the MemProf sections, each with the place in its file at which its offsets count from.
    pub fn memprof_sections(&self) -> &[(u64, Vec<u8>)] {
        &self.memprof
    }

    /// Removes the MemProf sections.
    pub fn take_memprof_sections(&mut self) -> Vec<(u64, Vec<u8>)> {
        std::mem::take(&mut self.memprof)
    }

    /// Returns what was lost or changed.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl Sink for Profile {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.flags |= heading.flags;
        self.headings.push(*heading);
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.push(record).map(|_| ())
    }

    fn binary_id(&mut self, id: &[u8]) {
        if !self.binary_ids.contains(id) {
            self.binary_ids.insert(id.to_vec());
        }
    }

    fn vtable_name(&mut self, name: &[u8]) {
        if self.vtable_hashes.insert(name_hash(name)) {
            self.vtable_names.push(name.to_vec());
        }
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        self.traces.extend_from_slice(traces);
        self.trace_stream_size = self.trace_stream_size.saturating_add(stream_size);
    }

    fn memprof(&mut self, section: &[u8], start: u64) {
        self.memprof.push((start, section.to_vec()));
    }

    fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// The rule by which clang's front end computes the hash of a function. A compiler chooses the rule by the version of the indexed profile,
/// so front-end records may only be written with a version of their own era. IR instrumentation does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum HashEra {
    /// Indexed versions up to 4.
    V1,
    /// Indexed version 5.
    V2,
    /// Indexed versions 6 to 12.
    V3,
    /// Indexed version 13 and later.
    V4,
}

impl HashEra {
    /// Returns the era of an indexed version.
    pub const fn of_indexed(version: u32) -> HashEra {
        match version {
            ..=4 => HashEra::V1,
            5 => HashEra::V2,
            6..=12 => HashEra::V3,
            _ => HashEra::V4,
        }
    }
}
