//! How much of the programs has a profile: functions by their records, code by the symbols.

use std::collections::{HashMap, HashSet};

use profdata::Profile;
use profdata::name::name_hash;
use profdata::sink::{Flags, RecordRef};
use serde::Serialize;

use super::program::{Program, Record, symbol};

/// What the profile has of a function, from what is worst to what is best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum State {
    /// Not instrumented.
    Unknown,
    /// No record with the name.
    Missing,
    /// Records of other hashes, or with another number of counters: compilers do not use them.
    Stale,
    /// A record, all of whose counters are 0.
    Idle,
    /// A record with counts.
    Ran,
}

/// Functions or bytes of code, by what the profile has of them.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Amount {
    /// Those that can have a profile: all of a program without records, otherwise the instrumented ones.
    pub(crate) all: u64,
    /// With a record that compilers can use.
    pub(crate) with_profile: u64,
    pub(crate) ran: u64,
    pub(crate) stale: u64,
    /// Instrumented, or of a program without records, and without a record in the profile.
    pub(crate) without_profile: u64,
    /// Without instrumentation, in a program that has some: the profiling runtime, and libraries.
    pub(crate) not_instrumented: u64,
}

impl Amount {
    fn add(&mut self, state: State, amount: u64) {
        let number = match state {
            State::Unknown => &mut self.not_instrumented,
            State::Missing => &mut self.without_profile,
            State::Stale => &mut self.stale,
            State::Idle | State::Ran => &mut self.with_profile,
        };
        *number = number.saturating_add(amount);
        if state != State::Unknown {
            self.all = self.all.saturating_add(amount);
        }
        if state == State::Ran {
            self.ran = self.ran.saturating_add(amount);
        }
    }
}

/// The functions of all programs, and what the profile has of them.
#[derive(Default)]
pub(crate) struct Cover {
    /// Instrumented functions; of programs without records, functions with symbols.
    pub(crate) functions: Amount,
    /// Bytes of code; `None`: no program has symbols.
    pub(crate) code: Option<Amount>,
    /// A program has records: hashes can be compared.
    pub(crate) knows_hashes: bool,
    /// Functions without a record: the hashes of their names, and the names as far as they are known.
    pub(crate) missing: Vec<(u64, Option<Vec<u8>>)>,
    /// Names of the profile's records that a function of a program has, with the best that any of these has.
    pub(crate) by_name: HashMap<u64, State>,
    /// Hashes of instrumented functions with a usable record, by [`Cover::key`].
    hashes: HashMap<(u64, bool), Vec<u64>>,
    /// As in [`Records`].
    has_context_bit: bool,
}

/// The records of a profile by their names.
pub(crate) struct Records<'a> {
    by_name: HashMap<u64, Vec<RecordRef<'a>>>,
    /// Names by the symbols of their functions: for programs without records.
    by_symbol: HashMap<&'a [u8], Vec<u64>>,
    /// Counters of programs have one more than records, for a time stamp.
    is_temporal: bool,
    /// Bit 60 of a hash says that it is context-sensitive. Hashes of the front end use all bits.
    has_context_bit: bool,
}

