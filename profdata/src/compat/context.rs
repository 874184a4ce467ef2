//! The state of one of LLVM's threads: the records that it has merged.

use hashbrown::{HashMap, HashSet};

use crate::compat::messages::llvm_message;
use crate::compat::record::Adder;
use crate::compat::traces::Reservoir;
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, InputId, MemProfLoss};
use crate::flags::Flags;
use crate::maps::{bernstein, small_map_order, string_map_order};
use crate::memprof;
use crate::name::{Name, NameId};
use crate::profile::Profile;
use crate::release::HashMix;
use crate::sink::{RecordRef, Sink, Trace};

/// Stands for the input of a finding about records that two contexts have merged. LLVM names no input then.
pub const FOLDED: InputId = InputId::of(u32::MAX);

/// The kind of a profile. LLVM takes one without flags, and not from the front end, for one that nothing is known of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Kind {
    pub(super) flags: Flags,
    pub(super) front_end: bool,
}

/// One context.
#[derive(Default)]
pub(super) struct Context {
    release: u32,
    /// `None` before the first input.
    kind: Option<Kind>,
    pub(super) profile: Profile,
    index: HashMap<(NameId, u64), usize>,
    adder: Adder,
    pub(super) reservoir: Reservoir,
    /// An input has a MemProf section.
    memprof: bool,
    /// The first finding about each record.
    reported: Vec<Finding>,
    /// The messages of all findings.
    messages: HashSet<Option<&'static str>>,
}

impl Context {
    pub(super) fn new(release: u32) -> Context {
        Context { release, adder: Adder::new(release), ..Context::default() }
    }

    /// Adds a kind. Errors: [`ErrorKind::Incompatible`].
    pub(super) fn add_kind(&mut self, kind: Kind) -> Result<(), Error> {
        let Some(own) = self.kind else {
            self.kind = Some(kind);
            return Ok(());
        };
        if self.release < 14 {
            return self.add_kind_of_llvm_13(own, kind);
        }
        if own == Kind::default() {
            self.kind = Some(kind);
            return Ok(());
        }
        if own.front_end != kind.front_end {
            let of = |kind: Kind| if kind.front_end { "a profile of the front end" } else { "another kind" };
            return Err(Error::new(ErrorKind::Incompatible, "kind").expected(of(own)).found(of(kind)));
        }
        let mixes = |a: Kind, b: Kind| {
            a.flags.has(Flags::FUNCTION_ENTRY_ONLY)
                && (b.flags.has(Flags::ENTRY_FIRST) || b.flags.has(Flags::LOOP_ENTRIES))
        };
        if mixes(own, kind) || mixes(kind, own) {
            let error = Error::new(ErrorKind::Incompatible, "kind");
            return Err(error.expected("only counters of function entries, or counters of blocks").found("both"));
        }
        self.kind = Some(Kind { flags: own.flags | kind.flags, ..own });
        Ok(())
    }

    /// Adds a kind as LLVM 13 does: a profile without the IR flag is one of the front end, and the last input alone decides whether the first
    /// counter counts entries.
    fn add_kind_of_llvm_13(&mut self, own: Kind, kind: Kind) -> Result<(), Error> {
        if own.flags.has(Flags::IR) != kind.flags.has(Flags::IR) {
            let of =
                |kind: Kind| if kind.flags.has(Flags::IR) { "an IR profile" } else { "a profile of the front end" };
            return Err(Error::new(ErrorKind::Incompatible, "kind").expected(of(own)).found(of(kind)));
        }
        self.kind = Some(Kind { flags: own.flags.without(Flags::ENTRY_FIRST) | kind.flags, ..own });
        Ok(())
    }

