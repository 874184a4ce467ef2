//! Value sites that overflowed.
//!
//! A profile does not say how often a site was reached. It does for functions with one counter: these have no branches, so each of their sites
//! is reached as often as the function is entered.

use std::cmp::Reverse;

use profdata::Profile;
use profdata::sink::{Flags, Name, RecordRef, Value};
use serde::Serialize;

use crate::report::names::name;

/// Values that a site has at most in indexed profiles.
const LIMIT: usize = 255;

/// All value sites.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sites {
    pub(super) all: u64,
    pub(super) with_values: u64,
    /// Have 255 values, the limit of indexed profiles.
    pub(super) full: u64,
    /// Sites of functions with one counter: how often they were reached is known.
    pub(super) with_known_total: u64,
    /// Those of them whose values have fewer counts.
    pub(super) short: u64,
    /// How often sites with a known total were reached, and how often no value was kept.
    pub(super) reached: u64,
    pub(super) values_lost: u64,
    /// Full and short sites, those with the most counts first.
    pub(super) worst: Vec<Site>,
}

/// A site that overflowed.
#[derive(Debug, Serialize)]
pub(super) struct Site {
    pub(super) function: String,
    /// `call`, `memory` or `vtable`.
    pub(super) kind: &'static str,
    pub(super) site: usize,
    pub(super) values: usize,
    /// Sum of the counts of its values.
    pub(super) counts: u64,
    /// How often it was reached, if that is known.
    pub(super) reached: Option<u64>,
    pub(super) reason: &'static str,
}

/// Returns how often each site of a function was reached, if that is known.
fn total(profile: &Profile, record: &RecordRef<'_>) -> Option<u64> {
    let only_entries = profile.flags().has(Flags::FUNCTION_ENTRY_ONLY) || profile.flags().has(Flags::BYTE_COVERAGE);
    match record.counters {
        [only] if !only_entries && !record.is_pseudo() => Some(*only),
        _ => None,
    }
}

/// Looks at all sites, and names at most `top`.
pub(super) fn sites(profile: &Profile, top: usize) -> Sites {
    const KINDS: [&str; 3] = ["call", "memory", "vtable"];
    let mut sites = Sites::default();
    let mut worst = Vec::new();
    for record in profile.records() {
        let known = total(profile, &record);
        for (kind, own) in record.values.iter().flat_map(|values| KINDS.iter().zip(&values.kinds)) {
            for (number, values) in (0usize..).zip(own.sites()) {
                let counts = values.iter().fold(0, |sum: u64, value: &Value| sum.saturating_add(value.count));
                sites.all += 1;
                sites.with_values += u64::from(!values.is_empty());
                let lost = known.map_or(0, |total| total.saturating_sub(counts));
                if let Some(total) = known {
                    sites.with_known_total += 1;
                    sites.reached = sites.reached.saturating_add(total);
                    sites.values_lost = sites.values_lost.saturating_add(lost);
                    sites.short += u64::from(lost > 0);
                }
                let is_full = values.len() >= LIMIT;
                sites.full += u64::from(is_full);
                if is_full || lost > 0 {
                    let reason = if is_full { "full" } else { "short" };
                    let size =
                        (Reverse(known.unwrap_or(0).max(counts)), record.name.bytes, record.name.hash, *kind, number);
                    worst.push((size, values.len(), counts, known, reason));
                }
            }
        }
    }
    worst.sort_by_key(|(size, ..)| *size);
    let site = |((_, bytes, hash, kind, site), values, counts, reached, reason)| Site {
        function: name(Name { hash, bytes }),
        kind,
        site,
        values,
        counts,
        reached,
        reason,
    };
    sites.worst = worst.into_iter().take(top).map(site).collect();
    sites
}
