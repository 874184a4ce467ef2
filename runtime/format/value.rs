//! Sizes of value data in a profile.
//!
//! Per function with sites: `u32 TotalSize, u32 NumValueKinds`; per kind with sites: `u32 Kind, u32 NumValueSites`, one
//! count byte a site, zeros to a multiple of 8, then `(u64 value, u64 count)` pairs, site after site.

/// The largest number of values of a site: the profile has one byte for it.
pub const MAX_VALUES_PER_SITE: u64 = 255;
/// Size in bytes of `TotalSize` and `NumValueKinds`.
pub const DATA_HEADER: u64 = 8;
/// Size in bytes of `Kind` and `NumValueSites`.
pub const KIND_HEADER: u64 = 8;
/// Size in bytes of a value and its count.
pub const PAIR: u64 = 16;

/// Kind 1: sizes of memory operations. Kind 0: addresses of indirect call targets; kind 2: those of virtual tables (raw version 10 and up).
pub const KIND_MEMOP_SIZE: u32 = 1;

/// Returns the size in bytes of a kind's header with its count bytes and padding, for `sites` > 0 sites.
#[inline]
pub const fn kind_header_size(sites: u32) -> u64 {
    (KIND_HEADER + sites as u64 + 7) & !7
}

/// Returns the size in bytes of the value record of a function with these numbers of sites for each kind and `pairs` pairs in all, or
/// `None` when it has no sites and so no record. Cannot overflow: at most 3 * 65535 sites and 255 pairs a site.
#[inline]
pub fn record_size(sites: &[u16], pairs: u64) -> Option<u64> {
    let (size, kinds) = size_and_kinds(sites, pairs);
    (kinds > 0).then_some(size)
}

/// Returns the size in bytes of a value record, and the number of kinds that have sites.
#[inline]
pub(crate) fn size_and_kinds(sites: &[u16], pairs: u64) -> (u64, u32) {
    let (mut size, mut kinds) = (DATA_HEADER.wrapping_add(pairs.wrapping_mul(PAIR)), 0_u32);
    for &count in sites {
        if count > 0 {
            size = size.wrapping_add(kind_header_size(u32::from(count)));
            kinds = kinds.wrapping_add(1);
        }
    }
    (size, kinds)
}

/// Returns the word that two adjacent `u32` make in memory.
#[inline]
pub const fn halves(first: u32, second: u32) -> u64 {
    let (low, high) = if cfg!(target_endian = "little") { (first, second) } else { (second, first) };
    low as u64 | (high as u64) << 32
}

#[cfg(test)]
mod tests {
    //! Sizes as seen in files of the official archive.
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(record_size(&[0, 0, 0], 0), None);
        assert_eq!(record_size(&[1, 0, 0], 0), Some(24));
        assert_eq!(record_size(&[8, 9], 2), Some(8 + 16 + 24 + 32));
        assert_eq!(record_size(&[u16::MAX; 3], 3 * 65535 * 255), Some(8 + 3 * 65544 + 3 * 65535 * 255 * 16));
    }
}
