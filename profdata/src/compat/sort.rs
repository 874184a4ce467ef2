//! Sorts as the C++ library does with which LLVM is built: entries that compare equal may change places, always in the same way.
//!
//! libstdc++'s `std::sort` is an introsort: it partitions around the median of three until no part has more than 16 entries or the depth is
//! too great (then heap sort), and ends with an insertion sort of the whole. Only the last step keeps equal entries in order.

/// A part up to this size is left to the insertion sort.
const SMALL: usize = 16;

/// Sorts by keys, as libstdc++'s `std::sort`.
pub fn sort_as_libstdcxx<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Copy) {
    partition(items, key, items.len().checked_ilog2().unwrap_or(0).saturating_mul(2));
    // Insertion keeps equal entries in order, as any stable sort.
    items.sort_by_key(key);
}

/// Partitions until each part is small. `depth` more partitions may follow one another.
fn partition<T, K: Ord>(mut items: &mut [T], key: impl Fn(&T) -> K + Copy, mut depth: u32) {
    while items.len() > SMALL {
        let Some(left) = depth.checked_sub(1) else { return heap_sort(items, key) };
        depth = left;
        let cut = partition_once(items, key);
        let Some((low, high)) = items.split_at_mut_checked(cut) else { return };
        partition(high, key, depth);
        items = low;
    }
}

/// Partitions around the median of the second, the middle and the last entry, and returns where the upper part begins.
fn partition_once<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) -> usize {
    let at = |items: &[T], index: usize| items.get(index).map(&key);
    let (middle, last) = (items.len() / 2, items.len() - 1);
    let [first, second, third] = [1, middle, last].map(|index| at(items, index));
    let median = match (first < second, second < third, first < third) {
        (true, true, _) | (false, false, false) => middle,
        (true, false, true) | (false, true, false) => last,
        (true, false, false) | (false, _, true) => 1,
    };
    items.swap(0, median);
    let pivot = at(items, 0);
    let (mut low, mut high) = (1, items.len());
    loop {
        while low < items.len() && at(items, low) < pivot {
            low += 1;
        }
        high -= 1;
        while high > 0 && pivot < at(items, high) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

fn heap_sort<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Copy) {
    for top in (0..items.len() / 2).rev() {
        sift(items, top, key);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift(items.get_mut(..end).unwrap_or_default(), 0, key);
    }
}

/// Moves the entry at `top` down to a leaf along the larger children, and then up to its place.
fn sift<T, K: Ord>(items: &mut [T], top: usize, key: impl Fn(&T) -> K) {
    let less = |items: &[T], one: usize, other: usize| items.get(one).map(&key) < items.get(other).map(&key);
    let mut place = top;
    loop {
        let right = place * 2 + 2;
        let child = match right.cmp(&items.len()) {
            std::cmp::Ordering::Less if less(items, right, right - 1) => right - 1,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal => right - 1,
            std::cmp::Ordering::Greater => break,
        };
        items.swap(place, child);
        place = child;
    }
    while place > top && less(items, (place - 1) / 2, place) {
        items.swap(place, (place - 1) / 2);
        place = (place - 1) / 2;
    }
}

#[cfg(test)]
#[path = "sort/tests.rs"]
mod tests;
