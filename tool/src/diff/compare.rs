//! Compares two profiles.

use std::collections::{BTreeMap, HashMap, HashSet};

use profdata::Profile;
use profdata::sink::RecordRef;
use serde::Serialize;

use crate::inputs::printable_bytes;
use crate::report::hot::Kinds;
use crate::report::names::demangle;
use crate::report::{Verdict, share};

/// What is different.
#[derive(Debug, Serialize)]
pub(super) struct Difference {
    pub(super) before: Side,
    pub(super) after: Side,
    /// What both have in common of all counts, in percent: for each counter the smaller of its two shares, added up.
    pub(super) overlap: f64,
    /// Functions that both have with the same hash.
    pub(super) common: u64,
    pub(super) gained: List,
    pub(super) lost: List,
    /// Functions that both have, with no hash in common: the code has changed, and the counts of A are stale.
    pub(super) changed: List,
    pub(super) hot: Hot,
    /// Local functions whose names have another delimiter in one of the profiles.
    pub(super) renamed: u64,
    /// Functions whose share has changed most.
    pub(super) moved: Vec<Function>,
    #[serde(flatten)]
    pub(super) verdict: Verdict,
}

/// One of the profiles.
#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) input: String,
    /// Names: a function can have several records.
    pub(super) functions: u64,
    pub(super) counts: u128,
}

/// Functions that are only in one profile, or are not the same in both.
#[derive(Debug, Serialize)]
pub(super) struct List {
    pub(super) number: u64,
    /// Their share of the counts of the profile that has them (of changed ones, of A), in percent.
    pub(super) share: f64,
    /// Those with the most counts.
    pub(super) functions: Vec<Function>,
}

/// A function with its shares.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    symbol: String,
    /// Sums of counters.
    pub(super) before: u128,
    pub(super) after: u128,
    /// Of all counts, in percent.
    pub(super) share_before: f64,
    pub(super) share_after: f64,
}

/// Functions with a counter that is among those that have 99 % of all counts.
#[derive(Debug, Serialize)]
pub(super) struct Hot {
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) stayed: u64,
    pub(super) entered: Vec<String>,
    pub(super) left: Vec<String>,
    /// Those that entered or left, of all that are hot in one or the other, in percent.
    pub(super) churn: f64,
}

/// All records of a name.
#[derive(Default)]
struct Entry<'a> {
    before: Vec<RecordRef<'a>>,
    after: Vec<RecordRef<'a>>,
}

fn sum(records: &[RecordRef<'_>]) -> u128 {
    let counted = records.iter().filter(|record| !record.is_pseudo()).flat_map(|record| record.counters);
    counted.map(|count| u128::from(*count)).sum()
}

/// Compares two profiles, and names at most `top` functions of each list.
pub(super) fn compare(before: &Profile, after: &Profile, top: usize) -> Difference {
    let mut entries: BTreeMap<(&[u8], u64), Entry<'_>> = BTreeMap::new();
    let key = |record: &RecordRef<'_>| record.name.hash;
    for record in before.records() {
        entries.entry((record.name.bytes.unwrap_or(b""), key(&record))).or_default().before.push(record);
    }
    for record in after.records() {
        entries.entry((record.name.bytes.unwrap_or(b""), key(&record))).or_default().after.push(record);
    }
    let all = |profile: &Profile| profile.records().map(|record| sum(&[record])).sum::<u128>();
    let (total_before, total_after) = (all(before), all(after));
    let function = |name: &[u8], entry: &Entry<'_>| {
        let (before, after) = (sum(&entry.before), sum(&entry.after));
        Function {
            name: demangle(name),
            symbol: printable_bytes(name),
            before,
            after,
            share_before: share(before, total_before),
            share_after: share(after, total_after),
        }
    };
    let (mut gained, mut lost, mut changed, mut both) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut overlap = 0.0;
    for ((name, _), entry) in &entries {
        let hashes: HashMap<u64, &[u64]> = entry.before.iter().map(|record| (record.hash, record.counters)).collect();
        let pairs = entry.after.iter().filter_map(|record| Some((*hashes.get(&record.hash)?, record)));
        let pairs: Vec<_> = pairs.filter(|(before, after)| before.len() == after.counters.len()).collect();
        let list = match (entry.before.is_empty(), entry.after.is_empty(), pairs.is_empty()) {
            (true, ..) => &mut gained,
            (_, true, _) => &mut lost,
            (_, _, true) => &mut changed,
            _ => &mut both,
        };
        list.push(function(name, entry));
        for (before, after) in pairs.iter().filter(|(_, after)| !after.is_pseudo()) {
            let shares = before.iter().zip(after.counters);
            overlap +=
                shares.map(|(before, after)| share(*before, total_before).min(share(*after, total_after))).sum::<f64>();
        }
    }
    if total_before == 0 && total_after == 0 {
        overlap = 100.0;
    }
    let with = |records: fn(&Entry<'_>) -> bool| entries.values().filter(|entry| records(entry)).count() as u64;
    let (functions_before, functions_after) =
        (with(|entry| !entry.before.is_empty()), with(|entry| !entry.after.is_empty()));
    let mut moved = both.clone();
    let distance = |function: &Function| (function.share_after - function.share_before).abs();
    moved.retain(|function| distance(function) > 0.0);
    moved.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    moved.truncate(top);
    Difference {
        before: Side { input: String::new(), functions: functions_before, counts: total_before },
        after: Side { input: String::new(), functions: functions_after, counts: total_after },
        overlap: overlap.min(100.0),
        common: both.len() as u64,
        gained: list(gained, top, total_after, |function| function.after),
        lost: list(lost, top, total_before, |function| function.before),
        changed: list(changed, top, total_before, |function| function.before),
        hot: hot(before, after, top),
        renamed: 0,
        moved,
        verdict: Verdict::default(),
    }
}

fn list(mut functions: Vec<Function>, top: usize, total: u128, counts: impl Fn(&Function) -> u128) -> List {
    let sum = functions.iter().map(&counts).sum::<u128>();
    let number = functions.len() as u64;
    functions.sort_by_key(|function| std::cmp::Reverse(counts(function)));
    functions.truncate(top);
    List { number, share: share(sum, total), functions }
}

/// Returns the names of functions with a hot counter.
fn hot_set(profile: &Profile) -> HashSet<&[u8]> {
    let kinds = Kinds::of(profile);
    let is_hot = |record: &RecordRef<'_>| kinds.is_hot(record);
    profile.records().filter(is_hot).filter_map(|record| record.name.bytes).collect()
}

fn hot(before: &Profile, after: &Profile, top: usize) -> Hot {
    let (before, after) = (hot_set(before), hot_set(after));
    let names = |names: Vec<&&[u8]>| {
        let mut names: Vec<String> = names.into_iter().map(|name| demangle(name)).collect();
        names.sort();
        names
    };
    let (entered, left) = (names(after.difference(&before).collect()), names(before.difference(&after).collect()));
    let stayed = before.intersection(&after).count();
    let churned = entered.len() + left.len();
    let cut = |mut names: Vec<String>| {
        names.truncate(top);
        names
    };
    Hot {
        before: before.len() as u64,
        after: after.len() as u64,
        stayed: stayed as u64,
        churn: share(churned as u64, (churned + stayed) as u128),
        entered: cut(entered),
        left: cut(left),
    }
}
