//! One input of a merge, as bytes of any format, or a sink that adds what a reader hands over.

use super::alternates::Addition;
use super::report::InputReport;
use super::{MergeOptions, Merger};
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind, InputId, LossAccount, Outcome};
use crate::flags::Flags;
use crate::name::Name;
use crate::read::{Detected, ReadOptions, detect, raw, read};
use crate::sink::{Heading, RecordRef, Sink, Trace, sum_of};

/// An input that is being added, until [`Input::finish`]. Dropped without it, the input counts as salvaged, with an error: its end is unknown.
#[derive(Debug)]
pub struct Input<'a> {
    merger: &'a mut Merger,
    id: InputId,
    weight: u64,
    heading: Option<Heading>,
    /// All headings are of releases that know no pseudo counts.
    knows_no_pseudo: bool,
    /// The kind of the heading has been added to those of the merge.
    checked: bool,
    account: LossAccount,
    findings: usize,
    /// Traces or a MemProf section were added, so it is not refused.
    has_others: bool,
    /// Binary ids and names of vtables, which do not count when nothing of the input can be used.
    binary_ids: Vec<Vec<u8>>,
    vtable_names: Vec<Vec<u8>>,
    finished: bool,
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if !self.finished {
            let error = Error::new(ErrorKind::Truncated, "input").found("no end");
            // It is in the report.
            let _ = self.end(0, Err(error));
        }
    }
}

impl Merger {
    /// Adds an input of any format, with all its counts multiplied by `weight`: everything that is whole of it. `name` stands in the report.
    /// Returns what became of it.
    ///
    /// Errors: [`ErrorKind::Incompatible`]: its kind does not merge with those before. Any other damage is in the report.
    pub fn add_bytes(&mut self, name: &str, weight: u64, bytes: &[u8]) -> Result<Outcome, Error> {
        if detect(bytes) == Some(Detected::Partial) {
            return match self.add_partial(name, weight, bytes) {
                // Its header cannot be read, so nothing was added.
                Err(error) if error.kind() != ErrorKind::Incompatible => {
                    self.input(name, weight).finish(bytes.len() as u64, Err(error))
                }
                result => result,
            };
        }
        let correlation = self.options.correlation.clone();
        let options = ReadOptions { salvage: true, release: None, correlation: correlation.as_deref() };
        let mut input = self.input(name, weight);
        let added = if raw::is_raw(bytes) { input.add_sections(bytes) } else { Ok(false) };
        let result = added.and_then(|added| if added { Ok(()) } else { read(bytes, &options, &mut input) });
        input.finish(bytes.len() as u64, result)
    }

    /// Begins an input, all of whose counts are multiplied by `weight`. `name` stands in the report.
    pub fn input(&mut self, name: impl Into<String>, weight: u64) -> Input<'_> {
        let id = InputId::of(self.next_input);
        self.next_input = self.next_input.saturating_add(1);
        self.inputs.insert(id, InputReport::new(name, weight, Outcome::Whole, LossAccount::default()));
        self.next = 0;
        Input {
            id,
            weight,
            heading: None,
            knows_no_pseudo: false,
            checked: false,
            account: LossAccount::default(),
            findings: self.findings.len(),
            has_others: false,
            binary_ids: Vec::new(),
            vtable_names: Vec::new(),
            finished: false,
            merger: self,
        }
    }
}

impl Input<'_> {
    /// Returns the number of the input in findings.
    pub fn id(&self) -> InputId {
        self.id
    }

    /// Puts another weight into the report than the one that multiplies counts: the caller has multiplied them.
    pub fn report_weight(&mut self, weight: u64) {
        if let Some(report) = self.merger.inputs.get_mut(&self.id) {
            report.weight = weight;
        }
    }

    /// Ends the input, of so many bytes, with what its reader returned. Returns what became of it.
    ///
    /// Errors: [`ErrorKind::Incompatible`]: its kind does not merge with those before. No other error of a reader ends a merge: the input
    /// is salvaged or refused, and the report says why.
    pub fn finish(mut self, bytes: u64, read: Result<(), Error>) -> Result<Outcome, Error> {
        self.end(bytes, read)
    }

    fn end(&mut self, bytes: u64, read: Result<(), Error>) -> Result<Outcome, Error> {
        self.finished = true;
        self.account.bytes = bytes;
        let lost = self.merger.findings.get(self.findings..).unwrap_or(&[]);
        let lost = lost.iter().any(|finding| is_loss(&finding.kind));
        let error = read.err().map(|error| self.named(error));
        let is_unused = self.account.functions == 0 && !self.has_others;
        let outcome = match &error {
            Some(error) if error.kind() == ErrorKind::Empty => Outcome::Empty,
            Some(_) if is_unused => Outcome::Refused,
            Some(_) => Outcome::Salvaged,
            None if lost && is_unused => Outcome::Refused,
            None if lost => Outcome::Salvaged,
            None => Outcome::Whole,
        };
        if outcome != Outcome::Refused {
            self.merger.binary_ids.extend(self.binary_ids.drain(..));
            self.merger.vtable_names.extend(self.vtable_names.drain(..));
        }
        let incompatible = error.as_ref().filter(|error| error.kind() == ErrorKind::Incompatible).cloned();
        *self.account.inputs_mut(outcome) = 1;
        if let Some(report) = self.merger.inputs.get_mut(&self.id) {
            report.outcome = outcome;
            report.account = self.account;
            report.error = error;
        }
        incompatible.map_or(Ok(outcome), Err)
    }

    /// Adds a raw file section to section, if that is possible; see [`Merger::add_sections`].
    pub(crate) fn add_sections(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        if self.weight != 1 {
            return Ok(false);
        }
        let Some(added) = self.merger.add_sections(self.id, bytes)? else { return Ok(false) };
        self.account.functions = self.account.functions.saturating_add(added.functions);
        self.account.counts = self.account.counts.saturating_add(added.counts);
        added.findings.into_iter().for_each(|finding| self.note(finding));
        Ok(true)
    }

    fn named(&self, error: Error) -> Error {
        match self.merger.inputs.get(&self.id) {
            Some(report) => error.in_input(report.name.clone()),
            None => error,
        }
    }

    fn note(&mut self, finding: Finding) {
        self.merger.findings.push(Finding { input: self.id, ..finding });
    }
}

