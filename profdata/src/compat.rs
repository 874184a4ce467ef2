//! Merges profiles as `llvm-profdata` does, to the bit, its defects too.
//!
//! LLVM's result depends on the number of threads, the order of the inputs and the release, and so does this one:
//!
//! - Each of n threads merges every n-th input into its own context. The contexts are then folded in pairs. (With several threads LLVM may
//!   swap two inputs of one context. This module never does.)
//! - A value that is new to a site is added without the weight of its input.
//! - The values of a site are cut to 255 after each input, and values that occur twice meet in the order of an unstable sort.
//! - Folding a context loses its names of vtables; in LLVM 15 and earlier also its kind.
//! - Of several profiles in one file, the first decides the kind, the last whether there is a trace, and LLVM 16 keeps the
//!   binary ids of the last only.
//! - A damaged input that does not end the merge leaves its records before the damage, its trace, and no binary id.
//! - A record without a bitmap in a text input may get the bitmap of the record before it.
//! - LLVM 13 takes each profile without the IR flag for one of the front end, and the last input decides whether the first counter of a
//!   function counts its entries.
//! - Counts of 2^64 - 1 and 2^64 - 2 are pseudo counts (LLVM 16 and later).
//!
//! Not established, because no release could be asked: the binary ids of LLVM 17 and 18, the limits of LLVM 17, 18, 20, 21 and 23 where the
//! releases next to them differ, and the rounding of uniformity bits (LLVM 23). As LLVM's tool does, a merge leaves out the contents of
//! MemProf sections; the result of LLVM 19, 21, 22 and 23 has an empty section instead (seen of 19 and 22).

mod context;
mod messages;
mod record;
mod sites;
mod sort;
mod traces;
mod twister;

use std::fmt;

use crate::compat::context::{Context, Kind};
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind, InputId};
use crate::flags::Flags;
use crate::profile::Profile;
use crate::release::Release;
use crate::sink::{Format, Heading, RecordRef, Sink, Trace};

pub use context::FOLDED;
pub use messages::{SAME_BINARY_HINT, has_hint, llvm_message};
pub use sort::sort_as_libstdcxx;

/// When a merge with unreadable inputs fails (`-failure-mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum FailureMode {
    /// If an input fails.
    #[default]
    Any,
    /// If all inputs fail.
    All,
    /// Never.
    Warn,
}

/// Merges inputs in the order in which they are added.
///
/// ```
/// use profdata::compat::{FailureMode, CompatMerger};
/// use profdata::read;
/// use profdata::read::ReadOptions;
/// use profdata::write::Release;
///
/// let release = Release::new(19).ok_or("no such release")?;
/// let mut merger = CompatMerger::new(release, FailureMode::Any, 1);
/// for text in ["foo\n1\n1\n5\n", "foo\n1\n1\n6\n"] {
///     merger.add(1, |sink| read(text.as_bytes(), &ReadOptions::default(), sink));
/// }
/// let merged = merger.finish()?;
/// assert_eq!(merged.profile.record(0).map(|record| record.counters[0]), Some(11));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CompatMerger {
    release: Release,
    mode: FailureMode,
    contexts: Vec<Context>,
    keep_vtable_names: bool,
    inputs: u32,
    errors: Vec<(InputId, Error)>,
}

/// The result of a merge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Merged {
    /// What was merged, with one record for each name and hash, in the order in which LLVM's writer gets them, and with findings.
    pub profile: Profile,
    /// The findings that `llvm-profdata` reports ([`llvm_message`]): the first about each record of an input.
    pub reported: Vec<Finding>,
    /// What went wrong with inputs, in LLVM's order. Records before an error are in the profile.
    pub errors: Vec<(InputId, Error)>,
}

/// A merge that has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Failed {
    /// What went wrong with inputs.
    pub errors: Vec<(InputId, Error)>,
    /// The merge of what two threads have merged failed.
    pub fold: Option<Error>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.fold, self.errors.first()) {
            (Some(error), _) => write!(f, "{error}"),
            (None, Some((input, error))) => write!(f, "no profile can be merged: input {}: {error}", input.number),
            (None, None) => f.write_str("no profile can be merged"),
        }
    }
}

