//! Writes a merger as a partial result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use super::VERSION;
use super::codes::{put_finding, put_heading, put_input};
use super::fields::Put;
use super::frames::{Tag, Writer};
use crate::error::Error;
use crate::finding::InputId;
use crate::merge::Merger;
use crate::merge::alternates::{Alternate, SummedPart};
use crate::merge::memprof::MemProfs;
use crate::merge::sums::{RecordSum, Sums};
use crate::read::detect::PARTIAL;
use crate::values::{KindSites, Value};

/// Bytes of records after which a new frame begins, so that little is lost of a file that is cut.
const FRAME: usize = 1 << 18;

/// The places of inputs in the file.
type Places = BTreeMap<InputId, u64>;

fn place(places: &Places, input: InputId) -> u64 {
    places.get(&input).copied().unwrap_or(0)
}

impl Merger {
    /// Writes all that has been added as a partial result. The same inputs in the same order and groups give the same
    /// bytes.
    ///
    /// The file is 12 bytes (magic `ff "profpt" 81`, `u32` version) and frames. Integers of frame headers are little-endian; numbers in frames are
    /// LEB128 unless said otherwise. They have up to 64 bits; the sums of counts in the account of an input have up to 128, and an earlier
    /// profrt refuses a larger one.
    ///
    /// | bytes | of each frame |
    /// | --- | --- |
    /// | 1 | what it has: 1 kinds of profile, 2 inputs, 3 records, 4 temporal traces, 5 vtable names, 6 binary ids, 7 MemProf, 8 findings, 9 a note, 255 end |
    /// | 4 | `u32` length of the content |
    /// | 4 | `u32` CRC-32 (IEEE) of the five bytes before and of the content |
    /// | | the content |
    ///
    /// The last frame says how many stand before it. Of a file that is cut, all frames before the cut can be used.
    ///
    /// A note is what a program that keeps a sum up to date must know of it: which files are in it. In one file, the sum and the note cannot
    /// disagree. It is the first frame, and no part of the sum. Version 1 has no notes, and is read too.
    ///
    /// Errors: those of `to`, and `InvalidInput` for a record, or a section outside of the records, of 4 GiB and more.
    pub fn write_partial(&mut self, to: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        self.write(None, (0, 1), to)
    }

    /// Writes a part of the same: the functions in one of `parts` ranges of the hashes of names. Part 0 has what belongs to no function, too.
    /// A merge of such parts of several mergers, each part by itself and in the same order, gives parts that [`Merger::join`] puts together.
    ///
    /// Errors: those of [`Merger::write_partial`].
    pub fn write_part(&mut self, part: u32, parts: u32, to: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        self.write(None, (part, parts), to)
    }

    /// Adds another part of the same inputs, which have the same numbers in both.
    ///
    /// Errors: those of [`Merger::absorb`].
    pub fn join(&mut self, part: Merger) -> Result<(), Error> {
        self.absorb_numbered(part, |input| input)
    }

    /// Writes the same with a note, which [`note`](super::note) returns. Who adds the file to another merger leaves the note behind.
    ///
    /// Errors: those of [`Merger::write_partial`], and `InvalidInput` for a note of 4 GiB and more.
    pub fn write_with_note(&mut self, note: &[u8], to: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        self.write(Some(note), (0, 1), to)
    }

