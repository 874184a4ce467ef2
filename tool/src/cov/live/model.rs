//! What is known: the counts now, at the last tick and at the mark, and what they say of each source.

mod known;
mod shown;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::Result;
use profdata::coverage::Mapping;

use super::functions::{Functions, Sums};
use super::marks::Mark;
use super::watch::Watched;
use crate::cov::who::collect::Lines;
use known::Known;
use profrt_coverage::exclude::Exclude;
use profrt_coverage::paths::Source;
use profrt_coverage::totals::Totals;

/// From when on counts are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Since {
    /// All.
    Start,
    Mark,
}

/// Calls a second below which a function is called no more.
const LEAST: f64 = 0.05;

/// What is known.
pub(super) struct Live<'m> {
    pub(super) mapping: &'m Mapping<'m>,
    pub(super) sources: &'m [Source],
    pub(super) states: Vec<State>,
    exclude: &'m Exclude,
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
    /// What is known of the functions that have ever counted, by their numbers.
    known: HashMap<u32, Known<'m>>,
    /// Calls a second of about the last second, which can be read while they change, by the numbers of functions.
    rates: HashMap<u32, f64>,
    pub(super) tick: u64,
    /// The program has ended, so no call waits any more.
    pub(super) has_ended: bool,
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

impl<'m> Live<'m> {
    /// Reads what is there. Errors: markers of exclusion in a source do not match.
    pub(super) fn new(
        mapping: &'m Mapping<'m>,
        sources: &'m [Source],
        exclude: &'m Exclude,
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
            known: HashMap::new(),
            rates: HashMap::new(),
            tick: 0,
            has_ended: false,
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
        for (_, function) in std::mem::take(&mut self.changed).iter().filter_map(|number| self.functions.get(*number)) {
            copy(&mut self.before.counters, &self.functions.sums.counters, function.counters.clone());
            copy(&mut self.before.bitmaps, &self.functions.sums.bitmaps, function.bitmap.clone());
        }
        self.read();
        let seconds = self.between.as_secs_f64().max(0.001);
        let kept = (-seconds).exp();
        self.rates.retain(|_, rate| {
            *rate *= kept;
            *rate >= LEAST
        });
        for number in &self.changed {
            if let Some(known) = self.known.get(number).filter(|known| known.calls > 0) {
                *self.rates.entry(*number).or_default() += known.calls as f64 / seconds * (1.0 - kept);
            }
        }
    }

    /// Reads what a program has left that has ended: from now on no call waits.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.tick();
        (0..self.states.len() as u32).for_each(|place| self.sum_up(place));
    }

    /// Reads all counters, and sums up the sources of which something ran first.
    fn read(&mut self) {
        self.changed.extend(self.watched.read(&mut self.functions));
        let (mut counted, mut dirty): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
        for number in &self.changed {
            let Some((key, function)) = self.functions.get(*number) else { continue };
            let Some(places) = self.places.get(&key) else { continue };
            counted.extend(places);
            let known = self.known.entry(*number).or_insert_with(|| Known::of(key, self.mapping));
            if known.update(function, &self.functions, &self.before, &self.mark) {
                dirty.extend(places);
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

    fn sum_up(&mut self, place: u32) {
        // A source that has changed can have markers without partners; then the sums stay.
        let (Ok(all), Ok(since_mark)) = (self.totals(place, Since::Start), self.totals(place, Since::Mark)) else {
            return;
        };
        if let Some(state) = self.states.get_mut(place as usize) {
            (state.all, state.since_mark, state.sums_changed) = (all, since_mark, self.tick);
        }
    }

    /// Ends the mark at the last tick, saves what ran since it, and sets another one.
    ///
    /// Errors: the profile cannot be written; the new mark is set.
    pub(super) fn set_mark(&mut self, name: Option<String>) -> Result<()> {
        let saved = self.mark.save(&self.functions);
        self.mark.begin(name, &self.functions);
        for place in 0..self.states.len() as u32 {
            if self.states.get(place as usize).is_some_and(|state| state.since_mark.has_run()) {
                self.sum_up(place);
            }
        }
        saved
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
