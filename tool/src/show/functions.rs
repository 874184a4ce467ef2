//! Functions by how hot they are, and one with everything that is known of it.

use std::cmp::Reverse;

use profdata::Profile;
use profdata::sink::RecordRef;
use serde::Serialize;

use super::sites::{self, Site};
use crate::inputs::printable_bytes;
use crate::report::hot::Kinds;
use crate::report::names::{Targets, demangle, name, split};
use crate::report::share;

/// A function.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Function {
    /// Name as a person writes it.
    pub(super) name: String,
    /// Name in the profile.
    pub(super) symbol: String,
    pub(super) hash: String,
    /// Its counts are of the second round of instrumentation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) context_sensitive: bool,
    /// Sum of its counters.
    pub(super) counts: u128,
    pub(super) largest_count: u64,
    /// Of all counts, in percent.
    pub(super) share: f64,
    /// `hot` or `warm`: there are no counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) only_known: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Details>,
}

/// What is shown of one function only.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Details {
    pub(super) counters: Vec<u64>,
    pub(super) bitmap: Vec<u8>,
    pub(super) targets: Vec<Site>,
    pub(super) memory: Vec<Site>,
}

/// Returns the sum of counters.
pub(crate) fn sum(record: RecordRef<'_>) -> u128 {
    if record.is_pseudo() {
        return 0;
    }
    record.counters.iter().map(|count| u128::from(*count)).sum()
}

/// Returns the sum of all counters.
pub(super) fn total(profile: &Profile) -> u128 {
    profile.records().map(sum).sum()
}

fn function(record: RecordRef<'_>, kinds: &Kinds, total: u128) -> Function {
    let counts = sum(record);
    let is_hot = record.counters.first() == Some(&RecordRef::PSEUDO_HOT);
    Function {
        name: name(record.name),
        symbol: printable_bytes(record.name.bytes.unwrap_or(b"")),
        hash: format!("{:#x}", record.hash),
        context_sensitive: kinds.is_context_sensitive(&record),
        counts,
        largest_count: if record.is_pseudo() { 0 } else { record.counters.iter().copied().max().unwrap_or(0) },
        share: share(counts, total),
        only_known: record.is_pseudo().then_some(if is_hot { "hot" } else { "warm" }),
        details: None,
    }
}

/// Returns the functions with the most counts; `None`: all, those that never ran at the end.
pub(super) fn hottest(profile: &Profile, kinds: &Kinds, top: Option<usize>) -> Vec<Function> {
    let total = total(profile);
    let mut places: Vec<(u128, usize)> = (0usize..)
        .zip(profile.records())
        .map(|(place, record)| (if record.is_pseudo() { u128::MAX } else { sum(record) }, place))
        .filter(|(counts, _)| top.is_none() || *counts > 0)
        .collect();
    places.sort_by_key(|(counts, place)| (Reverse(*counts), *place));
    let records =
        places.into_iter().take(top.unwrap_or(usize::MAX)).filter_map(|(_, place)| Profile::record(profile, place));
    records.map(|record| function(record, kinds, total)).collect()
}

/// Returns the functions with a name, or if there is none, those that have it in their names, with all that is known of them.
pub(super) fn named(profile: &Profile, kinds: &Kinds, wanted: &str, targets: &Targets<'_>) -> Vec<Function> {
    let total = total(profile);
    let mut found = Vec::new();
    let mut similar = Vec::new();
    for (place, record) in (0usize..).zip(profile.records()) {
        let symbol = record.name.bytes.unwrap_or(b"");
        let is_same = symbol == wanted.as_bytes() || split(symbol).1 == wanted.as_bytes();
        if is_same {
            found.push(place);
            continue;
        }
        let readable = demangle(symbol);
        if readable == wanted {
            found.push(place);
        } else if readable.contains(wanted) || symbol.windows(wanted.len().max(1)).any(|part| part == wanted.as_bytes())
        {
            similar.push(place);
        }
    }
    let places = if found.is_empty() { similar } else { found };
    let records = places.into_iter().filter_map(|place| Profile::record(profile, place));
    let with_details = |record: RecordRef<'_>| Function {
        details: Some(Details {
            counters: record.counters.to_vec(),
            bitmap: record.bitmap.to_vec(),
            targets: sites::of(record, &[0, 2], targets),
            memory: sites::of(record, &[1], targets),
        }),
        ..function(record, kinds, total)
    };
    records.map(with_details).collect()
}
