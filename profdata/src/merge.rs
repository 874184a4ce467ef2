//! Merges profiles: associative, commutative, never silent.
//!
//! A [`Merger`] takes inputs in any order, and other mergers; [`Merger::finish`] gives the same profile for every order and every grouping:
//!
//! - Counts stop at the largest count ([`RecordRef::MAX_COUNT`]), and a weight multiplies all counts of its input.
//! - Values of a site are added by value. They are sorted and cut to 255 only at the end: by count, the largest first, then by value.
//! - Where inputs disagree about the number of counters, bytes of bitmap or value sites of a function, each number is summed by itself. At the
//!   end the number that most inputs have is kept (of two, the larger number), and the others are findings. An input without a part (no
//!   bitmap, no sites of a kind) does not decide against those that have it.
//! - Records that say only how hot a function is (pseudo counts) give way to counts. Without counts the hottest one decides, and their
//!   other counters are added. In indexed profiles of version 8 and earlier the numbers of pseudo counts are counts that stopped there.
//! - Of temporal traces, equal ones are added, and those with the smallest hash of their functions are kept when there are too many.
//! - MemProf sections of one version, with the same fields, are added; a weight does not change them, as in LLVM (feature `memprof`).
//! - Front-end profiles do not merge with IR profiles, and byte coverage does not merge with counts: the merge ends with an error.
//!
//! What could not be kept is in the [`Report`].

pub(crate) mod alternates;
mod binary;
mod counters;
mod files;
mod finish;
mod input;
pub(crate) mod kinds;
pub(crate) mod memprof;
mod origins;
mod partial;
mod rename;
mod report;
pub(crate) mod sites;
pub(crate) mod sums;
mod traces;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashTable;

use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, InputId};
use crate::flags::Flags;
use crate::name::{Name, NameId, Names, spread};
use crate::read::raw::Correlation;
use crate::release::Target;
use crate::sink::RecordRef;
use crate::values::ValueSites;
use alternates::Addition;
use binary::Binary;
use counters::Sharing;
pub use files::{FileInput, MAX_THREADS, merge_files, merge_parallel};
pub use input::Input;
use kinds::Kinds;
use memprof::MemProfs;
pub use partial::{NOTED, has_note, note};
pub use report::{InputReport, Report};
use sites::SiteScratch;
use sums::{RecordSum, Sums, uniform_counts};
use traces::Traces;

/// What a merge does where there is a choice.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// The largest number of temporal traces in the result.
    pub max_traces: usize,
    /// The largest number of functions of a temporal trace; later ones are left out.
    pub max_trace_length: usize,
    /// Merge front-end profiles with IR profiles and byte coverage with counts, as LLVM's tool does, instead of an error.
    pub mix_kinds: bool,
    /// Where to find the records and names that raw profiles lack ([`ObjectFiles`](crate::correlate) have them). Several threads use it.
    pub correlation: Option<Arc<dyn Correlation>>,
    /// Refuse inputs whose variant flags readers of the target would misunderstand. The writer refuses their sum.
    pub target: Option<Target>,
    /// No names are needed: those of raw profiles stay packed where that saves time, and functions of which only the hash of the name is known
    /// stay in the result. Only for programs that look for hashes: writers leave such functions out.
    pub unnamed: bool,
}

impl Default for MergeOptions {
    /// LLVM's limits.
    fn default() -> MergeOptions {
        MergeOptions {
            max_traces: 100,
            max_trace_length: 10_000,
            mix_kinds: false,
            correlation: None,
            target: None,
            unnamed: false,
        }
    }
}

