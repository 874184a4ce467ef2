//! Maps sizes of memory operations to one representative for each range, so that a site has at most 22 values.

/// The first size of the last range, and its representative.
const LAST: u64 = 513;

/// Returns the representative of a size's range: 0 to 8 and powers of two up to 512 stand for themselves, the lower power plus one for
/// all sizes between two powers, and 513 for all sizes above 512.
#[inline]
pub const fn representative(size: u64) -> u64 {
    if size <= 8 || size.is_power_of_two() && size < LAST {
        size
    } else if size >= LAST {
        LAST
    } else {
        (1 << (63 - size.leading_zeros())) + 1
    }
}

/// Returns the largest size of the range that `size` is in; `None` for the last one, which has no end.
pub const fn range_end(size: u64) -> Option<u64> {
    if size >= LAST {
        None
    } else if is_single(size) {
        Some(size)
    } else {
        Some((1 << (64 - size.leading_zeros())) - 1)
    }
}

/// Returns whether `size` is the only size of its range.
#[inline]
pub const fn is_single(size: u64) -> bool {
    size <= 8 || size.is_power_of_two()
}

#[cfg(test)]
mod tests {
    //! Against the table in the public header, written down as a list of ranges.
    use super::*;

    const RANGES: [(u64, u64); 13] = [
        (9, 15),
        (16, 16),
        (17, 31),
        (32, 32),
        (33, 63),
        (64, 64),
        (65, 127),
        (128, 128),
        (129, 255),
        (256, 256),
        (257, 511),
        (512, 512),
        (513, u64::MAX),
    ];

    #[test]
    fn table() {
        for size in (0..2000).chain([u64::MAX, 1 << 40, (1 << 40) + 1]) {
            let naive = if size <= 8 { size } else { RANGES.iter().find(|r| size <= r.1).unwrap().0 };
            assert_eq!(representative(size), naive, "{size}");
            let end = if size <= 8 { size } else { RANGES.iter().find(|r| size <= r.1).unwrap().1 };
            assert_eq!(range_end(size), Some(end).filter(|end| *end < u64::MAX), "{size}");
        }
    }

    #[test]
    fn single() {
        assert!((0..=8).all(is_single) && is_single(512) && !is_single(10) && !is_single(100) && !is_single(513));
    }
}
