//! How much each of several inputs has in common with the others.

use std::collections::HashMap;
use std::path::PathBuf;
use std::slice::from_ref;
use std::sync::Arc;

use profdata::Profile;
use profdata::correlate::Correlation;
use serde::Serialize;

use crate::inputs::{Source, display, expand, profile};
use crate::report::share;
use crate::show::sum;

/// Of more inputs none is compared: each is read a second time.
const MOST: usize = 64;

/// The name, how much it has in common with the sum of the others, and its share of all counts, in percent.
#[derive(Serialize)]
pub(super) struct Input(String, f64, f64);

/// Compares each of the files that an argument stands for with the others. `whole` is the sum of all.
pub(super) fn of(argument: &PathBuf, whole: &Profile, binaries: Option<&Arc<dyn Correlation>>) -> Vec<Input> {
    let sources = expand(from_ref(argument), None).sources;
    if !(2..=MOST).contains(&sources.len()) {
        return Vec::new();
    }
    let total = |profile: &Profile| profile.records().map(sum).sum::<u128>();
    let counters: HashMap<_, _> =
        whole.records().map(|record| ((record.name.hash, record.hash), record.counters)).collect();
    let input = |source: &Source| {
        let Source::File { path, .. } = source else { return None };
        // What is damaged was noted when all were read.
        let (own, _) = profile(from_ref(path), binaries.cloned()).ok()?;
        let (own_total, whole_total) = (total(&own), total(whole));
        let rest = whole_total.saturating_sub(own_total);
        let counted = own.records().filter(|record| !record.is_pseudo());
        let pairs =
            counted.filter_map(|record| Some((record.counters, *counters.get(&(record.name.hash, record.hash))?)));
        let common = |(own, all): (&u64, &u64)| share(*own, own_total).min(share(all.saturating_sub(*own), rest));
        let overlap = pairs.flat_map(|(own, all)| own.iter().zip(all)).map(common).sum::<f64>();
        Some(Input(display(path), overlap.min(100.0), share(own_total, whole_total)))
    };
    sources.iter().filter_map(input).collect()
}
