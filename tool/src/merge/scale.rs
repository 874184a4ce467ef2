//! Counts by share: workloads that count alike however long they ran.

use std::collections::HashMap;

use profdata::Profile;
use profdata::correlate::Correlation;
use profdata::error::Error;
use profdata::merge::{MergeOptions, Merger};
use profdata::sink::{RecordRef, Sink};

use super::weights::Weights;
use crate::hand_on::EachRecord;
use crate::inputs::{Feed, Item, Loaded, Once, Progress, Sources, load};

/// How to add inputs.
pub(super) struct Settings<'a> {
    pub(super) threads: usize,
    pub(super) merge: MergeOptions,
    pub(super) drop_equal: bool,
    pub(super) weights: &'a Weights<'a>,
}

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
    /// Reads all inputs. Errors: a workload would get more counts than a counter holds.
    pub(super) fn of(sources: &Sources, settings: &Settings<'_>) -> anyhow::Result<Shares> {
        let (feed, once) = (Feed::new(&sources.sources), Once::default());
        let progress = Progress::of(sources, &feed, "pass 1 of 2: ");
        let mut shares = Shares { patterns: vec![0; settings.weights.len()], ..Shares::default() };
        let mut buffer = Vec::new();
        while let Some(item) = feed.next() {
            let loaded = load(&item.content, &mut buffer);
            progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
            if settings.drop_equal && once.first(&item, loaded.bytes).is_some() {
                continue;
            }
            let (workload, weight) = settings.weights.of(&item.name);
            let mut profile = Profile::new();
            // What is wrong with the input is said when it is added.
            let _ = loaded.read(settings.merge.correlation.as_deref(), &mut profile);
            shares.add(workload, item.number, profile.counts(), weight);
        }
        shares.checked()
    }

    /// Adds what an input has counted.
    fn add(&mut self, workload: Option<usize>, number: u32, counts: u128, weight: u64) {
        let total = match workload.and_then(|place| self.patterns.get_mut(place)) {
            Some(total) => total,
            None => self.inputs.entry(number).or_default(),
        };
        *total = total.saturating_add(counts);
        self.weight = self.weight.max(weight);
    }

    /// Returns the shares of all inputs. Errors: a workload would get more counts than a counter holds.
    fn checked(mut self) -> anyhow::Result<Shares> {
        self.largest = self.patterns.iter().chain(self.inputs.values()).copied().max().unwrap_or(0);
        anyhow::ensure!(
            self.largest.saturating_mul(self.weight.into()) <= RecordRef::MAX_COUNT.into(),
            "--balance: the largest workload has {} counts; times the weight {} that is more than a counter holds; give smaller weights, \
             or merge without --balance",
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
}

/// Adds an input with its counts scaled to the share of its workload, which has this weight. Errors: its kind does not merge with those before.
pub(super) fn add(
    merger: &mut Merger,
    item: &Item,
    loaded: &Loaded<'_>,
    scale: Scale,
    weight: u64,
    binaries: Option<&dyn Correlation>,
) -> Result<(), Error> {
    merger.number_next(item.number);
    let mut input = merger.input(item.name.clone(), 1);
    input.report_weight(weight);
    let record = |record: RecordRef<'_>, sink: &mut dyn Sink| {
        if record.is_pseudo() {
            return sink.record(record);
        }
        let counters: Vec<u64> = record.counters.iter().map(|count| scale.of(*count)).collect();
        let mut values = record.values.cloned();
        let kinds = values.iter_mut().flat_map(|values| &mut values.kinds);
        kinds.flat_map(|kind| kind.values_mut()).for_each(|value| value.count = scale.of(value.count));
        sink.record(RecordRef { counters: &counters, values: values.as_ref(), ..record })
    };
    let result = loaded.read(binaries, &mut EachRecord { sink: &mut input, record });
    input.finish(loaded.bytes.map_or(0, |bytes| bytes.len() as u64), result).map(|_| ())
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
