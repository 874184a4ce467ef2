//! Merges the values of two sites.

use crate::compat::sort;
use crate::merge::sites::MergeByValue;
use crate::values::{KindSites, Value};

/// The values of a site that LLVM keeps.
const KEPT: usize = 255;

/// Sorts the values of each site by count, the most frequent first, and keeps 255 of each.
pub(super) fn finish(sites: &mut KindSites) {
    let done = |site: &[Value]| site.len() <= KEPT && site.is_sorted_by(|a, b| a.count >= b.count);
    if sites.sites().all(done) {
        return;
    }
    let mut finished = KindSites::default();
    let mut scratch = Vec::new();
    for site in sites.sites() {
        scratch.clear();
        scratch.extend_from_slice(site);
        cut(&mut scratch);
        finished.push_site(scratch.iter().copied());
    }
    *sites = finished;
}

fn cut(site: &mut Vec<Value>) {
    site.sort_by_key(|value| std::cmp::Reverse(value.count));
    site.truncate(KEPT);
}

/// Memory for [`Merge::merge`].
#[derive(Default)]
pub(super) struct Merge {
    ours: Vec<Value>,
    theirs: Vec<Value>,
    merged: Vec<Value>,
    sites: KindSites,
}

impl Merge {
    /// Adds `theirs`, which has as many sites, to `ours`, and calls `overflow` for each site where a count has reached 2^64 - 1.
    ///
    /// LLVM multiplies by the weight only the counts of values that both have. Values that occur twice meet in the order that the sort has
    /// left them in: LLVM 18 and earlier keep the former order, later releases sort as `std::sort`.
    pub(super) fn merge(
        &mut self,
        ours: &mut KindSites,
        theirs: &KindSites,
        weight: u64,
        release: u32,
        mut overflow: impl FnMut(usize),
    ) {
        self.sites.clear();
        for (index, (our_site, their_site)) in ours.sites().zip(theirs.sites()).enumerate() {
            self.ours.clear();
            self.ours.extend_from_slice(our_site);
            self.theirs.clear();
            self.theirs.extend_from_slice(their_site);
            for values in [&mut self.ours, &mut self.theirs] {
                match release {
                    ..19 => values.sort_by_key(|value| value.value),
                    _ => sort::sort_as_libstdcxx(values, |value| value.value),
                }
            }
            let mut overflows = false;
            let both = |our: u64, their: u64| {
                let sum = their.checked_mul(weight).and_then(|product| product.checked_add(our));
                overflows |= sum.is_none();
                sum.unwrap_or(u64::MAX)
            };
            self.merged.clear();
            self.merged.extend(MergeByValue { left: &self.ours, right: &self.theirs, both });
            if overflows {
                overflow(index);
            }
            cut(&mut self.merged);
            self.sites.push_site(self.merged.iter().copied());
        }
        std::mem::swap(ours, &mut self.sites);
    }
}