/// The sum of any number of profiles.
///
/// ```
/// use profdata::finding::Outcome;
/// use profdata::merge::{MergeOptions, Merger};
///
/// let mut merger = Merger::new(MergeOptions::default());
/// merger.add_bytes("a", 1, b":ir\nmain\n7\n2\n5\n1\n")?;
/// merger.add_bytes("b", 10, b":ir\nmain\n7\n2\n1\n0\n")?; // counts ten times
/// assert_eq!(merger.add_bytes("c", 1, b"")?, Outcome::Empty);
///
/// let (profile, report) = merger.finish()?;
/// assert_eq!(profile.record(0).unwrap().counters, [15, 1]);
/// assert_eq!((report.total.whole, report.total.empty, report.total.counts), (2, 1, 16));
/// # Ok::<(), profdata::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Merger {
    pub(crate) options: MergeOptions,
    pub(crate) kinds: Kinds,
    pub(crate) names: Names,
    pub(crate) records: Vec<RecordSum>,
    /// Places in `records` by name and hash.
    index: HashTable<u32>,
    pub(crate) sums: Sums,
    /// Raw profiles whose counters are not in `sums` yet.
    binaries: Vec<Binary>,
    /// The sums of `binaries` that other mergers add to as well.
    sharing: Sharing,
    /// Where the next record is expected: inputs of one program have their records in one order.
    pub(crate) next: usize,
    pub(crate) traces: Traces,
    pub(crate) vtable_names: BTreeSet<Vec<u8>>,
    pub(crate) binary_ids: BTreeSet<Vec<u8>>,
    pub(crate) memprof: MemProfs,
    pub(crate) inputs: BTreeMap<InputId, InputReport>,
    /// The number of the next input.
    pub(crate) next_input: u32,
    pub(crate) findings: Vec<Finding>,
    pub(crate) scratch: SiteScratch,
}

/// Returns the hash of a function in the index.
fn key(name: NameId, hash: u64) -> u64 {
    // Name numbers are predictable: without `spread`, a hostile profile could choose hashes that make all keys equal.
    spread(hash ^ spread(name.index() as u64))
}

impl Merger {
    /// Returns a merger without inputs.
    pub fn new(options: MergeOptions) -> Merger {
        Merger { options, ..Merger::default() }
    }

    /// Gives the next input this number in the report and in findings. No two inputs of mergers that are absorbed by
    /// [`merge_parallel`] may have one number.
    pub fn number_next(&mut self, number: u32) {
        self.next_input = number;
    }

    /// Checks that the target can have these flags. Errors: [`ErrorKind::Unwritable`].
    fn check_fit(&self, flags: Flags) -> Result<(), Error> {
        self.options.target.map_or(Ok(()), |target| flags.check_fit(target.release()))
    }

    /// Returns whether a record of this name comes next, if the input has its records in the order of those before.
    fn expects(&self, name: Name<'_>) -> bool {
        self.records.get(self.next).is_some_and(|expected| self.names.get(expected.name) == name)
    }

    /// Reserves memory for so many more functions.
    fn reserve(&mut self, functions: usize) {
        self.records.reserve(functions);
        self.names.reserve(functions);
        let records = &self.records;
        let hash = |place: &u32| records.get(*place as usize).map_or(0, |record| key(record.name, record.hash));
        self.index.reserve(functions, hash);
    }

    /// Returns the place of a function's sum, which is empty when the function is new: `input` is the first that has it.
    pub(crate) fn place(&mut self, name: Name<'_>, hash: u64, input: InputId) -> Result<usize, Error> {
        if self.records.get(self.next).is_some_and(|expected| expected.hash == hash) && self.expects(name) {
            self.next += 1;
            return Ok(self.next - 1);
        }
        let too_many = || Error::new(ErrorKind::TooLarge, "names");
        let name = self.names.intern(name).ok_or_else(too_many)?;
        let records = &self.records;
        let hash_of = |place: &u32| records.get(*place as usize).map_or(0, |record| key(record.name, record.hash));
        let is_it =
            |place: &u32| records.get(*place as usize).is_some_and(|other| other.name == name && other.hash == hash);
        let place = match self.index.find(key(name, hash), is_it) {
            Some(place) => *place as usize,
            None => {
                let number = u32::try_from(records.len()).map_err(|_| too_many())?;
                self.index.insert_unique(key(name, hash), number, hash_of);
                self.records.push(RecordSum { name, hash, input, ..RecordSum::default() });
                number as usize
            }
        };
        self.next = place + 1;
        Ok(place)
    }