/// Returns whether a finding says that something of the input could not be read.
fn is_loss(kind: &FindingKind) -> bool {
    use FindingKind::{DuplicateValue, LastLineUnended, TraceFunctionsLeftOut, Unfinished};
    !matches!(kind, DuplicateValue { .. } | LastLineUnended | TraceFunctionsLeftOut { .. } | Unfinished { .. })
}

impl Sink for Input<'_> {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.knows_no_pseudo = !heading.format.has_pseudo_counts() && (self.knows_no_pseudo || self.heading.is_none());
        self.heading = Some(*heading);
        self.checked = false;
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        // Only a record decides the kind: LLVM writes an indexed profile of no kind when no input has a record.
        if let Some(heading) = self.heading.as_ref().filter(|_| !self.checked) {
            self.merger.check_fit(heading.flags)?;
            self.merger.kinds.add(heading, self.merger.options.mix_kinds)?;
            self.checked = true;
        }
        let addition = Addition { input: self.id, weight: self.weight, contributions: 1, before: 0 };
        let is_pseudo = record.is_pseudo() && !self.knows_no_pseudo;
        self.merger.add(&record, is_pseudo, addition)?;
        self.account.functions = self.account.functions.saturating_add(1);
        let counts = if is_pseudo { 0 } else { sum_of(record.counters) };
        self.account.counts = self.account.counts.saturating_add(counts.saturating_mul(self.weight.into()));
        let found = std::mem::take(&mut self.merger.scratch.found);
        for kind in found {
            self.note(Finding::of_function(record.name.hash, record.hash, kind));
        }
        Ok(())
    }

    fn expects(&mut self, name: Name<'_>) -> bool {
        self.merger.expects(name)
    }

    fn binary_id(&mut self, id: &[u8]) {
        if !self.merger.binary_ids.contains(id) {
            self.binary_ids.push(id.to_vec());
        }
    }

    fn vtable_name(&mut self, name: &[u8]) {
        if !self.merger.vtable_names.contains(name) {
            self.vtable_names.push(name.to_vec());
        }
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        let MergeOptions { max_traces: most, max_trace_length: longest, .. } = self.merger.options;
        let mut cut: u64 = 0;
        for trace in traces {
            cut = cut.saturating_add(self.merger.traces.add(trace, self.weight, most, longest));
        }
        if cut > 0 {
            self.note(Finding::of_input(FindingKind::TraceFunctionsLeftOut { functions: cut }));
        }
        self.merger.traces.stream_size = self.merger.traces.stream_size.saturating_add(stream_size);
        self.merger.kinds.flags |= Flags::TEMPORAL;
        self.has_others |= !traces.is_empty();
    }

    fn memprof(&mut self, section: &[u8], start: u64) {
        match self.merger.memprof.add(self.id, start, section) {
            Ok(()) => self.has_others = true,
            Err(why) => self.note(Finding::of_input(why.into())),
        }
    }

    fn finding(&mut self, finding: Finding) {
        // A damaged record of which not even the function is known is one of `RecordsLost`.
        let functions = match finding.kind {
            FindingKind::Truncated { missing } => {
                self.account.bytes_missing = self.account.bytes_missing.saturating_add(missing);
                0
            }
            FindingKind::CountersLost | FindingKind::CounterTooLarge { .. } | FindingKind::RecordDamaged => {
                u64::from(finding.function.is_some())
            }
            FindingKind::RecordsLost { names } => names,
            // Another input may have the name: the end of the merge tells.
            FindingKind::NoName => return,
            _ => 0,
        };
        self.account.functions_lost = self.account.functions_lost.saturating_add(functions);
        self.note(finding);
    }
}
