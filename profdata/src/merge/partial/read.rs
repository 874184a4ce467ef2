//! Adds a partial result to a merger.

use super::VERSION;
use super::codes::{take_finding, take_heading, take_input, take_place};
use super::fields::Take;
use super::frames::{self, Next, Tag};
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, InputId, LossAccount, Outcome};
use crate::flags::Flags;
use crate::memprof::MemProf;
use crate::merge::alternates::{Alternate, SummedPart};
use crate::merge::kinds::Kinds;
use crate::merge::memprof::MemProfs;
use crate::merge::sums::{Extra, RecordSum, Sums};
use crate::merge::{InputReport, Merger};
use crate::name::Name;
use crate::profile::Span;
use crate::read::detect::PARTIAL;
use crate::values::{KindSites, Value};

impl Merger {
    /// Adds all that a partial result has, with all its counts multiplied by `weight`. `name` stands in errors, and in the report when the
    /// file is damaged or cut: then the frames before the damage are added. Returns what became of it.
    ///
    /// Errors: [`ErrorKind::Unrecognized`], [`ErrorKind::UnsupportedVersion`]: nothing was added. [`ErrorKind::Incompatible`]: its kind does
    /// not merge with those before.
    pub fn add_partial(&mut self, name: &str, weight: u64, bytes: &[u8]) -> Result<Outcome, Error> {
        let named = |error: Error| error.in_input(name);
        let mut reader = PartialReader::begin(self, weight, bytes).map_err(named)?;
        let result = reader.frames();
        let (functions, number, missing) = (reader.functions, reader.number, reader.missing);
        match result {
            Ok(()) => Ok(Outcome::Whole),
            Err(error) if error.kind() == ErrorKind::Incompatible => Err(named(error)),
            Err(error) => {
                let outcome = if functions > 0 { Outcome::Salvaged } else { Outcome::Refused };
                // The inputs in the file have the rest in their own accounts.
                let mut account =
                    LossAccount { bytes: bytes.len() as u64, functions_lost: missing, ..LossAccount::default() };
                *account.inputs_mut(outcome) = 1;
                let id = InputId { number, part: u32::MAX };
                let report = InputReport { name: name.to_owned(), weight, outcome, account, error: Some(named(error)) };
                self.inputs.insert(id, report);
                Ok(outcome)
            }
        }
    }
}

struct PartialReader<'a, 'm> {
    merger: &'m mut Merger,
    whole: &'a [u8],
    rest: &'a [u8],
    weight: u64,
    /// Number of the file in the merger.
    number: u32,
    /// Inputs in the file so far.
    parts: u32,
    /// Records so far.
    functions: u64,
    /// Records that the inputs have added, and that were not read so far.
    missing: u64,
    sums: Sums,
}

impl<'a, 'm> PartialReader<'a, 'm> {
    fn begin(merger: &'m mut Merger, weight: u64, bytes: &'a [u8]) -> Result<PartialReader<'a, 'm>, Error> {
        let Some(rest) = bytes.strip_prefix(&PARTIAL) else {
            return Err(Error::new(ErrorKind::Unrecognized, "magic").at(0u64));
        };
        let Some((version, rest)) = rest.split_first_chunk() else {
            return Err(Error::new(ErrorKind::Truncated, "version").at(8u64));
        };
        let version = u32::from_le_bytes(*version);
        if !(1..=VERSION).contains(&version) {
            let error = Error::new(ErrorKind::UnsupportedVersion, "version").at(8u64);
            return Err(error.expected(format_args!("at most {VERSION}")).found(version));
        }
        let number = merger.next_input;
        merger.next_input = number.saturating_add(1);
        merger.next = 0;
        Ok(PartialReader {
            merger,
            whole: bytes,
            rest,
            weight,
            number,
            parts: 0,
            functions: 0,
            missing: 0,
            sums: Sums::default(),
        })
    }

    fn error(&self, kind: ErrorKind, field: &'static str) -> Error {
        Error::new(kind, field).at(self.whole.len() - self.rest.len())
    }