    /// Adds a record. `is_pseudo`: its first counter says only how hot the function is.
    fn add(&mut self, record: &RecordRef<'_>, is_pseudo: bool, addition: Addition) -> Result<(), Error> {
        let place = self.place(record.name, record.hash, addition.input)?;
        let Some(sum) = self.records.get_mut(place) else { return Ok(()) };
        let addition = Addition { before: sum.contributions, ..addition };
        // Only if the caller does not add inputs in the order of their numbers.
        let origins = (addition.input < sum.input).then(|| sum.origins());
        sum.contributions = sum.contributions.saturating_add(addition.contributions);
        let uniformity = uniform_counts(record);
        if is_pseudo {
            let hot = record.counters.first() == Some(&RecordRef::PSEUDO_HOT);
            sum.add_pseudo(hot, record.counters, &uniformity, addition);
            self.sums.add_counters(sum, &[], &[], addition);
        } else {
            self.sums.add_counters(sum, record.counters, &uniformity, addition);
        }
        self.sums.add_bitmap(sum, record.bitmap, addition);
        let values = record.values.filter(|values| !values.is_empty());
        if values.is_some() || sum.extra.is_some() {
            const NONE: &ValueSites = &ValueSites::NONE;
            sum.add_values(values.unwrap_or(NONE), addition, &mut self.scratch);
        }
        if let Some(origins) = origins {
            let counters = if is_pseudo { 0 } else { record.counters.len() };
            let [calls, sizes, vtables] = values.unwrap_or(&ValueSites::NONE).site_counts();
            sum.settle_sizes(origins, addition.input, [counters, record.bitmap.len(), calls, sizes, vtables]);
        }
        Ok(())
    }

    /// Names functions of which the inputs had only the hashes of the names.
    ///
    /// Errors: [`ErrorKind::TooLarge`]: there are 2^32 names.
    pub(crate) fn name_by(&mut self, correlation: &dyn Correlation) -> Result<(), Error> {
        self.flush_binaries()?;
        let unnamed = self.names.iter().filter(|(_, name)| name.bytes.is_none());
        let unnamed: Vec<u64> = unnamed.map(|(_, name)| name.hash).collect();
        for name in unnamed.into_iter().filter_map(|hash| correlation.name(hash)) {
            self.names.intern(name).ok_or_else(|| Error::new(ErrorKind::TooLarge, "names"))?;
        }
        Ok(())
    }

    /// Adds what the options have to the sums: the names of functions of which the inputs had only the hashes.
    ///
    /// Errors: [`ErrorKind::TooLarge`]: there are 2^32 names.
    pub(crate) fn complete(&mut self) -> Result<(), Error> {
        self.flush_binaries()?;
        match self.options.correlation.clone() {
            Some(correlation) if !self.options.unnamed => self.name_by(&*correlation),
            _ => Ok(()),
        }
    }

    /// Adds everything from another merger. The inputs of `other` follow those of this one in the report.
    ///
    /// Errors: [`ErrorKind::Incompatible`]: the kinds do not merge. [`ErrorKind::TooLarge`]: there are 2^32 names.
    pub fn absorb(&mut self, other: Merger) -> Result<(), Error> {
        let shift = self.next_input;
        let moved = |input: InputId| InputId { number: input.number.saturating_add(shift), ..input };
        self.next_input = self.next_input.saturating_add(other.next_input);
        self.absorb_numbered(other, moved)
    }

    /// Adds all that another merger has added, whose inputs get other numbers by `moved`.
    pub(crate) fn absorb_numbered(
        &mut self,
        mut other: Merger,
        moved: impl Fn(InputId) -> InputId + Copy,
    ) -> Result<(), Error> {
        self.flush_binaries()?;
        other.flush_binaries()?;
        self.kinds.absorb(&other.kinds, self.options.mix_kinds)?;
        self.next = 0;
        for theirs in &other.records {
            let place = self.place(other.names.get(theirs.name), theirs.hash, moved(theirs.input))?;
            if let Some(ours) = self.records.get_mut(place) {
                self.sums.absorb(ours, theirs, &other.sums, 1, moved, &mut self.scratch);
            }
        }
        self.traces.absorb(other.traces, self.options.max_traces);
        self.vtable_names.extend(other.vtable_names);
        self.binary_ids.extend(other.binary_ids);
        other.memprof.inputs.iter_mut().for_each(|input| *input = moved(*input));
        self.memprof.absorb(other.memprof);
        self.next_input = self.next_input.max(moved(InputId::of(other.next_input)).number);
        self.inputs.extend(other.inputs.into_iter().map(|(id, input)| (moved(id), input)));
        self.findings
            .extend(other.findings.into_iter().map(|finding| Finding { input: moved(finding.input), ..finding }));
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;
