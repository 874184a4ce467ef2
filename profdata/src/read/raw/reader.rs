//! Reads all profiles of a file.

use std::collections::HashSet;
use std::sync::Arc;

use profrt_format::layout::Part;
use profrt_format::{RawVersion, Variant};

use super::next::{next_profile, search};
use super::parts::{Budget, first_large, take_bitmap, take_counters, take_uniformity, too_large};
use super::{Correlated, RawFile, RecordHead, Targets, ValueCursor, fill};
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind};
use crate::name::Name;
use crate::read::names::{self, NameTable};
use crate::read::{ReadOptions, detect};
use crate::sink::{Heading, RecordRef, Sink, Trace};
use crate::values::ValueSites;

/// Reads the profiles of one file.
pub(super) struct RawReader<'o, S: ?Sized> {
    options: &'o ReadOptions<'o>,
    /// The names of functions are wanted.
    names: bool,
    sink: &'o mut S,
    /// Time stamp and name of each function that has run first at that time.
    stamps: Vec<(u64, u64)>,
    /// The error about the first counter that is too large.
    too_large: Option<Error>,
    /// The error about the first profile that lacks its binary.
    uncorrelated: Option<Error>,
    /// A record has been delivered.
    delivered: bool,
    /// Some profile of the file was cut or damaged: the headers of later ones are not believed.
    suspicious: bool,
    scratch: RecordScratch,
}

/// Memory that every record uses again.
#[derive(Default)]
struct RecordScratch {
    counters: Vec<u64>,
    uniformity: Vec<u8>,
    values: ValueSites,
}

impl<'o, S: Sink + ?Sized> RawReader<'o, S> {
    pub(super) fn new(options: &'o ReadOptions<'o>, names: bool, sink: &'o mut S) -> Self {
        RawReader {
            options,
            names,
            sink,
            stamps: Vec::new(),
            too_large: None,
            uncorrelated: None,
            delivered: false,
            suspicious: false,
            scratch: RecordScratch::default(),
        }
    }

    pub(super) fn read(mut self, input: &[u8]) -> Result<(), Error> {
        let read = self.profiles(input);
        // The functions before damage have run, too.
        self.trace();
        read?;
        self.uncorrelated.filter(|_| !self.delivered).map_or(Ok(()), Err)?;
        // Any other error is more important, and has been returned.
        self.too_large.map_or(Ok(()), Err)
    }

    fn profiles(&mut self, input: &[u8]) -> Result<(), Error> {
        let mut at = 0;
        loop {
            let parsed = if self.options.salvage { RawFile::parse_cut(input, at) } else { RawFile::parse(input, at) };
            let parsed = parsed.and_then(|file| match file.flags().read(self.options.release) {
                Ok(_) => Ok(file),
                Err(error) => Err(error.at(file.start().saturating_add(8))),
            });
            let file = match parsed {
                Ok(file) => file,
                Err(_) if self.options.salvage && at > 0 => {
                    self.trailing(input, at);
                    return Ok(());
                }
                Err(error) => {
                    if let Some(missing) = missing_of_header(input).filter(|_| self.options.salvage) {
                        self.lost(FindingKind::Truncated { missing });
                    }
                    return Err(error);
                }
            };
            if let Some(release) = self.options.release
                && file.version_number() != u64::from(release.raw())
            {
                let error = Error::new(ErrorKind::UnsupportedVersion, "Version").at(file.start().saturating_add(8));
                return Err(error.expected(release.raw()).found(file.version_number()));
            }
            let next = if self.options.salvage { self.salvage(input, file)? } else { self.strict(input, &file)? };
            let Some(next) = next else { return Ok(()) };
            at = next;
        }
    }

    /// Reads one profile. Returns where the next one begins.
    fn strict(&mut self, input: &[u8], file: &RawFile<'_>) -> Result<Option<usize>, Error> {
        let (names, error) = if file.needs_correlation() || !self.names { Default::default() } else { file.names() };
        error.map_or(Ok(()), Err)?;
        let end = self.profile(file, &names, false)?;
        next_profile(input, end, file)
    }

    /// Reads what there is of one profile. Returns where the next one begins.
    fn salvage(&mut self, input: &[u8], mut file: RawFile<'_>) -> Result<Option<usize>, Error> {
        // If a later profile begins within this one, this one ends there, whatever its header says: a program was killed while it wrote,
        // and another one appended its own. The search is put off until there is damage, since it takes longer than the rest. After that it
        // comes first, so that no byte is read more than a few times.
        let mut found = None;
        if self.suspicious {
            found = search(input, &file);
            if let Some(found) = found {
                file.cut(found.saturating_sub(file.start() as usize));
            }
        }
        let (mut names, mut error) = file.names();
        let whole = error.is_none() && file.first_cut().is_none();
        let mut end = whole.then(|| end_of(&file)).flatten();
        if !self.suspicious {
            match end.map(|end| next_profile(input, end, &file)) {
                Some(Ok(next)) => found = next,
                _ => {
                    self.suspicious = true;
                    found = search(input, &file);
                    if let Some(found) = found.filter(|found| end.is_none_or(|end| *found < end)) {
                        file.cut(found.saturating_sub(file.start() as usize));
                        (names, error) = file.names();
                        end = None;
                    }
                }
            }
        }
        if file.missing() > 0 {
            self.lost(FindingKind::Truncated { missing: file.missing() });
        }
        if file.missing_records() > 0 {
            self.lost(FindingKind::RecordsLost { names: file.missing_records() });
        }
        match self.profile(&file, &names, error.is_some()) {
            Err(error) if matches!(error.kind(), ErrorKind::MissingCorrelation | ErrorKind::UnableToCorrelate) => {
                self.lost(FindingKind::SectionLost);
                self.uncorrelated.get_or_insert(error);
            }
            result => drop(result?),
        }
        if let Some(end) = end {
            self.trailing(input.get(..found.unwrap_or(input.len())).unwrap_or(&[]), end);
        }
        Ok(found)
    }

