//! Counts by share: workloads that count alike however long they ran, and loops that do not dominate.

use std::collections::HashMap;

use profdata::error::Error;
use profdata::{Profile, RecordRef, Sink, Value, ValueSites};

use crate::report::Share;

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
    /// Returns the shares of no inputs.
    pub(super) fn new(patterns: usize) -> Shares {
        Shares { patterns: vec![0; patterns], ..Shares::default() }
    }

    /// Adds what an input has counted.
    pub(super) fn add(&mut self, workload: Option<usize>, number: u32, counts: u128, weight: u64) {
        let total = match workload.and_then(|place| self.patterns.get_mut(place)) {
            Some(total) => total,
            None => self.inputs.entry(number).or_default(),
        };
        *total = total.saturating_add(counts);
        self.weight = self.weight.max(weight);
    }

    /// Returns the shares of all inputs. Errors: a workload would get more counts than a counter holds.
    pub(super) fn checked(mut self) -> anyhow::Result<Shares> {
        self.largest = self.patterns.iter().chain(self.inputs.values()).copied().max().unwrap_or(0);
        anyhow::ensure!(
            self.largest.saturating_mul(self.weight.into()) <= RecordRef::MAX_COUNT.into(),
            "--normalize: the largest workload has {} counts; times the weight {} that is more than a counter holds; give smaller weights, \
             or merge without --normalize",
            self.largest,
            self.weight
        );
        Ok(self)
    }

    /// Returns the scale of an input: its workload gets as many counts as the largest one has, times its weight.
    ///
    /// The product is a count: [`Shares::checked`] has checked it.
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
