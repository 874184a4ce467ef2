//! What is known: the counts now, at the last tick and at the mark, and what they say of each source.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use profdata::coverage::{self, Counts, Mapping, Rules, Term};

use super::functions::{Function, Functions, Sums};
use super::marks::Mark;
use super::watch::Watched;
use crate::cov::exclude::Exclude;
use crate::cov::files::{FileReport, Wanted};
use crate::cov::html::detail;
use crate::cov::paths::Source;
use crate::cov::totals::Totals;
use crate::cov::who::collect::Lines;

/// From when on counts are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Since {
    /// All.
    Start,
    Mark,
}

/// What is known.
pub(super) struct Live<'m> {
    pub(super) mapping: &'m Mapping<'m>,
    pub(super) sources: &'m [Source],
    pub(super) states: Vec<State>,
    exclude: &'m Exclude<'m>,
    lines: Lines<'m>,
    /// The places of the sources that functions are in.
    places: HashMap<(u64, u64), Vec<u32>>,
    watched: Watched,
    pub(super) functions: Functions,
    nothing: Sums,
    /// The counts at the tick before the last one.
    before: Sums,
    pub(super) mark: Mark,
    /// The functions that have counted between the last two ticks.
    changed: BTreeSet<u32>,
    /// Functions of which everything has run since the mark.
    complete: HashSet<u32>,
    pub(super) tick: u64,
    start: Instant,
    last: Instant,
    /// The time between the last two ticks.
    between: Duration,
}

/// A source.
#[derive(Default)]
pub(super) struct State {
    pub(super) all: Totals,
    pub(super) since_mark: Totals,
    /// The ticks at which these sums, and at which any counts, have last changed.
    pub(super) sums_changed: u64,
    pub(super) counted: u64,
}

/// How often a function was called between the last two ticks.
pub(super) struct Calls {
    pub(super) name: String,
    /// The place of its source, and the line where it starts.
    pub(super) place: Option<u32>,
    pub(super) line: u32,
    pub(super) calls: u64,
    pub(super) per_second: f64,
}