    /// Reports the bytes of the input from `at` on, unless all are 0.
    fn trailing(&mut self, input: &[u8], at: usize) {
        let rest = input.get(at..).unwrap_or(&[]);
        if rest.iter().any(|byte| *byte != 0) {
            self.lost(FindingKind::TrailingBytes { bytes: rest.len() as u64 });
        }
    }

    fn lost(&mut self, kind: FindingKind) {
        self.sink.finding(Finding::of_input(kind));
    }

    /// Returns the error, or tells the sink that a section is lost.
    fn section(&mut self, error: Option<Error>) -> Result<(), Error> {
        match error {
            Some(_) if self.options.salvage => self.lost(FindingKind::SectionLost),
            Some(error) => return Err(error),
            None => {}
        }
        Ok(())
    }

    /// Delivers one profile. Returns its end in the input, if its value data is whole.
    fn profile(&mut self, file: &RawFile<'_>, names: &NameTable, names_damaged: bool) -> Result<usize, Error> {
        let (ids, ids_error) = file.binary_ids();
        if let Some(error) = ids_error.as_ref().filter(|_| !self.options.salvage) {
            return Err(error.clone());
        }
        let correlated = self.correlate(file)?;
        let heading = file.heading();
        self.sink.heading(&Heading { flags: heading.flags.without(heading.flags.unknown()), ..heading })?;
        self.section(ids_error)?;
        let unfinished = file.unfinished();
        if unfinished > 0 {
            self.lost(FindingKind::Unfinished { bytes: unfinished });
        }
        ids.iter().for_each(|id| self.sink.binary_id(id));
        let (mut text, section) = (Vec::new(), file.part(Part::VNames));
        let vtable_names = names::for_each(section, &mut text, |name| self.sink.vtable_name(name));
        self.section(vtable_names.err().map(|error| file.in_section(error, Part::VNames)))?;
        drop(text);

        let is_unnamed = names.is_empty() && self.names && file.num_records() > 0;
        if correlated.is_none() && unfinished == 0 && (names_damaged || is_unnamed) {
            self.lost(FindingKind::NamesLost);
        }
        let names = correlated.as_ref().map_or(names, |correlated| &correlated.names);
        let mut budget = Budget::of(file, names);
        if self.options.correlation.is_some() {
            budget.add_names(file.num_records());
        }
        let mut cursor = ValueCursor::of(file);
        match &correlated {
            Some(correlated) => self.records(file, correlated.records.iter().copied(), names, None, &mut budget)?,
            None => self.records(file, file.records(), names, Some(&mut cursor), &mut budget)?,
        }
        Ok(cursor.position())
    }

    /// Returns what the binary has, if the profile needs it.
    fn correlate(&self, file: &RawFile<'_>) -> Result<Option<Arc<Correlated>>, Error> {
        match (file.needs_correlation(), self.options.correlation) {
            (true, Some(correlation)) => Ok(Some(correlation.find(file)?)),
            (true, None) => Err(Error::new(ErrorKind::MissingCorrelation, "NumData").at(file.start())),
            (false, _) => Ok(None),
        }
    }

