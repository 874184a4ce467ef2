//! Inserts the value data of one function, as LLVM's runtime takes it, into the function's sites.
//!
//! The data is not trusted: [`insert_value_data`] parses all of it before it inserts anything, and reads nothing beyond the slice. It leaves out
//! sites and kinds that the function does not have.

#![allow(unsafe_code)]

use super::hook::insert_value;
use crate::format::encoding::Encoding;
use crate::format::value::DATA_HEADER;
use crate::format::value_record::{KindValues, value_and_count};
use crate::native::{KINDS, Record};

/// Adds all values in `data` to those that the sites of `record` have seen. Returns `false` and adds nothing where the data
/// contradicts itself.
///
/// # Safety
/// `record` must be a control record of this image or of the program's own making, its `values` null or the heads of its
/// sites.
pub unsafe fn insert_value_data(data: &[u8], record: *const Record) -> bool {
    if walk(data, |_, _, _, _| {}).is_none() {
        return false;
    }
    // SAFETY: a control record, by this function's contract.
    let sites = unsafe { (*record).num_value_sites };
    walk(data, |kind, site, value, count| {
        let index = index_of(&sites, kind, site);
        if let Some(index) = index.filter(|_| count > 0) {
            // SAFETY: a control record, by this function's contract, and the index of one of its sites.
            unsafe { insert_value(value, record, index, count) };
        }
    });
    true
}

/// Returns the index of a site among the sites of all kinds; `None` when there is no such site.
fn index_of(sites: &[u16; KINDS], kind: u32, site: u32) -> Option<u32> {
    let own = sites.get(kind as usize)?;
    let before = sites.get(..kind as usize)?.iter().fold(0, |sum: u32, sites| sum.wrapping_add(u32::from(*sites)));
    (site < u32::from(*own)).then(|| before.wrapping_add(site))
}

/// Calls `each` with kind, site, value and count of every pair. Returns `None` when the data ends too early.
fn walk(data: &[u8], mut each: impl FnMut(u32, u32, u64, u64)) -> Option<()> {
    let kinds = Encoding::NATIVE.u32_at(data, 4)?;
    let mut rest = data.get(DATA_HEADER as usize..)?;
    for _ in 0..kinds {
        let (mut values, others) = KindValues::take_in(Encoding::NATIVE, rest)?;
        rest = others;
        for site in 0..values.sites() {
            for (value, count) in values.next_site().iter().map(value_and_count) {
                each(values.kind, site as u32, value, count);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    //! Every way in which the data can be cut short or lie.
    use super::*;
    use std::vec::Vec;

    /// `(kind, sites, counts)` and as many pairs `(10 * kind + n, n)` as the counts say.
    fn data(kinds: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend([0; 4]);
        bytes.extend((kinds.len() as u32).to_ne_bytes());
        for (kind, counts) in kinds {
            bytes.extend(kind.to_ne_bytes());
            bytes.extend((counts.len() as u32).to_ne_bytes());
            bytes.extend(*counts);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            for n in 0..counts.iter().map(|count| u64::from(*count)).sum() {
                bytes.extend((10 * u64::from(*kind) + n).to_ne_bytes());
                bytes.extend(n.to_ne_bytes());
            }
        }
        bytes
    }

    fn pairs(data: &[u8]) -> Option<Vec<(u32, u32, u64, u64)>> {
        let mut all = Vec::new();
        walk(data, |kind, site, value, count| all.push((kind, site, value, count)))?;
        Some(all)
    }

    #[test]
    fn whole_and_cut_short() {
        let good = data(&[(0, &[1, 0, 2]), (1, &[0; 9])]);
        let all = [(0, 0, 0, 0), (0, 2, 1, 1), (0, 2, 2, 2)];
        assert_eq!(pairs(&good).as_deref(), Some(&all[..]));
        for len in 0..good.len() {
            assert_eq!(pairs(&good[..len]), None, "{len}");
        }
    }

    #[test]
    fn numbers_that_lie() {
        let good = data(&[(1, &[1, 1])]);
        for at in [4, 12] {
            let mut bad = good.clone();
            bad[at..at + 4].fill(0xff);
            assert_eq!(pairs(&bad), None, "{at}");
        }
        let mut bad = good.clone();
        bad[16] = 255;
        assert_eq!(pairs(&bad), None);
        assert_eq!(pairs(&data(&[])), Some(Vec::new()));
    }

    #[test]
    fn sites_of_the_record_only() {
        let mut sites = [0; KINDS];
        sites[0] = 2;
        sites[1] = 3;
        let index = |kind, site| index_of(&sites, kind, site);
        assert_eq!([index(0, 0), index(0, 1), index(0, 2)], [Some(0), Some(1), None]);
        assert_eq!([index(1, 0), index(1, 2), index(1, 3)], [Some(2), Some(4), None]);
        assert_eq!([index(2, 0), index(7, 0), index(u32::MAX, 0)], [None; 3]);
    }
}