    /// Adds all frames. Errors: the first that cannot be added.
    fn frames(&mut self) -> Result<(), Error> {
        let mut number: u64 = 0;
        loop {
            let before = self.rest;
            let (tag, content) = match frames::next(&mut self.rest) {
                Next::Frame(tag, content) => (tag, content),
                Next::Unknown(tag) => {
                    self.rest = before;
                    return Err(self.error(ErrorKind::UnsupportedVersion, "frame").found(tag));
                }
                Next::Truncated => return Err(self.error(ErrorKind::Truncated, "frame")),
                Next::Damaged => {
                    return Err(self.error(ErrorKind::Malformed, "frame").expected("the checksum in its header"));
                }
            };
            let mut from = Take(content);
            if tag == Tag::End {
                return match from.number() {
                    Some(frames) if frames == number && self.rest.iter().any(|byte| *byte != 0) => {
                        let error = self.error(ErrorKind::Malformed, "input").expected("its end");
                        Err(error.found(format_args!("{} bytes after the last frame", self.rest.len())))
                    }
                    Some(frames) if frames == number => Ok(()),
                    _ => Err(self.error(ErrorKind::Truncated, "number of frames").found(number)),
                };
            }
            number = number.saturating_add(1);
            while !from.0.is_empty() {
                self.thing(tag, &mut from)?.ok_or_else(|| {
                    self.rest = before;
                    self.error(ErrorKind::Malformed, "frame").found(format_args!("{tag:?}"))
                })?;
            }
        }
    }

    /// Adds the next thing in a frame; returns `None` when it contradicts itself.
    fn thing(&mut self, tag: Tag, from: &mut Take<'_>) -> Result<Option<()>, Error> {
        match tag {
            Tag::Kinds => return self.kinds(from),
            Tag::Records => return self.record(from),
            _ => {}
        }
        Ok((|| {
            let moved = |input: InputId| InputId { number: self.number, ..input };
            match tag {
                Tag::Inputs => {
                    let id = InputId { number: self.number, part: self.parts };
                    let mut input = take_input(from)?;
                    input.weight = input.weight.saturating_mul(self.weight);
                    input.account.counts = input.account.counts.saturating_mul(self.weight.into());
                    self.missing = self.missing.saturating_add(input.account.functions);
                    self.merger.inputs.insert(id, input);
                    self.parts = self.parts.saturating_add(1);
                }
                Tag::Traces => self.merger.traces.take(from, self.weight, self.merger.options.max_traces)?,
                Tag::VTableNames => self.merger.vtable_names.extend([from.string()?.to_vec()]),
                Tag::BinaryIds => self.merger.binary_ids.extend([from.string()?.to_vec()]),
                Tag::MemProf => {
                    let inputs: Option<Vec<_>> = (0..from.count()?).map(|_| Some(moved(take_place(from)?))).collect();
                    self.memprof(inputs?, from)?;
                }
                Tag::Findings => {
                    let finding = take_finding(from)?;
                    self.merger.findings.push(Finding { input: moved(finding.input), ..finding });
                }
                Tag::Note => from.0 = &[],
                Tag::Kinds | Tag::Records | Tag::End => {}
            }
            Some(())
        })())
    }

    /// Adds the section of these inputs; without one their sections do not merge.
    fn memprof(&mut self, inputs: Vec<InputId>, from: &mut Take<'_>) -> Option<()> {
        let mut added = MemProfs { inputs, single: None, sum: None };
        if !from.0.is_empty() {
            let (start, section) = (from.number()?, std::mem::take(&mut from.0));
            added.sum = Some(MemProf::read(section, start).ok()?);
            added.single = (added.inputs.len() == 1).then(|| (start, section.to_vec()));
        }
        self.merger.memprof.absorb(added);
        Some(())
    }

    fn kinds(&mut self, from: &mut Take<'_>) -> Result<Option<()>, Error> {
        let Some(flags) = from.word() else { return Ok(None) };
        let mut kinds = Kinds { flags: Flags::of_version_word(flags), headings: Vec::new() };
        while !from.0.is_empty() {
            let Some(heading) = take_heading(from) else { return Ok(None) };
            kinds.headings.push(heading);
        }
        let flags = kinds.headings.iter().fold(kinds.flags, |flags, heading| flags | heading.flags);
        flags.read(None).and_then(|flags| self.merger.check_fit(flags))?;
        self.merger.kinds.absorb(&kinds, self.merger.options.mix_kinds)?;
        Ok(Some(()))
    }