    fn records(
        &mut self,
        file: &RawFile<'_>,
        heads: impl Iterator<Item = RecordHead> + Clone,
        names: &NameTable,
        mut cursor: Option<&mut ValueCursor<'_>>,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        let targets = Targets::of(file);
        let mut scratch = std::mem::take(&mut self.scratch);
        let (mut next_name, mut values_lost, mut mismatch) = (0, false, false);
        // A linker can leave several records of a function in a program, one of each unit that has it, and one counter: weak functions, and inline
        // ones after LTO with clang 14. What they count is counted once. Functions of one name and hash with counters of their own all count.
        // LLVM's tools count a record as often as it is there.
        let have_own_counters = || heads.clone().map(|head| head.counters_at).is_sorted_by(|one, next| one < next);
        // Name, hash and counters.
        let mut seen = (self.options.release.is_none() && !have_own_counters()).then(HashSet::new);
        for (index, head) in heads.enumerate() {
            let name = names.get_after(head.name_ref, &mut next_name);
            let name = name.or_else(|| self.options.correlation?.name(head.name_ref));
            let name = name.filter(|name| budget.take_name(*name));
            let finding = |kind| Finding::of_function(head.name_ref, head.hash, kind);
            // Values come first: the cursor steps over them even when the function is left out.
            let mut values = None;
            if let Some(cursor) = cursor.as_deref_mut()
                && head.has_values()
            {
                if !values_lost {
                    match cursor.next(head.sites) {
                        Ok(found) => {
                            fill(found, &targets, &mut scratch.values);
                            values = Some(&scratch.values);
                        }
                        Err(_) if self.options.salvage => {
                            values_lost = true;
                            // What sections lack has been said.
                            if let Some(missing) = cursor.missing(head.sites).filter(|_| file.missing() == 0) {
                                self.lost(FindingKind::Truncated { missing });
                            }
                        }
                        Err(error) => {
                            let counters = &mut scratch.counters;
                            let stamp = take_counters(file, index as u64, &head, budget, false, counters);
                            self.stamps.extend(stamp.ok().flatten().map(|stamp| (stamp, head.name_ref)));
                            return Err(error);
                        }
                    }
                }
                if values.is_none() {
                    self.sink.finding(finding(FindingKind::ValuesLost));
                }
            }
            let is_again = seen.as_mut().is_some_and(|seen| !seen.insert((head.name_ref, head.hash, head.counters_at)));
            let has_counts = |values: &&ValueSites| values.kinds.iter().any(|kind| !kind.values().is_empty());
            if is_again && values.filter(has_counts).is_none() {
                continue;
            }
            let salvage = self.options.salvage;
            let stamp = match take_counters(file, index as u64, &head, budget, salvage, &mut scratch.counters) {
                Ok(stamp) => stamp,
                Err(error) if self.options.salvage => {
                    let lost = error.kind() == ErrorKind::Truncated;
                    if let Some(version) = file.other_version().filter(|_| !lost && !mismatch) {
                        mismatch = true;
                        self.lost(FindingKind::OtherRecords { version: version.number() });
                    }
                    let kind = if lost { FindingKind::CountersLost } else { FindingKind::RecordDamaged };
                    self.sink.finding(finding(kind));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some((counter, value)) = first_large(&scratch.counters) {
                if self.options.salvage {
                    self.sink.finding(finding(FindingKind::CounterTooLarge { counter, value }));
                    continue;
                }
                if self.options.release.is_none_or(|release| release.number() >= 17) {
                    self.too_large.get_or_insert_with(|| too_large(file, &head, counter, value));
                }
            }
            if is_again {
                // Each record has values of its own.
                scratch.counters.fill(0);
            }
            let bitmap = match take_bitmap(file, index as u64, &head, budget) {
                Ok(bitmap) => bitmap,
                Err(_) if self.options.salvage => {
                    self.sink.finding(finding(FindingKind::BitmapLost));
                    &[]
                }
                Err(error) => return Err(error),
            };
            if name.is_none() && !names.is_empty() {
                self.sink.finding(finding(FindingKind::NoName));
            }
            self.stamps.extend(stamp.map(|stamp| (stamp, head.name_ref)));
            take_uniformity(file, &head, &scratch.counters, &mut scratch.uniformity);
            self.delivered = true;
            self.sink.record(RecordRef {
                name: name.unwrap_or(Name::of_hash(head.name_ref)),
                hash: head.hash,
                counters: &scratch.counters,
                bitmap,
                uniformity: &scratch.uniformity,
                values,
            })?;
        }
        self.scratch = scratch;
        Ok(())
    }

    /// Delivers the trace that the time stamps make.
    fn trace(&mut self) {
        if self.stamps.is_empty() {
            return;
        }
        self.stamps.sort_unstable();
        let functions = self.stamps.iter().map(|(_, name)| *name).collect();
        self.sink.traces(&[Trace { weight: 1, functions }], 1);
    }
}

/// Returns how many bytes of its header an input lacks, if its version word is there.
fn missing_of_header(input: &[u8]) -> Option<u64> {
    let encoding = detect::raw(*input.first_chunk()?)?;
    let number = Variant(encoding.u64_at(input, 8)?).number();
    let version = RawVersion::from_number(if number == RawVersion::V8.number() - 1 { number + 1 } else { number })?;
    (version.header_words() as u64 * 8).checked_sub(input.len() as u64).filter(|missing| *missing > 0)
}

/// Returns all profiles of an input. Errors: one of them is damaged.
pub(crate) fn profiles(input: &[u8]) -> Result<Vec<RawFile<'_>>, Error> {
    let (mut files, mut at) = (Vec::new(), Some(0));
    while let Some(start) = at {
        let file = RawFile::parse(input, start)?;
        at = end_of(&file).map_or(Ok(None), |end| next_profile(input, end, &file))?;
        files.push(file);
    }
    Ok(files)
}

/// Returns where a profile ends in the input whose sections are whole; `None` if its value data is cut or damaged.
fn end_of(file: &RawFile<'_>) -> Option<usize> {
    let mut cursor = ValueCursor::of(file);
    if !file.needs_correlation() {
        for head in file.records().filter(RecordHead::has_values) {
            cursor.next(head.sites).ok()?;
        }
    }
    Some(cursor.position())
}
