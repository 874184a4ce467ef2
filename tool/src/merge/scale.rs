//! Counts by share: workloads that count alike however long they ran, and loops that do not dominate.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use profdata::error::Error;
use profdata::finding::Finding;
use profdata::merge::MAX_THREADS;
use profdata::sink::Trace;
use profdata::{Heading, Profile, RecordRef, Sink, Value, ValueSites};

use super::add::Settings;
use crate::inputs::{Feed, Sources, load};
use crate::report::Share;
use crate::report::progress::Progress;

/// What each workload has counted.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// By the place of their pattern.
    patterns: Vec<u128>,
    /// Of inputs that no pattern matches, by their numbers.
    inputs: HashMap<u32, u128>,
    /// The largest.
    largest: u128,
    /// The largest weight.
    weight: u64,
}

impl Shares {
    /// Returns the scale of an input: its workload gets as many counts as the largest one has, times its weight.
    ///
    /// The product is a count: [`measure`] has checked it.
    pub(super) fn scale(&self, workload: Option<usize>, number: u32, weight: u64) -> Scale {
        let total = match workload {
            Some(place) => self.patterns.get(place),
            None => self.inputs.get(&number),
        };
        match total {
            Some(total) if *total > 0 => {
                let to = self.largest.saturating_mul(weight.into()).min(RecordRef::MAX_COUNT.into()) as u64;
                Scale { to, from: *total }
            }
            _ => Scale { to: weight, from: 1 },
        }
    }
}

/// A fraction by which counts are multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    to: u64,
    from: u128,
}

impl Scale {
    /// Returns a count scaled and rounded. What ran stays different from what did not.
    fn of(self, count: u64) -> u64 {
        if count == 0 {
            return 0;
        }
        let from = self.from.max(1);
        let product = u128::from(count) * u128::from(self.to);
        let rounded = product.saturating_add(from / 2) / from;
        rounded.clamp(1, RecordRef::MAX_COUNT.into()) as u64
    }

    /// Returns a sum of counts scaled.
    pub(super) fn of_sum(self, sum: u128) -> u128 {
        let (from, to) = (self.from.max(1), u128::from(self.to));
        (sum / from).saturating_mul(to).saturating_add((sum % from).saturating_mul(to) / from)
    }

    fn apply(self, counts: &mut [u64]) {
        counts.iter_mut().for_each(|count| *count = self.of(*count));
    }

    fn apply_to_values(self, values: &mut ValueSites) {
        let values = values.kinds.iter_mut().flat_map(|kind| kind.values_mut());
        values.for_each(|Value { count, .. }| *count = self.of(*count));
    }
}

