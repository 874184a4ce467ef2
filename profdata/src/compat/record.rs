//! Adds a record to one of the same function.

use crate::compat::sites::{self, Merge};
use crate::finding::FindingKind;
use crate::profile::Profile;
use crate::sink::RecordRef;
use crate::values::{KindSites, ValueSites};

/// The first release that knows pseudo counts. Earlier ones add up to 2^64 - 1.
const PSEUDO_COUNTS: u32 = 16;

/// Adds records as one release does.
#[derive(Default)]
pub(super) struct Adder {
    release: u32,
    /// The largest count that a counter has.
    max: u64,
    merge: Merge,
    /// What was found since somebody took it.
    pub(super) found: Vec<FindingKind>,
}

impl Adder {
    pub(super) fn new(release: u32) -> Adder {
        let max = if release < PSEUDO_COUNTS { u64::MAX } else { RecordRef::MAX_COUNT };
        Adder { release, max, ..Adder::default() }
    }

    /// Finishes the first record of a function, which stands at `index`.
    pub(super) fn begin(&mut self, profile: &mut Profile, index: usize, weight: u64) {
        if weight > 1 {
            let max = self.max;
            for (counter, count) in profile.counters_mut(index).iter_mut().enumerate() {
                let product = count.checked_mul(weight).filter(|product| *product <= max);
                if product.is_none() {
                    self.found.push(FindingKind::CounterOverflow { counter: counter as u64 });
                }
                *count = product.unwrap_or(max);
            }
        }
        if let Some(Some(values)) = profile.values_mut(index) {
            for (kind, sites) in (0u8..).zip(&mut values.kinds) {
                if weight > 1 {
                    let found = &mut self.found;
                    scale(sites, weight, |site| found.push(FindingKind::ValueOverflow { kind, site: site as u64 }));
                }
                sites::finish(sites);
            }
        }
    }

    /// Adds a record, with its counts multiplied by `weight`, to the one at `index`.
    pub(super) fn merge(&mut self, profile: &mut Profile, index: usize, record: RecordRef<'_>, weight: u64) {
        let Some(own) = profile.record(index) else { return };
        let (kept, left_out) = (own.counters.len() as u64, record.counters.len() as u64);
        if kept != left_out {
            self.found.push(FindingKind::CounterMismatch { kept, left_out });
            return;
        }
        if self.release >= PSEUDO_COUNTS && (own.is_pseudo() || record.is_pseudo()) {
            let hottest = own.counters.first().max(record.counters.first()).copied();
            if own.is_pseudo() != record.is_pseudo() {
                self.found.push(FindingKind::PseudoMismatch);
            } else if let (Some(first), Some(hottest)) = (profile.counters_mut(index).first_mut(), hottest) {
                *first = hottest;
            }
            return;
        }
        if self.release >= 23 {
            let bits = uniformity(own, record, weight);
            profile.set_uniformity(index, &bits);
        }
        self.merge_counters(profile.counters_mut(index), record.counters, weight);
        if !merge_bitmap(profile.bitmap_mut(index), record.bitmap) {
            let kept = profile.bitmap_mut(index).len() as u64;
            self.found.push(FindingKind::BitmapMismatch { kept, left_out: record.bitmap.len() as u64 });
            return;
        }
        if let Some(values) = profile.values_mut(index) {
            self.merge_values(values, record.values, weight);
        }
    }

    fn merge_counters(&mut self, own: &mut [u64], other: &[u64], weight: u64) {
        for (counter, (own, other)) in own.iter_mut().zip(other).enumerate() {
            let sum = other.checked_mul(weight).and_then(|product| product.checked_add(*own));
            let sum = sum.filter(|sum| *sum <= self.max);
            if sum.is_none() {
                self.found.push(FindingKind::CounterOverflow { counter: counter as u64 });
            }
            *own = sum.unwrap_or(self.max);
        }
    }

    fn merge_values(&mut self, own: &mut Option<Box<ValueSites>>, other: Option<&ValueSites>, weight: u64) {
        let none = ValueSites::default();
        let other = other.unwrap_or(&none);
        let mut empty = ValueSites::default();
        let own = own.as_deref_mut().unwrap_or(&mut empty);
        for (kind, (own, other)) in (0u8..).zip(own.kinds.iter_mut().zip(&other.kinds)) {
            if own.len() != other.len() {
                let (kept, left_out) = (own.len() as u64, other.len() as u64);
                self.found.push(FindingKind::ValueSiteMismatch { kind, kept, left_out });
            } else if !own.is_empty() {
                let found = &mut self.found;
                self.merge.merge(own, other, weight, self.release, |site| {
                    found.push(FindingKind::ValueOverflow { kind, site: site as u64 });
                });
            }
        }
    }
}

/// Multiplies all counts, and calls `overflow` for each site where one has reached 2^64 - 1.
fn scale(sites: &mut KindSites, weight: u64, mut overflow: impl FnMut(usize)) {
    for (index, site) in sites.sites().enumerate() {
        if site.iter().any(|value| value.count.checked_mul(weight).is_none()) {
            overflow(index);
        }
    }
    for value in sites.values_mut() {
        value.count = value.count.saturating_mul(weight);
    }
}

/// Adds the bits of a bitmap, and returns whether the sizes are equal.
fn merge_bitmap(own: &mut [u8], other: &[u8]) -> bool {
    if own.len() != other.len() {
        return false;
    }
    own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
    true
}

/// Returns the uniformity bits of two records: a block is uniform if 9 of 10 counts come from records where it is. A record without bits
/// has no say.
fn uniformity(own: RecordRef<'_>, other: RecordRef<'_>, weight: u64) -> Vec<u8> {
    if own.uniformity.is_empty() || other.uniformity.len() != own.uniformity.len() {
        let bits = if own.uniformity.is_empty() { other.uniformity } else { own.uniformity };
        return bits.to_vec();
    }
    let mut bits = vec![0xff; own.uniformity.len()];
    let bit = |bits: &[u8], block: usize| bits.get(block / 8).is_some_and(|byte| byte >> (block % 8) & 1 == 1);
    for (block, (ours, theirs)) in own.counters.iter().zip(other.counters).enumerate() {
        let (ours, theirs) = (u128::from(*ours), u128::from(*theirs) * u128::from(weight));
        let uniform = |count: u128, bits| if bit(bits, block) { count } else { 0 };
        let sum = uniform(ours, own.uniformity).saturating_add(uniform(theirs, other.uniformity));
        let all = ours.saturating_add(theirs);
        // 9/10 of `all`, without a product that overflows.
        let limit = all / 10 * 9 + (all % 10 * 9).div_ceil(10);
        if sum < limit
            && let Some(byte) = bits.get_mut(block / 8)
        {
            *byte &= !(1 << (block % 8));
        }
    }
    bits
}