    /// Adds a record, with its counts multiplied by `weight`, and returns whether it is the first of its function.
    pub(super) fn add(&mut self, record: RecordRef<'_>, weight: u64, input: InputId) -> Result<bool, Error> {
        // LLVM has no names of which it knows only the hash; such a record gets the empty name.
        let name = if record.name.bytes.is_some() { record.name } else { Name::of(&[]) };
        let uniformity = if self.release < 23 { &[] } else { record.uniformity };
        let record = RecordRef { name, uniformity, ..record };
        let id = self.profile.intern(name).ok_or_else(|| Error::new(ErrorKind::TooLarge, "names"))?;
        let known = self.index.get(&(id, record.hash)).copied();
        match known {
            Some(index) => self.adder.merge(&mut self.profile, index, record, weight),
            None => {
                let index = self.profile.push(record)?;
                self.index.insert((id, record.hash), index);
                self.adder.begin(&mut self.profile, index, weight);
            }
        }
        for (place, kind) in self.adder.found.drain(..).enumerate() {
            let finding = Finding { input, function: Some((name.hash, record.hash)), kind };
            // Of what two contexts have merged LLVM reports each kind of finding once.
            let new = self.messages.insert(llvm_message(&kind));
            if place == 0 && (new || input != FOLDED) {
                self.reported.push(finding.clone());
            }
            self.profile.finding(finding);
        }
        Ok(known.is_none())
    }

    pub(super) fn add_traces(&mut self, traces: Vec<Trace>, stream_size: u64) {
        match self.release {
            ..17 => (),
            17..22 => self.reservoir.add_before_22(traces, stream_size),
            _ => self.reservoir.add(traces, stream_size),
        }
    }

    /// Adds a MemProf section. LLVM takes only those of raw and YAML profiles.
    pub(super) fn add_memprof(&mut self, input: InputId) {
        self.memprof = true;
        self.profile.finding(Finding { input, function: None, kind: MemProfLoss::AsLlvm.into() });
    }

    /// Adds all that another context has. LLVM forgets the other's names of vtables, and in releases up to 15 its kind too.
    pub(super) fn fold(&mut self, other: Context) -> Result<(), Error> {
        if self.release >= 16 {
            self.add_kind(other.kind.unwrap_or_default())?;
        }
        for index in other.order() {
            if let Some(record) = other.profile.record(index) {
                self.add(record, 1, FOLDED)?;
            }
        }
        self.add_traces(other.reservoir.traces, other.reservoir.stream_size);
        for id in other.profile.binary_ids() {
            self.profile.binary_id(id);
        }
        self.memprof |= other.memprof;
        for finding in other.profile.findings() {
            self.profile.finding(finding.clone());
        }
        self.reported.extend(other.reported);
        Ok(())
    }

    /// Returns the places of the records in the order in which LLVM's maps hand them out. From LLVM 17 on the order of names means nothing.
    fn order(&self) -> Vec<usize> {
        let mut by_name: Vec<_> =
            (0..self.profile.len()).filter_map(|index| Some((self.profile.name_id(index)?, index))).collect();
        by_name.sort();
        let mut groups: Vec<_> = by_name.chunk_by(|a, b| a.0 == b.0).collect();
        if self.release < 17 {
            let name = |group: &&[(NameId, usize)]| self.profile.names().get(group.first()?.0).bytes;
            groups = string_map_order(&groups, |group| bernstein(name(group).unwrap_or(&[])));
        }
        let hash = |(_, index): &(NameId, usize)| self.profile.record(*index).map_or(0, |record| record.hash);
        let mut all = Vec::with_capacity(by_name.len());
        for group in groups {
            match group {
                [(_, index)] => all.push(*index),
                _ => all.extend(small_map_order(group, HashMix::of(self.release), hash).iter().map(|(_, index)| index)),
            }
        }
        all
    }

    /// Returns what was merged, and the findings that LLVM reports.
    pub(super) fn finish(mut self) -> (Profile, Vec<Finding>) {
        let flags = self.kind.unwrap_or_default().flags;
        self.profile.set_flags(flags);
        if self.memprof
            && let Some(section) = memprof::empty(self.release)
        {
            self.profile.memprof(&section, 0);
        }
        if flags.has(Flags::TEMPORAL) {
            self.profile.set_traces(self.reservoir.traces, self.reservoir.stream_size);
        }
        (self.profile, self.reported)
    }
}
