//! The first of two passes over the inputs: what each has counted, and which are equal.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use profdata::error::Error;
use profdata::finding::Finding;
use profdata::merge::MAX_THREADS;
use profdata::sink::Trace;
use profdata::{Heading, RecordRef, Sink};
use twox_hash::XxHash3_128;

use super::add::Settings;
use super::scale::Shares;
use crate::inputs::{Feed, Item, Progress, Sources, load};

/// What the first pass has found. The second one takes place only if it finds the same.
pub(super) struct Survey {
    /// Of the hashes of contents: a random number, so that no file can be made to look like another.
    seed: u64,
    /// Inputs by their numbers.
    inputs: BTreeMap<u32, Seen>,
    /// For `--normalize`.
    pub(super) shares: Option<Shares>,
}

/// An input of the first pass.
struct Seen {
    name: String,
    content: Option<Key>,
    workload: Option<usize>,
    weight: u64,
    counts: u128,
    /// The input with the same bytes that counts.
    same_as: Option<u32>,
}

/// Length and hash of the bytes of an input.
type Key = (usize, u128);

impl Survey {
    /// Returns whether an input is the one that the first pass has found.
    pub(super) fn has(&self, item: &Item, bytes: Option<&[u8]>) -> bool {
        let now = bytes.map(|bytes| key(self.seed, bytes));
        self.inputs.get(&item.number).is_some_and(|seen| seen.name == item.name && seen.content == now)
    }

    /// Returns the name of the first input that the second pass has not reached, after so many.
    pub(super) fn first_after(&self, inputs: u32) -> Option<&str> {
        self.inputs.range(inputs..).next().map(|(_, seen)| seen.name.as_str())
    }

    /// Returns the name of the input that has the same bytes as another, and counts.
    pub(super) fn same_as(&self, number: u32) -> Option<&str> {
        let same_as = self.inputs.get(&number)?.same_as?;
        self.inputs.get(&same_as).map(|seen| seen.name.as_str())
    }

    /// Finds inputs with equal bytes. Of these the one with the largest weight counts if the others are left out, whatever the order of inputs.
    fn find_equal(&mut self, drops: bool) {
        let rank = |seen: &Seen, number: u32| {
            let (weight, workload) = if drops { (seen.weight, seen.workload) } else { (0, None) };
            (weight, workload, Reverse(number))
        };
        let mut best: HashMap<Key, u32> = HashMap::new();
        // Empty inputs are counted as such.
        let contents = |(number, seen): (&u32, &Seen)| Some((*number, seen.content.filter(|(len, _)| *len > 0)?));
        let contents: Vec<(u32, Key)> = self.inputs.iter().filter_map(contents).collect();
        for (number, content) in &contents {
            let best = best.entry(*content).or_insert(*number);
            let rank = |number: u32| self.inputs.get(&number).map(|seen| rank(seen, number));
            *best = if rank(*number) > rank(*best) { *number } else { *best };
        }
        for (number, content) in contents {
            let same_as = best.get(&content).copied().filter(|best| *best != number);
            self.inputs.get_mut(&number).into_iter().for_each(|seen| seen.same_as = same_as);
        }
    }

    /// Returns what each workload has counted. Errors: one would get more counts than a counter holds.
    fn shares(&self, patterns: usize, drops: bool) -> anyhow::Result<Shares> {
        let mut shares = Shares::new(patterns);
        for (number, seen) in self.inputs.iter().filter(|(_, seen)| !drops || seen.same_as.is_none()) {
            shares.add(seen.workload, *number, seen.counts, seen.weight);
        }
        shares.checked()
    }
}

fn key(seed: u64, bytes: &[u8]) -> Key {
    (bytes.len(), XxHash3_128::oneshot_with_seed(seed, bytes))
}

/// Reads all inputs. Errors: a thread has panicked, or `--normalize` would give a workload more counts than a counter holds.
pub(super) fn survey(sources: &Sources, settings: &Settings<'_>, normalize: bool) -> anyhow::Result<Survey> {
    let feed = Feed::new(&sources.sources);
    let seed = RandomState::new().hash_one(0);
    let inputs = Mutex::new(BTreeMap::new());
    let progress = Progress::of(sources, &feed, "pass 1 of 2: ");
    let work = || {
        let mut buffer = Vec::new();
        while let Some(item) = feed.next() {
            let loaded = load(&item.content, &mut buffer);
            let (workload, weight) = settings.weights.of(&item.name, item.member);
            progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
            let mut sum = Sum(0);
            if normalize {
                // What is wrong with the input is said when it is added.
                let _ = loaded.read(settings.merge.correlation.as_deref(), &mut sum);
            }
            let content = loaded.bytes.map(|bytes| key(seed, bytes));
            let seen = Seen { name: item.name, content, workload, weight, counts: sum.0, same_as: None };
            inputs.lock().unwrap_or_else(PoisonError::into_inner).insert(item.number, seen);
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
    let mut survey = Survey { seed, inputs: inputs.into_inner()?, shares: None };
    survey.find_equal(settings.drop_equal);
    if normalize {
        survey.shares = Some(survey.shares(settings.weights.len(), settings.drop_equal)?);
    }
    Ok(survey)
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
