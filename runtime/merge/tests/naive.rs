//! Naive reference of a merge, which spends time and memory freely.

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use super::loaded::{Loaded, Pieces};
use crate::format::value::KIND_MEMOP_SIZE;
use crate::merge::counters::LARGEST;

/// The values of each site of each function.
pub type Values = Vec<Vec<BTreeMap<u64, u64>>>;

/// The expected result of a merge.
pub struct Union {
    /// The counters' bytes.
    pub counters: Vec<u8>,
    /// The bitmaps.
    pub bitmap: Vec<u8>,
    /// The values and their counts.
    pub values: Values,
}

/// Computes the merge of `live`, the profile of the image, and `theirs`, which has `earlier` from the image already. A merge into memory
/// does not lower counters that are above the limit.
pub fn union(image: &Loaded, live: &Pieces, theirs: &Pieces, earlier: Option<&Pieces>, into_memory: bool) -> Union {
    let mut counters = live.parts[1].clone();
    if live.plan.counter_size() == 1 {
        counters.iter_mut().zip(&theirs.parts[1]).for_each(|(our, their)| *our &= their);
    } else {
        for at in (0..counters.len()).step_by(8) {
            let ours = live.counter(at).saturating_sub(earlier.map_or(0, |earlier| earlier.counter(at)));
            let sum = (u128::from(ours) + u128::from(theirs.counter(at))).min(u128::from(LARGEST)) as u64;
            let sum = if into_memory { sum.max(ours) } else { sum };
            counters[at..at + 8].copy_from_slice(&sum.to_ne_bytes());
        }
    }
    for &at in &live.stamps {
        let never = |stamp: &u64| *stamp != 0 && *stamp != u64::MAX;
        // A stamp that was written before is the one that is still there.
        let earliest = [live.counter(at), theirs.counter(at)].into_iter().filter(never).min();
        counters[at..at + 8].copy_from_slice(&earliest.unwrap_or(theirs.counter(at)).to_ne_bytes());
    }
    let bitmap = live.parts[2].iter().zip(&theirs.parts[2]).map(|(our, their)| our | their).collect();
    Union { counters, bitmap, values: values(image, live, theirs, earlier, into_memory) }
}

fn values(image: &Loaded, live: &Pieces, theirs: &Pieces, earlier: Option<&Pieces>, into_memory: bool) -> Values {
    let mut all: Values = live.sites.iter().map(|sites| vec![BTreeMap::new(); sites.len()]).collect();
    let mut add = |function: usize, site: usize, value: u64, count: u64| {
        let sum = all[function][site].entry(value).or_insert(0u64);
        let count = sum.saturating_add(count.min(LARGEST));
        *sum = if into_memory { count } else { count.min(LARGEST) };
    };
    for (function, sites) in theirs.sites.iter().enumerate() {
        for (site, (kind, pairs)) in sites.iter().enumerate() {
            for &(value, count) in pairs {
                let value = if *kind == KIND_MEMOP_SIZE as usize { value } else { image.address(theirs, value) };
                add(function, site, value, count);
            }
        }
    }
    for (function, sites) in live.sites.iter().enumerate() {
        for (site, (kind, pairs)) in sites.iter().enumerate() {
            for &(value, count) in pairs {
                let known = earlier.map_or(&[][..], |earlier| &earlier.sites[function][site].1);
                let known = known.iter().find(|(known, _)| *known == value).map_or(0, |(_, count)| *count);
                let named = into_memory || *kind == KIND_MEMOP_SIZE as usize;
                add(function, site, if named { value } else { image.own(value) }, count.saturating_sub(known));
            }
        }
    }
    all
}

/// Returns the values that have counts above 0.
pub fn counted(pieces: &Pieces) -> Values {
    let site = |pairs: &Vec<(u64, u64)>| {
        let mut all = BTreeMap::new();
        pairs
            .iter()
            .filter(|(_, count)| *count > 0)
            .for_each(|(value, count)| *all.entry(*value).or_insert(0) += count);
        all
    };
    pieces.sites.iter().map(|sites| sites.iter().map(|(_, pairs)| site(pairs)).collect()).collect()
}

/// Compares the values of a result with the expected ones. A site with more than `most` values may miss some, but has no others.
pub fn same_values(result: &Pieces, union: &Values, most: usize) {
    for (function, (is, should)) in counted(result).iter().zip(union).enumerate() {
        for (site, (is, should)) in is.iter().zip(should).enumerate() {
            let should: BTreeMap<u64, u64> =
                should.iter().filter(|(_, count)| **count > 0).map(|(value, count)| (*value, *count)).collect();
            if should.len() <= most {
                assert_eq!(is, &should, "site {site} of function {function}");
                continue;
            }
            assert!(is.len() <= 255);
            for (value, count) in is {
                let seen = should.get(value).copied().unwrap_or(0);
                assert!(*count <= seen, "site {site} of function {function}: value {value:#x}, {count} for {seen}");
            }
        }
    }
}