impl std::error::Error for Failed {}

impl CompatMerger {
    /// Begins a merge as this release does it with this `-num-threads`. All work happens on the calling thread.
    pub fn new(release: Release, mode: FailureMode, threads: usize) -> CompatMerger {
        let contexts = (0..threads.max(1)).map(|_| Context::new(release.number())).collect();
        CompatMerger { release, mode, contexts, keep_vtable_names: false, inputs: 0, errors: Vec::new() }
    }

    /// Keeps the names of vtables (`-keep-vtable-symbols`).
    pub fn keep_vtable_names(mut self, keep: bool) -> CompatMerger {
        self.keep_vtable_names = keep;
        self
    }

    /// Sets how many temporal traces are kept, and how many functions of each (`-temporal-profile-trace-reservoir-size`,
    /// `-temporal-profile-max-trace-length`). The defaults are LLVM's: 100 and 10,000.
    pub fn trace_limits(mut self, kept: usize, longest: usize) -> CompatMerger {
        for context in &mut self.contexts {
            (context.reservoir.kept, context.reservoir.longest) = (kept, longest);
        }
        self
    }

    /// Adds an input, with its counts multiplied by `weight`, and returns its number, which findings and errors have.
    ///
    /// `read` hands the input to a sink and returns whether it could be read to the end; [`ErrorKind::Empty`] is no error here. To repeat
    /// LLVM's result it sets [`ReadOptions::release`](crate::read::ReadOptions::release) and does not salvage. For a profile in memory it is
    /// [`Profile::send_to`].
    pub fn add(&mut self, weight: u64, read: impl FnOnce(&mut dyn Sink) -> Result<(), Error>) -> InputId {
        let input = InputId::of(self.inputs);
        let place = self.inputs as usize % self.contexts.len().max(1);
        self.inputs = self.inputs.saturating_add(1);
        let Some(context) = self.contexts.get_mut(place) else { return input };
        let keep_vtable_names = self.keep_vtable_names && self.release.number() >= 19;
        let mut sink = InputSink {
            context,
            input,
            weight,
            keep_vtable_names,
            format: None,
            is_temporal: false,
            stale: Vec::new(),
            warning: None,
            keep_last_ids: self.release.number() < 17,
            ids: Vec::new(),
        };
        match read(&mut sink) {
            Err(error) if error.kind() != ErrorKind::Empty => self.errors.push((input, error)),
            _ => {
                sink.ids.iter().for_each(|id| sink.context.profile.binary_id(id));
                self.errors.extend(sink.warning.map(|error| (input, error)));
            }
        }
        input
    }

    /// Ends the merge.
    pub fn finish(self) -> Result<Merged, Failed> {
        let CompatMerger { mode, contexts, inputs, mut errors, .. } = self;
        // LLVM reports the errors of one context after those of another.
        let count = contexts.len().max(1) as u32;
        errors.sort_by_key(|(input, _)| input.number % count);
        let failed = match mode {
            FailureMode::Any => !errors.is_empty(),
            FailureMode::All => !errors.is_empty() && errors.len() == inputs as usize,
            FailureMode::Warn => false,
        };
        match fold(contexts) {
            Err(error) => Err(Failed { errors, fold: Some(error) }),
            Ok(_) if failed => Err(Failed { errors, fold: None }),
            Ok((profile, reported)) => Ok(Merged { profile, reported, errors }),
        }
    }
}

/// Folds the upper half of the contexts into the lower half until one is left.
fn fold(mut contexts: Vec<Context>) -> Result<(Profile, Vec<Finding>), Error> {
    while contexts.len() > 1 {
        let half = contexts.len() / 2;
        let odd = if contexts.len() % 2 == 1 { contexts.pop() } else { None };
        let upper = contexts.split_off(half);
        for (context, other) in contexts.iter_mut().zip(upper) {
            context.fold(other)?;
        }
        if let (Some(first), Some(odd)) = (contexts.first_mut(), odd) {
            first.fold(odd)?;
        }
    }
    Ok(contexts.pop().map(Context::finish).unwrap_or_default())
}

