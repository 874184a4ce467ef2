//! Value sites: where indirect calls go, which vtables virtual calls use, how many bytes memory operations have.

use std::cmp::Reverse;

use profdata::Profile;
use profdata::format::memop;
use profdata::sink::{RecordRef, Value};
use serde::Serialize;

use crate::report::names::{Targets, name};

/// A value site.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Site {
    pub(super) function: String,
    /// `call`, `memory` or `vtable`.
    pub(super) kind: &'static str,
    /// Its number among those of the kind in the function.
    pub(super) site: usize,
    /// Sum of the counts of its values.
    pub(super) counts: u128,
    pub(super) values: Vec<Named>,
}

/// A value with its name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Named {
    /// Name of a target, or bytes: the first size of a range.
    pub(super) value: String,
    /// The last size of the range: that of the value where there is only one, `null` where the range has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last: Option<Option<u64>>,
    pub(super) count: u64,
}

const KINDS: [&str; 3] = ["call", "memory", "vtable"];

fn sum(site: &[Value]) -> u128 {
    site.iter().map(|value| u128::from(value.count)).sum()
}

fn site(record: RecordRef<'_>, kind: usize, number: usize, values: &[Value], targets: &Targets<'_>) -> Site {
    let named = |value: &Value| Named {
        last: (kind == 1).then(|| last_size(value.value)),
        value: if kind == 1 { value.value.to_string() } else { targets.name(value.value) },
        count: value.count,
    };
    Site {
        function: name(record.name),
        kind: KINDS.get(kind).copied().unwrap_or("other"),
        site: number,
        counts: sum(values),
        values: values.iter().map(named).collect(),
    }
}

/// Returns the last size of the range that a size stands for. A size that stands for no range, as other tools may write it, is only itself.
fn last_size(size: u64) -> Option<u64> {
    if memop::representative(size) == size { memop::range_end(size) } else { Some(size) }
}

/// Returns the sites of some kinds of a function, with those that have seen nothing.
pub(super) fn of(record: RecordRef<'_>, kinds: &[usize], targets: &Targets<'_>) -> Vec<Site> {
    let kinds = kinds.iter().filter_map(|kind| Some((*kind, record.values?.kinds.get(*kind)?)));
    let sites =
        kinds.flat_map(|(kind, sites)| (0..).zip(sites.sites()).map(move |(number, values)| (kind, number, values)));
    sites.map(|(kind, number, values)| site(record, kind, number, values, targets)).collect()
}

/// Returns the sites of some kinds with the most counts; `None`: all, those that have seen nothing at the end.
pub(crate) fn hottest(profile: &Profile, kinds: &[usize], top: Option<usize>, targets: &Targets<'_>) -> Vec<Site> {
    let mut places = Vec::new();
    for (place, record) in (0usize..).zip(profile.records()) {
        for kind in kinds {
            let Some(sites) = record.values.and_then(|values| values.kinds.get(*kind)) else { continue };
            for (number, values) in (0usize..).zip(sites.sites()) {
                places.push((Reverse(sum(values)), place, *kind, number));
            }
        }
    }
    places.retain(|(Reverse(counts), ..)| top.is_none() || *counts > 0);
    places.sort_unstable();
    let sites = places.into_iter().take(top.unwrap_or(usize::MAX)).filter_map(|(_, place, kind, number)| {
        let record = Profile::record(profile, place)?;
        Some(site(record, kind, number, record.values?.kinds.get(kind)?.site(number), targets))
    });
    sites.collect()
}