    fn record(&mut self, from: &mut Take<'_>) -> Result<Option<()>, Error> {
        self.sums.counters.clear();
        self.sums.bitmaps.clear();
        let Some((name, record)) = self.take_record(from) else { return Ok(None) };
        let number = self.number;
        let moved = |input: InputId| InputId { number, ..input };
        self.missing = self.missing.saturating_sub(record.contributions);
        let place = self.merger.place(name, record.hash, moved(record.input))?;
        if let Some(ours) = self.merger.records.get_mut(place) {
            self.merger.sums.absorb(ours, &record, &self.sums, self.weight, moved, &mut self.merger.scratch);
        }
        self.functions = self.functions.saturating_add(1);
        Ok(Some(()))
    }

    fn take_record<'b>(&mut self, from: &mut Take<'b>) -> Option<(Name<'b>, RecordSum)> {
        let name_hash = from.word()?;
        let bytes = match from.number()?.checked_sub(1) {
            Some(len) => {
                let (bytes, rest) = from.0.split_at_checked(usize::try_from(len).ok()?)?;
                from.0 = rest;
                Some(bytes)
            }
            None => None,
        };
        // The name decides its hash: no file makes two functions of one.
        let name = bytes.map_or(Name::of_hash(name_hash), Name::of);
        if name.hash != name_hash {
            return None;
        }
        let (hash, contributions, input) = (from.word()?, from.number()?, take_place(from)?);
        let mut record = RecordSum { hash, contributions, input, ..RecordSum::default() };
        take_numbers(from, &mut self.sums.counters)?;
        record.counters = Span { start: 0, len: self.sums.counters.len() };
        record.bitmap = Span::append(&mut self.sums.bitmaps, from.string()?);
        if from.byte()? == 0 {
            return Some((name, record));
        }
        let mut extra = Box::<Extra>::default();
        for kind in &mut extra.values.kinds {
            *kind = take_sites(from)?;
        }
        extra.uniformity = take_pairs(from)?;
        for _ in 0..from.count()? {
            let (part, size) = (SummedPart::from_code(from.byte()?)?, usize::try_from(from.number()?).ok()?);
            extra.alternates.insert((part, size), take_alternate(from, part, size)?);
        }
        record.extra = Some(extra);
        Some((name, record))
    }
}

fn take_alternate(from: &mut Take<'_>, part: SummedPart, size: usize) -> Option<Alternate> {
    let mut alternate = Alternate {
        contributions: from.number()?,
        input: take_place(from)?,
        hot: from.byte()? != 0,
        ..Alternate::default()
    };
    take_numbers(from, &mut alternate.counters)?;
    alternate.uniformity = take_pairs(from)?;
    alternate.bitmap = from.string()?.to_vec();
    alternate.sites = take_sites(from)?;
    let has = match part {
        SummedPart::Counters | SummedPart::Pseudo => alternate.counters.len(),
        SummedPart::Bitmap => alternate.bitmap.len(),
        SummedPart::Sites(_) => alternate.sites.len(),
    };
    (has == size).then_some(alternate)
}

fn take_numbers(from: &mut Take<'_>, numbers: &mut Vec<u64>) -> Option<()> {
    let count = from.count()?;
    numbers.reserve(count);
    for _ in 0..count {
        numbers.push(from.number()?);
    }
    Some(())
}

fn take_pairs(from: &mut Take<'_>) -> Option<Vec<[u64; 2]>> {
    let count = from.count()?;
    let mut pairs = Vec::with_capacity(count);
    for _ in 0..count {
        pairs.push([from.number()?, from.number()?]);
    }
    Some(pairs)
}

/// Takes sites. Their values must be sorted, none twice: the sums rely on it.
fn take_sites(from: &mut Take<'_>) -> Option<KindSites> {
    let mut sites = KindSites::default();
    let mut values = Vec::new();
    for _ in 0..from.count()? {
        values.clear();
        for _ in 0..from.count()? {
            values.push(Value { value: from.word()?, count: from.number()? });
        }
        let sorted = values.is_sorted_by(|a: &Value, b| a.value < b.value);
        if !sorted || !sites.push_site(values.iter().copied()) {
            return None;
        }
    }
    Some(sites)
}
