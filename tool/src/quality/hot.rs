//! Hot functions without a usable profile: what the profile has records of, and where its indirect calls go.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use profdata::Profile;
use profdata::sink::{Name, RecordRef};
use serde::Serialize;

use super::cover::{Cover, Records};
use super::program::Program;
use crate::report::hot::Kinds;
use crate::report::names::{self, demangle};
use crate::report::share;

/// Hot functions, those whose profile is of no use first named.
#[derive(Debug, Default, Serialize)]
pub(super) struct Hot {
    /// A counter from which on a function is hot: compilers take 99 % of all counts for hot. In a profile of context-sensitive functions
    /// only, it is theirs.
    pub(super) from: u64,
    /// The same for context-sensitive functions; `None`: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_sensitive_from: Option<u64>,
    pub(super) functions: u64,
    /// The largest counters that together hold a tenth of all counts: their number.
    pub(super) counters_of_tenth: u64,
    /// Hot functions whose records no compiler uses for the programs.
    pub(super) unusable: u64,
    pub(super) worst: Vec<Function>,
}

/// A function whose records are of no use.
#[derive(Debug, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) counts: u64,
    /// Of all counts of the profile, in percent.
    pub(super) share: f64,
    pub(super) reason: &'static str,
}

/// Counts of the profile that are of no use.
#[derive(Debug, Default, Serialize)]
pub(super) struct Useless {
    /// Functions, and the sum of their counters.
    pub(super) stale: (u64, u64),
    pub(super) not_in_program: (u64, u64),
}

/// Indirect calls, by what is known of their targets.
#[derive(Debug, Default, Serialize)]
pub(super) struct Calls {
    pub(super) counts: u64,
    pub(super) to_functions_with_profile: u64,
    pub(super) to_functions_without_profile: u64,
    /// Targets in images without instrumentation, or whose names are lost.
    pub(super) to_unknown: u64,
    /// Functions without a profile, the most called first.
    pub(super) targets: Vec<Target>,
    /// Their number.
    pub(super) number: u64,
}

/// A function that is called and has no record.
#[derive(Debug, Serialize)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) counts: u64,
    /// It is called as often as hot code runs.
    pub(super) is_hot: bool,
    pub(super) reason: &'static str,
    /// The function that calls it most.
    pub(super) caller: String,
}

fn sum(record: &RecordRef<'_>) -> u64 {
    let counters = if record.is_pseudo() { &[] } else { record.counters };
    counters.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// Returns the hot functions; `cover` is `None` when no program is known.
pub(super) fn hot(profile: &Profile, cover: Option<&Cover>, top: usize) -> (Hot, Useless) {
    let kinds = Kinds::of(profile);
    let total = profile.records().fold(0, |total: u64, record| total.saturating_add(sum(&record)));
    let mut hot = Hot {
        from: kinds.main().hot_threshold().max(1),
        context_sensitive_from: kinds.contexts().map(|contexts| contexts.hot_threshold().max(1)),
        counters_of_tenth: kinds.main().cutoffs.iter().find(|row| row.cutoff == 100_000).map_or(0, |row| row.counts),
        ..Hot::default()
    };
    let mut useless = Useless::default();
    let mut worst = Vec::new();
    for record in profile.records() {
        let is_hot = kinds.is_hot(&record);
        hot.functions += u64::from(is_hot);
        let Some(reason) = cover.and_then(|cover| cover.reason(record.name.hash, record.hash)) else { continue };
        let own = sum(&record);
        let (functions, counts) = if reason == "stale" { &mut useless.stale } else { &mut useless.not_in_program };
        *functions += 1;
        *counts = counts.saturating_add(own);
        if is_hot {
            hot.unusable += 1;
            worst.push((Reverse(own), record.name, reason));
        }
    }
    worst.sort_by_key(|(counts, name, _)| (*counts, name.bytes, name.hash));
    hot.worst = worst
        .into_iter()
        .take(top)
        .map(|(Reverse(counts), function, reason)| Function {
            name: names::name(function),
            counts,
            share: share(counts, total),
            reason,
        })
        .collect();
    (hot, useless)
}

/// Returns where indirect calls go.
pub(super) fn calls(
    profile: &Profile,
    programs: &[Program],
    records: &Records<'_>,
    hot_from: u64,
    top: usize,
) -> Calls {
    let mut calls = Calls::default();
    // Of each target without a record the sum, and the function that calls it most.
    let mut targets: BTreeMap<u64, (u64, u64, Option<Name<'_>>)> = BTreeMap::new();
    for record in profile.records() {
        let Some(sites) = record.values.and_then(|values| values.kinds.first()) else { continue };
        for value in sites.values() {
            calls.counts = calls.counts.saturating_add(value.count);
            let sum = if value.value == 0 {
                &mut calls.to_unknown
            } else if records.has(value.value) {
                &mut calls.to_functions_with_profile
            } else {
                let (sum, most, caller) = targets.entry(value.value).or_default();
                *sum = sum.saturating_add(value.count);
                if value.count > *most {
                    (*most, *caller) = (value.count, Some(record.name));
                }
                continue;
            };
            *sum = sum.saturating_add(value.count);
        }
    }
    let is_instrumented = |hash: u64| programs.iter().any(|program| program.names.contains_key(&hash));
    // Names, and whether a program has them. The hashes of all symbols take a while.
    let mut known: HashMap<u64, (&[u8], bool)> = HashMap::new();
    if !targets.is_empty() {
        let own = profile.names().iter().filter_map(|(_, name)| Some((name.hash, (name.bytes?, false))));
        known.extend(own);
        known.extend(programs.iter().flat_map(Program::all_names).map(|(hash, name)| (hash, (name, true))));
    }
    let mut list: Vec<Target> = Vec::new();
    for (hash, (counts, _, caller)) in targets {
        let found = known.get(&hash);
        let reason = match found {
            _ if programs.is_empty() || is_instrumented(hash) => "no record",
            Some((_, true)) => "not instrumented",
            _ => "not in the program",
        };
        let name = found.map_or_else(|| format!("function {hash:#018x}"), |(name, _)| demangle(name));
        calls.to_functions_without_profile = calls.to_functions_without_profile.saturating_add(counts);
        let caller = caller.map_or_else(String::new, names::name);
        list.push(Target { name, counts, is_hot: counts >= hot_from, reason, caller });
    }
    calls.number = list.len() as u64;
    list.sort_by(|a, b| b.counts.cmp(&a.counts).then_with(|| a.name.cmp(&b.name)));
    list.truncate(top);
    calls.targets = list;
    calls
}