impl<'m> Live<'m> {
    /// Reads what is there. Errors: markers of exclusion in a source do not match.
    pub(super) fn new(
        mapping: &'m Mapping<'m>,
        sources: &'m [Source],
        exclude: &'m Exclude<'m>,
        watched: Watched,
        mark: Mark,
    ) -> Result<Live<'m>> {
        let mut places: HashMap<(u64, u64), Vec<u32>> = HashMap::new();
        for (place, source) in (0..).zip(sources) {
            for function in source.numbers.iter().flat_map(|number| mapping.functions_in(*number)) {
                places.entry((function.name_hash(), function.hash())).or_default().push(place);
            }
        }
        let now = Instant::now();
        let mut live = Live {
            mapping,
            sources,
            states: Vec::new(),
            exclude,
            lines: Lines::new(mapping, sources),
            places,
            watched,
            functions: Functions::default(),
            nothing: Sums::default(),
            before: Sums::default(),
            mark,
            changed: BTreeSet::new(),
            complete: HashSet::new(),
            tick: 0,
            start: now,
            last: now,
            between: Duration::ZERO,
        };
        live.watched.read(&mut live.functions);
        live.before = live.functions.sums.clone();
        live.mark.begin(None, &live.functions);
        for place in 0..sources.len() as u32 {
            let mut state = State::default();
            (state.all, state.since_mark) = (live.totals(place, Since::Start)?, live.totals(place, Since::Mark)?);
            live.states.push(state);
        }
        Ok(live)
    }

    /// Reads all counters: the second of the two reads that a tick is between.
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        self.between = now.duration_since(self.last);
        self.last = now;
        self.tick += 1;
        // What has not changed is the same already.
        for function in std::mem::take(&mut self.changed).iter().filter_map(|number| self.functions.get(*number)) {
            copy(&mut self.before.counters, &self.functions.sums.counters, function.counters.clone());
            copy(&mut self.before.bitmaps, &self.functions.sums.bitmaps, function.bitmap.clone());
        }
        self.read();
    }

    /// Reads all counters, and sums up the sources of which something ran first.
    fn read(&mut self) {
        self.changed.extend(self.watched.read(&mut self.functions));
        let (mut counted, mut dirty): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
        for number in &self.changed {
            let Some(function) = self.functions.get(*number) else { continue };
            let Some(places) = self.places.get(&function.key()) else { continue };
            counted.extend(places);
            if !self.complete.contains(number) {
                let (is_new, is_complete) = self.coverage(function);
                if is_new {
                    dirty.extend(places);
                }
                if is_complete {
                    self.complete.insert(*number);
                }
            }
        }
        let tick = self.tick;
        for place in counted {
            self.states.get_mut(place as usize).into_iter().for_each(|state| state.counted = tick);
        }
        for place in dirty {
            self.sum_up(place);
        }
    }

    /// Returns whether something of a function has run for the first time since the last tick, and whether all of it has run since the mark.
    fn coverage(&self, function: &Function) -> (bool, bool) {
        let flags = self.functions.flags();
        let (mut is_new, mut is_complete) = (false, true);
        for mapped in self.mapped(function) {
            let Ok(regions) = self.mapping.decode(mapped) else { continue };
            let ran = |counters: &[u64]| -> Vec<bool> {
                let counts = regions.counts(counters, flags, Rules::Own).unwrap_or_default();
                counts.iter().flatten().map(|count| *count > 0).collect()
            };
            let of = |sums: &Sums| sums.counters.get(function.counters.clone()).unwrap_or_default().to_vec();
            let (now, mut before) = (of(&self.functions.sums), of(&self.before));
            before.resize(now.len(), 0);
            let since = self.functions.since(function, &self.mark.sums);
            let ran_since = ran(&since);
            // What it had counted at the last tick since the mark.
            let earlier: Vec<u64> = before
                .iter()
                .zip(&now)
                .zip(&since)
                .map(|((before, now), since)| before.saturating_sub(now - since))
                .collect();
            is_new |= ran(&now) != ran(&before) || ran_since != ran(&earlier);
            is_complete &= ran_since
                .iter()
                .zip(regions.iter().flat_map(|region| region.kind.counters()))
                .all(|(ran, counter)| *ran || counter.term() == Term::Zero);
        }
        (is_new, is_complete)
    }

    /// Returns a function as the programs have it.
    fn mapped(&self, function: &Function) -> impl Iterator<Item = &coverage::Function<'m>> {
        let (name, hash) = function.key();
        self.mapping.functions_named(name).filter(move |mapped| mapped.hash() == hash && !mapped.is_dummy())
    }

    fn sum_up(&mut self, place: u32) {
        // A source that has changed can have markers without partners; then the sums stay.
        let (Ok(all), Ok(since_mark)) = (self.totals(place, Since::Start), self.totals(place, Since::Mark)) else {
            return;
        };
        if let Some(state) = self.states.get_mut(place as usize) {
            (state.all, state.since_mark, state.sums_changed) = (all, since_mark, self.tick);
        }
    }

    fn totals(&self, place: u32, since: Since) -> Result<Totals> {
        self.report(place, since, |report, _, _| Ok(report.totals))
    }

    /// Calls `work` with what ran of a source, the numbers of its paths, its functions and their counts.
    ///
    /// Errors: markers of exclusion do not match; those of `work`.
    pub(super) fn report<T>(
        &self,
        place: u32,
        since: Since,
        work: impl FnOnce(&FileReport, &Source, &Counts<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(source) = self.sources.get(place as usize) else { bail!("there is no such source") };
        let functions = source.numbers.iter().flat_map(|number| self.mapping.functions_in(*number));
        let numbers: BTreeSet<u32> =
            functions.filter_map(|function| self.functions.find((function.name_hash(), function.hash()))).collect();
        let profile = self.functions.profile(numbers, self.base(since))?;
        let counts = Counts::of(&profile, self.functions.format());
        let wanted = Wanted { exclude: self.exclude, changes: None };
        let report = FileReport::of(self.mapping, &counts, source, &wanted, &mut Vec::new());
        let report = report.map_err(|markers| anyhow!("markers do not match:\n  {}", markers.join("\n  ")))?;
        work(&report, source, &counts)
    }

    /// Returns the counts that are no news.
    fn base(&self, since: Since) -> &Sums {
        match since {
            Since::Start => &self.nothing,
            Since::Mark => &self.mark.sums,
        }
    }

    /// Ends the mark, whose lines are saved, and sets another one.
    ///
    /// Errors: the profile cannot be written; the new mark is set.
    pub(super) fn set_mark(&mut self, name: Option<String>) -> Result<()> {
        self.read();
        let saved = self.mark.save(&self.functions);
        self.mark.begin(name, &self.functions);
        self.complete.clear();
        for place in 0..self.states.len() as u32 {
            if self.states.get(place as usize).is_some_and(|state| state.since_mark.has_run()) {
                self.sum_up(place);
            }
        }
        saved
    }

    /// Returns the lines that ran between the last two ticks: places of sources, first and last lines, in order.
    pub(super) fn ran(&self) -> Result<Vec<(usize, u32, u32)>> {
        let profile = self.functions.profile(self.changed.iter().copied(), &self.before)?;
        Ok(self.lines.ran(&profile).0.once())
    }

    /// Returns the functions that were called between the last two ticks, those that were called most first.
    pub(super) fn calls(&self) -> Vec<Calls> {
        let mut all = Vec::new();
        for function in self.changed.iter().filter_map(|number| self.functions.get(*number)) {
            let Some(mapped) = self.mapped(function).next() else { continue };
            let Ok(regions) = self.mapping.decode(mapped) else { continue };
            let since = self.functions.since(function, &self.before);
            let counts = regions.counts(&since, self.functions.flags(), Rules::Own).unwrap_or_default();
            let calls = counts.first().map_or(0, |[count, _]| *count);
            if calls > 0 {
                let place = self.places.get(&function.key()).and_then(|places| places.first()).copied();
                let line = regions.iter().next().map_or(0, |region| region.start.line);
                let per_second = calls as f64 / self.between.as_secs_f64().max(0.001);
                all.push(Calls {
                    name: detail::name(self.mapping, mapped.name_hash()),
                    place,
                    line,
                    calls,
                    per_second,
                });
            }
        }
        all.sort_by(|one, other| (other.calls, &one.name).cmp(&(one.calls, &other.name)));
        all
    }

    /// Returns the sums of all sources.
    pub(super) fn sums(&self, since: Since) -> Totals {
        let mut totals = Totals::default();
        self.states.iter().for_each(|state| totals.add(state.of(since)));
        totals
    }

    /// Returns the number of files with counters.
    pub(super) fn files(&self) -> usize {
        self.watched.files()
    }

    /// Returns the seconds since the start.
    pub(super) fn seconds(&self) -> f64 {
        self.last.duration_since(self.start).as_secs_f64()
    }
}

impl State {
    /// Returns what ran.
    pub(super) fn of(&self, since: Since) -> &Totals {
        if since == Since::Mark { &self.since_mark } else { &self.all }
    }
}

fn copy<T: Copy + Default>(to: &mut Vec<T>, from: &[T], range: Range<usize>) {
    to.resize(from.len(), T::default());
    if let (Some(to), Some(from)) = (to.get_mut(range.clone()), from.get(range)) {
        to.copy_from_slice(from);
    }
}