/// Removes each name of which no record has a count or a bit in its bitmap (`-sparse`). A name with one that has keeps all its records.
///
/// In LLVM 16 and earlier the names that are removed still have a say in the order of the others in an indexed profile.
pub fn drop_dead_names(profile: &mut Profile) {
    let mut names = vec![false; profile.names().len()];
    for (index, record) in profile.records().enumerate() {
        let slot = profile.name_id(index).and_then(|name| names.get_mut(name.index()));
        if let Some(slot) = slot {
            *slot |= record.is_live();
        }
    }
    let keep: Vec<_> = (0..profile.len())
        .map(|index| profile.name_id(index).and_then(|name| names.get(name.index()).copied()).unwrap_or(true))
        .collect();
    let mut keep = keep.into_iter();
    profile.retain(|_| keep.next().unwrap_or(true));
}

fn is_raw(format: Format) -> bool {
    matches!(format, Format::Raw7(_) | Format::Raw(..))
}

/// Takes one input into its context.
struct InputSink<'a> {
    context: &'a mut Context,
    input: InputId,
    weight: u64,
    keep_vtable_names: bool,
    format: Option<Format>,
    /// The last profile of the input has traces.
    is_temporal: bool,
    /// The bitmap that LLVM's text reader gives to a record without one: it forgets the bitmap of the record before only if that was the
    /// first of its function.
    stale: Vec<u8>,
    /// The first thing that LLVM takes for an error although it reads on.
    warning: Option<Error>,
    /// Of several profiles in the input only the last keeps its binary ids: LLVM 16 and earlier.
    keep_last_ids: bool,
    /// The binary ids of the input, which LLVM takes only if it can read all of it.
    ids: Vec<Vec<u8>>,
}

impl Sink for InputSink<'_> {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        let is_first = self.format.replace(heading.format).is_none();
        self.is_temporal = heading.flags.has(Flags::TEMPORAL);
        if self.keep_last_ids {
            self.ids.clear();
        }
        if !is_first && is_raw(heading.format) {
            return Ok(());
        }
        let kind = Kind { flags: heading.flags.without(Flags::DEBUG_CORRELATE), front_end: heading.says_front_end };
        self.context.add_kind(kind)
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        if self.format != Some(Format::Text) {
            return self.context.add(record, self.weight, self.input).map(|_| ());
        }
        if !record.bitmap.is_empty() {
            self.stale.clear();
            self.stale.extend_from_slice(record.bitmap);
        }
        if self.context.add(RecordRef { bitmap: &self.stale, ..record }, self.weight, self.input)? {
            self.stale.clear();
        }
        Ok(())
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.ids.push(id.to_vec());
    }

    fn vtable_name(&mut self, name: &[u8]) {
        if self.keep_vtable_names {
            self.context.profile.vtable_name(name);
        }
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        if !self.is_temporal {
            return;
        }
        let mut traces = traces.to_vec();
        // The traces of a raw profile get the weight of the input.
        if self.format.is_some_and(is_raw) {
            traces.iter_mut().for_each(|trace| trace.weight = self.weight);
        }
        self.context.add_traces(traces, stream_size);
    }

    fn memprof(&mut self, _section: &[u8], _start: u64) {
        self.context.add_memprof(self.input);
    }

    fn finding(&mut self, mut finding: Finding) {
        if let FindingKind::CounterTooLarge { value, .. } = finding.kind {
            let error = || Error::new(ErrorKind::CounterTooLarge, "counter").expected("at most 2^56").found(value);
            self.warning.get_or_insert_with(error);
        }
        finding.input = self.input;
        self.context.profile.finding(finding);
    }
}

#[cfg(test)]
mod tests;