    fn write(
        &mut self,
        note: Option<&[u8]>,
        (part, parts): (u32, u32),
        to: &mut (impl io::Write + ?Sized),
    ) -> io::Result<()> {
        self.complete().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        to.write_all(&PARTIAL)?;
        to.write_all(&VERSION.to_le_bytes())?;
        let mut frames = Writer::new(to);
        note.map_or(Ok(()), |note| frames.frame(Tag::Note, note))?;
        let mut content = Vec::new();

        content.word(self.kinds.flags.bits());
        self.kinds.headings.iter().for_each(|heading| put_heading(&mut content, heading));
        frames.frame(Tag::Kinds, &content)?;

        self.frames_of(&mut frames, Tag::Inputs, self.inputs.values(), put_input)?;
        let places: Places = self.inputs.keys().copied().zip(0..).collect();

        let range = |hash: u64| (u128::from(hash) * u128::from(parts)) >> 64;
        let is_here = |record: &&RecordSum| range(self.names.get(record.name).hash) == part.into();
        let mut order: Vec<&RecordSum> = self.records.iter().filter(is_here).collect();
        let key = |record: &RecordSum| {
            let name = self.names.get(record.name);
            (name.hash, name.bytes, record.hash)
        };
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        self.frames_of(&mut frames, Tag::Records, order.into_iter(), |to, record| {
            self.put_record(to, record, &places)
        })?;

        if part > 0 {
            return frames.end();
        }
        content.clear();
        self.traces.put(&mut content);
        frames.frame(Tag::Traces, &content)?;
        self.frames_of(&mut frames, Tag::VTableNames, self.vtable_names.iter(), |to, name| to.string(name))?;
        self.frames_of(&mut frames, Tag::BinaryIds, self.binary_ids.iter(), |to, id| to.string(id))?;
        content.clear();
        let MemProfs { inputs, single, sum } = &self.memprof;
        if !inputs.is_empty() {
            content.number(inputs.len() as u64);
            inputs.iter().for_each(|input| content.number(place(&places, *input)));
            let sum = || Some((0, Cow::from(sum.as_ref()?.write(0).ok()?)));
            let section = single.as_ref().map(|(start, section)| (*start, Cow::from(section)));
            // Without a section they do not merge.
            if let Some((start, section)) = section.or_else(sum) {
                content.number(start);
                content.extend_from_slice(&section);
            }
            frames.frame(Tag::MemProf, &content)?;
        }
        self.frames_of(&mut frames, Tag::Findings, self.findings.iter(), |to, finding| {
            put_finding(to, finding, place(&places, finding.input));
        })?;
        frames.end()
    }

    /// Writes things, as many in each frame as its size allows.
    fn frames_of<T, W: io::Write + ?Sized>(
        &self,
        frames: &mut Writer<'_, W>,
        tag: Tag,
        things: impl Iterator<Item = T>,
        put: impl Fn(&mut Vec<u8>, T),
    ) -> io::Result<()> {
        let mut content = Vec::new();
        for thing in things {
            put(&mut content, thing);
            if content.len() >= FRAME {
                frames.frame(tag, &content)?;
                content.clear();
            }
        }
        if !content.is_empty() {
            frames.frame(tag, &content)?;
        }
        Ok(())
    }

    fn put_record(&self, to: &mut Vec<u8>, record: &RecordSum, places: &Places) {
        let name = self.names.get(record.name);
        to.word(name.hash);
        to.number(name.bytes.map_or(0, |bytes| bytes.len() as u64 + 1));
        to.extend_from_slice(name.bytes.unwrap_or(&[]));
        to.word(record.hash);
        to.number(record.contributions);
        to.number(place(places, record.input));
        let Sums { counters, bitmaps } = &self.sums;
        put_numbers(to, record.counters.of(counters));
        to.string(record.bitmap.of(bitmaps));
        let Some(extra) = &record.extra else { return to.push(0) };
        to.push(1);
        extra.values.kinds.iter().for_each(|kind| put_sites(to, kind));
        put_pairs(to, &extra.uniformity);
        to.number(extra.alternates.len() as u64);
        for ((part, size), alternate) in &extra.alternates {
            put_alternate(to, *part, *size, alternate, place(places, alternate.input));
        }
    }
}

fn put_alternate(to: &mut Vec<u8>, part: SummedPart, size: usize, alternate: &Alternate, input: u64) {
    to.push(part.code());
    to.number(size as u64);
    to.number(alternate.contributions);
    to.number(input);
    to.push(alternate.hot.into());
    put_numbers(to, &alternate.counters);
    put_pairs(to, &alternate.uniformity);
    to.string(&alternate.bitmap);
    put_sites(to, &alternate.sites);
}

fn put_numbers<'a>(to: &mut Vec<u8>, numbers: impl IntoIterator<Item = &'a u64, IntoIter: ExactSizeIterator>) {
    let numbers = numbers.into_iter();
    to.number(numbers.len() as u64);
    numbers.for_each(|number| to.number(*number));
}

fn put_pairs(to: &mut Vec<u8>, pairs: &[[u64; 2]]) {
    to.number(pairs.len() as u64);
    pairs.iter().flatten().for_each(|number| to.number(*number));
}

fn put_sites(to: &mut Vec<u8>, sites: &KindSites) {
    to.number(sites.len() as u64);
    for site in sites.sites() {
        to.number(site.len() as u64);
        for Value { value, count } in site {
            to.word(*value);
            to.number(*count);
        }
    }
}
