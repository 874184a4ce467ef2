//! Sums of value sites.

use crate::finding::FindingKind;
use crate::values::{KindSites, Value};

/// Memory that is used again for each function.
#[derive(Debug, Default)]
pub(crate) struct SiteScratch {
    sum: KindSites,
    sorted: Vec<Value>,
    /// What was found in the record that is being added.
    pub(crate) found: Vec<FindingKind>,
}

/// Adds the values of each site of `input` to those of `sum`, which has as many sites, sorted by value, none twice; or no site, and takes
/// those of `input`.
pub(crate) fn add_sites(number: u8, sum: &mut KindSites, input: &KindSites, weight: u64, scratch: &mut SiteScratch) {
    scratch.sum.clear();
    for (site, values) in input.sites().enumerate() {
        sort_site(number, site, values, weight, scratch);
        let both = |left: u64, right: u64| left.saturating_add(right);
        scratch.sum.push_site(MergeByValue { left: sum.site(site), right: &scratch.sorted, both });
    }
    std::mem::swap(sum, &mut scratch.sum);
}

/// Sorts the values of a site of an input by value into `scratch.sorted`, with their counts multiplied. Equal values become one.
fn sort_site(kind: u8, site: usize, values: &[Value], weight: u64, scratch: &mut SiteScratch) {
    let sorted = &mut scratch.sorted;
    sorted.clear();
    sorted.extend(values.iter().map(|value| Value { count: value.count.saturating_mul(weight), ..*value }));
    if !sorted.is_sorted_by(|a, b| a.value < b.value) {
        sorted.sort_unstable_by_key(|value| value.value);
        sorted.dedup_by(|next, first| {
            let same = next.value == first.value;
            if same {
                first.count = first.count.saturating_add(next.count);
                // Each target without a record has the value 0, so that it is often there twice.
                if first.value != 0 {
                    scratch.found.push(FindingKind::DuplicateValue { kind, site: site as u64, value: first.value });
                }
            }
            same
        });
    }
}

/// Two sites, both sorted by value, as one.
pub(crate) struct MergeByValue<'a, F> {
    pub(crate) left: &'a [Value],
    pub(crate) right: &'a [Value],
    /// Makes one count of those of a value that both have.
    pub(crate) both: F,
}

impl<F: FnMut(u64, u64) -> u64> Iterator for MergeByValue<'_, F> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match (self.left, self.right) {
            ([left, lefts @ ..], [right, rights @ ..]) if left.value == right.value => {
                (self.left, self.right) = (lefts, rights);
                Some(Value { value: left.value, count: (self.both)(left.count, right.count) })
            }
            ([left, lefts @ ..], rights) if rights.first().is_none_or(|right| left.value < right.value) => {
                self.left = lefts;
                Some(*left)
            }
            (_, [right, rights @ ..]) => {
                self.right = rights;
                Some(*right)
            }
            _ => None,
        }
    }
}

/// The largest number of values of a site in indexed profiles.
const MOST: usize = 255;

/// Sorts the values of each site by count, the largest first, then by value, and cuts each site to 255 values.
pub(crate) fn finish_sites(number: u8, sites: &mut KindSites, found: &mut Vec<FindingKind>) {
    let cut = sites.sites().any(|site| site.len() > MOST);
    let order = |a: &Value, b: &Value| b.count.cmp(&a.count).then(a.value.cmp(&b.value));
    let mut finished = KindSites::default();
    for site in 0..sites.len() {
        let values = sites.site_mut(site);
        values.sort_unstable_by(order);
        if values.first().is_some_and(|first| first.count == u64::MAX) {
            found.push(FindingKind::ValueOverflow { kind: number, site: site as u64 });
        }
        if cut {
            if let Some(left_out) = values.len().checked_sub(MOST).filter(|left_out| *left_out > 0) {
                found.push(FindingKind::ValuesCut { kind: number, site: site as u64, left_out: left_out as u64 });
            }
            finished.push_site(values.iter().take(MOST).copied());
        }
    }
    if cut {
        *sites = finished;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(values: &[(u64, u64)]) -> KindSites {
        let mut kind = KindSites::default();
        kind.push_site(values.iter().map(|(value, count)| Value { value: *value, count: *count }));
        kind
    }

    #[test]
    fn weights_count_for_new_values() {
        let (mut sum, mut scratch) = (site(&[]), SiteScratch::default());
        add_sites(1, &mut sum, &site(&[(8, 5), (16, 7)]), 1, &mut scratch);
        add_sites(1, &mut sum, &site(&[(32, 3), (8, 1), (8, 1)]), 10, &mut scratch);
        assert_eq!(scratch.found, [FindingKind::DuplicateValue { kind: 1, site: 0, value: 8 }]);
        finish_sites(1, &mut sum, &mut scratch.found);
        assert_eq!(sum, site(&[(32, 30), (8, 25), (16, 7)]));
    }

    #[test]
    fn ties_stand_in_the_order_of_values_and_the_rest_is_cut() {
        let (mut sum, mut scratch) = (KindSites::default(), SiteScratch::default());
        let values: Vec<_> = (0..300).map(|value| (300 - value, 1 + value % 2)).collect();
        add_sites(1, &mut sum, &site(&values), 1, &mut scratch);
        finish_sites(1, &mut sum, &mut scratch.found);
        assert_eq!(scratch.found, [FindingKind::ValuesCut { kind: 1, site: 0, left_out: 45 }]);
        assert_eq!(sum.site(0).len(), 255);
        assert_eq!(sum.site(0)[..2], [Value { value: 1, count: 2 }, Value { value: 3, count: 2 }]);
    }
}
