//! Whether two indexed profiles say the same.

use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Debug;

use profdata::Profile;
use profdata::read::{ReadOptions, indexed};
use profdata::sink::Value;

/// Names, function hashes and what a record has: counters, bitmap, counts by value for each site of each kind.
type Plain = BTreeMap<(Vec<u8>, u64), (Vec<u64>, Vec<u8>, Vec<Vec<BTreeMap<u64, u64>>>)>;

/// The first difference between two indexed profiles, the order of values apart.
pub fn profiles(official: &[u8], ours: &[u8]) -> Result<Option<String>> {
    let read = |bytes: &[u8]| -> Result<Profile> {
        let mut profile = Profile::new();
        indexed::read(bytes, &ReadOptions::default(), &mut profile)?;
        Ok(profile)
    };
    let (official, ours) = (read(official)?, read(ours)?);
    let differences = [
        unequal("flags", &official.flags(), &ours.flags()),
        // LLVM 16 keeps those of the last profile in a file only.
        unequal("binary ids", &official.binary_ids().is_subset(ours.binary_ids()), &true),
        unequal("number of traces seen", &official.trace_stream_size(), &ours.trace_stream_size()),
        unequal("traces", &traces(&official), &traces(&ours)),
        unequal("number of records", &official.len(), &ours.len()),
    ];
    if let Some(difference) = differences.into_iter().flatten().next() {
        return Ok(Some(difference));
    }
    let (official, ours) = (plain(&official), plain(&ours));
    let mut pairs = official.iter().zip(&ours);
    Ok(pairs.find_map(|(official, ours)| unequal("record", &official, &ours)))
}

fn unequal<T: PartialEq + Debug>(what: &str, official: &T, ours: &T) -> Option<String> {
    (official != ours).then(|| format!("{what}:\n  {official:?}\n  {ours:?}"))
}

/// Traces with the sums of their weights: ours adds equal ones.
fn traces(profile: &Profile) -> BTreeMap<Vec<u64>, u64> {
    let mut traces = BTreeMap::new();
    for trace in profile.traces() {
        *traces.entry(trace.functions.clone()).or_default() += trace.weight;
    }
    traces
}

fn plain(profile: &Profile) -> Plain {
    let mut records = Plain::new();
    for record in profile.records() {
        let values = record.values.iter().flat_map(|values| &values.kinds);
        let values = values.map(|kind| kind.sites().map(counts).collect()).collect();
        let name = record.name.bytes.unwrap_or_default().to_vec();
        records.insert((name, record.hash), (record.counters.to_vec(), record.bitmap.to_vec(), values));
    }
    records
}

/// Counts by value. LLVM keeps each of several targets without a record, whose values are all 0; ours adds them.
fn counts(site: &[Value]) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for value in site {
        let count: &mut u64 = counts.entry(value.value).or_default();
        *count = count.saturating_add(value.count);
    }
    counts
}

/// Where the bytes of two files differ.
pub fn difference(official: &[u8], ours: &[u8]) -> String {
    let same = official.iter().zip(ours).take_while(|(a, b)| a == b).count();
    let around = |bytes: &[u8]| {
        let around = bytes.get(same.saturating_sub(48)..bytes.len().min(same + 48)).unwrap_or_default();
        format!("{} bytes: {}", bytes.len(), around.escape_ascii())
    };
    format!("differs at byte {same}\n  official {}\n      ours {}", around(official), around(ours))
}
