//! The order in which `llvm-cov` up to 19 has branches: that of `std::sort` of libstdc++ by line, which does not keep equal ones in order.
//!
//! Branches of one line are numbered in this order.

/// Ranges of so many are not cut further.
const SMALL: usize = 16;

/// Sorts by line.
pub(super) fn sort<T>(items: &mut [T], line: impl Fn(&T) -> u32 + Copy) {
    let cuts = items.len().checked_ilog2().unwrap_or(0).saturating_mul(2);
    cut_all(items, line, cuts);
    // What is left to do there is done by insertion, which keeps the order.
    items.sort_by_key(line);
}

/// Cuts a range, and its parts, until they are small. LLVM's goes on with a heap after too many cuts, which no source has.
fn cut_all<T>(mut items: &mut [T], line: impl Fn(&T) -> u32 + Copy, mut cuts: u32) {
    while items.len() > SMALL && cuts > 0 {
        cuts -= 1;
        let place = cut(items, line);
        let (low, high) = items.split_at_mut(place);
        cut_all(high, line, cuts);
        items = low;
    }
}

/// Cuts a range at the median of three lines, and returns where.
fn cut<T>(items: &mut [T], line: impl Fn(&T) -> u32) -> usize {
    let (middle, last) = (items.len() / 2, items.len().saturating_sub(1));
    let of = |items: &[T], place: usize| items.get(place).map_or(0, &line);
    let [first, second, third] = [1, middle, last].map(|place| of(items, place));
    // Of equal ones this one.
    let median = match () {
        () if first < second && second < third => middle,
        () if first < second && first < third => last,
        () if first < second => 1,
        () if first < third => 1,
        () if second < third => last,
        () => middle,
    };
    items.swap(0, median);
    let pivot = of(items, 0);
    let (mut low, mut high) = (1, items.len());
    loop {
        while of(items, low) < pivot {
            low += 1;
        }
        high -= 1;
        while pivot < of(items, high) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}