impl<'a> Records<'a> {
    pub(crate) fn of(profile: &'a Profile) -> Records<'a> {
        let mut records = Records {
            by_name: HashMap::new(),
            by_symbol: HashMap::new(),
            is_temporal: profile.flags().has(Flags::TEMPORAL),
            has_context_bit: profile.flags().has(Flags::IR),
        };
        for record in profile.records() {
            let of_name = records.by_name.entry(record.name.hash).or_default();
            of_name.push(record);
            if let (1, Some(name)) = (of_name.len(), record.name.bytes) {
                records.by_symbol.entry(symbol(name)).or_default().push(record.name.hash);
            }
        }
        records
    }

    pub(crate) fn has(&self, name: u64) -> bool {
        self.by_name.contains_key(&name)
    }

    /// Returns what there is of an instrumented function under this name.
    fn state(&self, name: u64, function: Record) -> State {
        let is_context_sensitive = function.hash >> 60 & 1 == 1;
        let fits =
            |record: &&RecordRef<'_>| !self.has_context_bit || record.is_context_sensitive() == is_context_sensitive;
        let mut state = State::Missing;
        for record in self.by_name.get(&name).into_iter().flatten().filter(fits) {
            let counters = record.counters.len() as u64 + u64::from(self.is_temporal);
            let is_same = record.hash == function.hash
                && (record.is_pseudo()
                    || u64::from(function.counters).abs_diff(counters) <= u64::from(self.is_temporal));
            state = state.max(if is_same { ran(record) } else { State::Stale });
        }
        state
    }
}

fn ran(record: &RecordRef<'_>) -> State {
    if record.counters.iter().any(|count| *count > 0) { State::Ran } else { State::Idle }
}

/// Compares programs with a profile.
pub(crate) fn cover(programs: &[Program], records: &Records<'_>) -> Cover {
    let mut cover = Cover {
        knows_hashes: programs.iter().any(|program| program.records.is_some()),
        has_context_bit: records.has_context_bit,
        ..Cover::default()
    };
    let mut seen = HashSet::new();
    let mut code = Amount::default();
    for program in programs {
        let Some(functions) = &program.records else {
            for function in &program.code {
                let mut state = State::Missing;
                for name in function.find(&records.by_symbol).flatten() {
                    let own = records.by_name.get(name).into_iter().flatten().map(ran).max().unwrap_or(State::Missing);
                    cover.note(*name, own);
                    state = state.max(own);
                }
                cover.functions.add(state, 1);
                if let (State::Missing, Some(name)) = (state, function.names.first()) {
                    cover.missing.push((name_hash(name), Some(name.clone())));
                }
                code.add(state, function.size);
            }
            continue;
        };
        // Two local functions can have one symbol; which of them a symbol means is not known, and the worse counts.
        let mut by_symbol: HashMap<&[u8], State> = HashMap::new();
        for function in functions {
            let own_name = program.names.get(&function.name);
            let names = [Some(function.name), own_name.and_then(|name| other_delimiter(name))];
            let found = names.into_iter().flatten().map(|name| (records.state(name, *function), name));
            let (state, name) = found.max().unwrap_or((State::Missing, function.name));
            cover.note(name, state);
            if state > State::Stale {
                cover.hashes.entry(cover.key(name, function.hash)).or_default().push(function.hash);
            }
            if seen.insert(*function) {
                cover.functions.add(state, 1);
                if state == State::Missing {
                    cover.missing.push((function.name, own_name.cloned()));
                }
            }
            if let Some(name) = own_name {
                by_symbol.entry(symbol(name)).and_modify(|other| *other = state.min(*other)).or_insert(state);
            }
        }
        for function in &program.code {
            code.add(function.find(&by_symbol).max().copied().unwrap_or(State::Unknown), function.size);
        }
    }
    cover.code = (code.all > 0).then_some(code);
    cover
}

impl Cover {
    /// Returns why compilers do not use a record.
    pub(crate) fn reason(&self, name: u64, hash: u64) -> Option<&'static str> {
        let others = self.hashes.get(&self.key(name, hash));
        match self.by_name.get(&name) {
            None => Some("not in the program"),
            Some(State::Stale) => Some("stale"),
            Some(_) if others.is_some_and(|hashes| !hashes.contains(&hash)) => Some("stale"),
            Some(_) => None,
        }
    }

    /// Functions of this name that are, or are not, context-sensitive.
    fn key(&self, name: u64, hash: u64) -> (u64, bool) {
        (name, self.has_context_bit && hash >> 60 & 1 == 1)
    }

    fn note(&mut self, name: u64, state: State) {
        self.by_name.entry(name).and_modify(|other| *other = state.max(*other)).or_insert(state);
    }
}

/// Returns the hash of a local function's name with the other delimiter: LLVM up to 17 has `file:name`, later releases have `file;name`.
fn other_delimiter(name: &[u8]) -> Option<u64> {
    let place = name.iter().rposition(|byte| matches!(byte, b';' | b':'))?;
    let mut other = name.to_vec();
    let delimiter = other.get_mut(place)?;
    *delimiter = if *delimiter == b';' { b':' } else { b';' };
    Some(name_hash(&other))
}
