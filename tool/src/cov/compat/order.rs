//! The order in which `llvm-cov` up to 19 has branches: that of `std::sort` of libstdc++ by places, which does not keep equal ones in order.
//!
//! Branches of one line are numbered in this order.

/// A line and a column.
type Place = (u32, u32);

/// Ranges of so many are not cut further.
const SMALL: usize = 16;

/// Sorts by places.
pub(super) fn sort<T>(items: &mut [T], place: impl Fn(&T) -> Place + Copy) {
    let cuts = items.len().checked_ilog2().unwrap_or(0).saturating_mul(2);
    cut_all(items, place, cuts);
    // What is left to do there is done by insertion, which keeps the order.
    items.sort_by_key(place);
}

/// Cuts a range, and its parts, until they are small. LLVM's goes on with a heap after too many cuts, which no source has.
fn cut_all<T>(mut items: &mut [T], place: impl Fn(&T) -> Place + Copy, mut cuts: u32) {
    while items.len() > SMALL && cuts > 0 {
        cuts -= 1;
        let end = cut(items, place);
        let (low, high) = items.split_at_mut(end);
        cut_all(high, place, cuts);
        items = low;
    }
}

/// Cuts a range at the median of three places, and returns where.
fn cut<T>(items: &mut [T], place: impl Fn(&T) -> Place) -> usize {
    let (middle, last) = (items.len() / 2, items.len().saturating_sub(1));
    let of = |items: &[T], number: usize| items.get(number).map_or((0, 0), &place);
    let [first, second, third] = [1, middle, last].map(|number| of(items, number));
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