/// Reads all inputs and returns what each workload has counted. Errors: a thread has panicked, or a workload
/// would get more counts than a counter holds.
pub(super) fn measure(sources: &Sources, settings: &Settings<'_>) -> anyhow::Result<Shares> {
    let feed = Feed::new(&sources.sources);
    let once = crate::inputs::Once::default();
    let shares = Mutex::new(Shares { patterns: vec![0; settings.weights.len()], ..Shares::default() });
    let progress = Progress::of(sources, &feed, "pass 1 of 2: ");
    let work = || {
        let mut buffer = Vec::new();
        while let Some(item) = feed.next() {
            let loaded = load(&item.content, &mut buffer);
            let (workload, weight) = settings.weights.of(&item.name);
            progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
            if settings.drop_equal && once.first(item.number, &item.name, weight, loaded.bytes).is_some() {
                continue;
            }
            let mut sum = Sum(0);
            // What is wrong with the input is said when it is added.
            let _ = loaded.read(settings.merge.correlation.as_deref(), &mut sum);
            let mut shares = shares.lock().unwrap_or_else(PoisonError::into_inner);
            let Shares { patterns, inputs, .. } = &mut *shares;
            let total = match workload.and_then(|place| patterns.get_mut(place)) {
                Some(total) => total,
                None => inputs.entry(item.number).or_default(),
            };
            *total = total.saturating_add(sum.0);
            shares.weight = shares.weight.max(weight);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..settings.threads.min(MAX_THREADS) {
            // With fewer threads where the system has no more.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut shares = shares.into_inner()?;
    shares.largest = shares.patterns.iter().chain(shares.inputs.values()).copied().max().unwrap_or(0);
    anyhow::ensure!(
        shares.largest.saturating_mul(shares.weight.into()) <= RecordRef::MAX_COUNT.into(),
        "--normalize: the largest workload has {} counts; times the weight {} that is more than a counter holds; give smaller weights, \
         or merge without --normalize",
        shares.largest,
        shares.weight
    );
    Ok(shares)
}

/// Adds up all counters.
struct Sum(u128);

impl Sink for Sum {
    fn heading(&mut self, _: &Heading) -> Result<(), Error> {
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        if !record.is_pseudo() {
            self.0 = record.counters.iter().fold(self.0, |sum, count| sum.saturating_add((*count).into()));
        }
        Ok(())
    }

    fn binary_id(&mut self, _: &[u8]) {}
    fn vtable_name(&mut self, _: &[u8]) {}
    fn traces(&mut self, _: &[Trace], _: u64) {}
    fn memprof(&mut self, _: &[u8], _: u64) {}
    fn finding(&mut self, _: Finding) {}
}

/// Scales what it hands on.
pub(super) struct Scaled<'a, S> {
    sink: &'a mut S,
    scale: Scale,
    counters: Vec<u64>,
}

impl<'a, S> Scaled<'a, S> {
    pub(super) fn new(sink: &'a mut S, scale: Scale) -> Scaled<'a, S> {
        Scaled { sink, scale, counters: Vec::new() }
    }
}

impl<S: Sink> Sink for Scaled<'_, S> {
    hand_on!(heading, expects, binary_id, vtable_name, traces, memprof, finding);

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        if record.is_pseudo() {
            return self.sink.record(record);
        }
        self.counters.clear();
        self.counters.extend_from_slice(record.counters);
        self.scale.apply(&mut self.counters);
        let mut values = record.values.cloned();
        if let Some(values) = &mut values {
            self.scale.apply_to_values(values);
        }
        self.sink.record(RecordRef { counters: &self.counters, values: values.as_ref(), ..record })
    }
}

/// What a cap has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub(super) struct Capped {
    /// The largest count that is left.
    pub(super) limit: u64,
    /// Functions that were scaled down.
    pub(super) functions: u64,
    /// Counts that they had, and have no more.
    pub(super) counts: u128,
}

/// Scales down each function that has a counter with more than a share of all counts, to that share of their sum before the cap. Proportions in
/// a function stay. A share of the sum after it would not always exist: each of ten functions with one counter has 10 % at least, on average.
pub(super) fn cap(profile: &mut Profile, share: Share) -> Capped {
    let sum = |counters: &[u64]| counters.iter().map(|count| u128::from(*count)).sum::<u128>();
    let counted = profile.records().filter(|record| !record.is_pseudo());
    let total = counted.map(|record| sum(record.counters)).sum::<u128>();
    let limit = u64::try_from(share.of(total)).unwrap_or(u64::MAX).max(1);
    let mut capped = Capped { limit, functions: 0, counts: 0 };
    for index in 0..profile.len() {
        let Some(record) = Profile::record(profile, index).filter(|record| !record.is_pseudo()) else { continue };
        let largest = record.counters.iter().copied().max().unwrap_or(0);
        if largest <= limit {
            continue;
        }
        let before = sum(record.counters);
        let scale = Scale { to: limit, from: largest.into() };
        let counters = profile.counters_mut(index);
        scale.apply(counters);
        capped.functions += 1;
        capped.counts = capped.counts.saturating_add(before.saturating_sub(sum(counters)));
        if let Some(Some(values)) = profile.values_mut(index) {
            scale.apply_to_values(values);
        }
    }
    capped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_stays_different_from_what_did_not() {
        let scale = |to, from, count| Scale { to, from }.of(count);
        assert_eq!(scale(1, 1000, 0), 0);
        assert_eq!(scale(1, 1000, 1), 1);
        assert_eq!(scale(1, 2, 3), 2);
        assert_eq!(scale(3, 1, 5), 15);
        assert_eq!(scale(u64::MAX, 1, u64::MAX), RecordRef::MAX_COUNT);
    }
}
