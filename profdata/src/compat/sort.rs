//! Sorts values as the C++ library does with which LLVM is built: entries that compare equal may change places, always in the same way.
//!
//! libstdc++'s `std::sort` is an introsort: it partitions around the median of three until no part has more than 16 entries or the depth is
//! too great (then heap sort), and ends with an insertion sort of the whole. Only the last step keeps equal entries in order.

use crate::values::Value;

/// A part up to this size is left to the insertion sort.
const SMALL: usize = 16;

/// Sorts by the value, as libstdc++'s `std::sort`.
pub fn by_value(values: &mut [Value]) {
    if values.len() > SMALL {
        partition(values, values.len().ilog2().saturating_mul(2));
    }
    insert(values);
}

fn less(a: Value, b: Value) -> bool {
    a.value < b.value
}

fn at(values: &[Value], index: usize) -> Value {
    values.get(index).copied().unwrap_or_default()
}

fn set(values: &mut [Value], index: usize, value: Value) {
    if let Some(slot) = values.get_mut(index) {
        *slot = value;
    }
}

/// Partitions until each part is small. `depth` more partitions may follow one another.
fn partition(mut values: &mut [Value], mut depth: u32) {
    while values.len() > SMALL {
        let Some(left) = depth.checked_sub(1) else { return heap_sort(values) };
        depth = left;
        let cut = partition_once(values);
        let Some((low, high)) = values.split_at_mut_checked(cut) else { return };
        partition(high, depth);
        values = low;
    }
}

/// Partitions around the median of the second, the middle and the last entry, and returns where the upper part begins.
fn partition_once(values: &mut [Value]) -> usize {
    let (a, b, c) = (1, values.len() / 2, values.len() - 1);
    values.swap(0, median(values, a, b, c));
    let pivot = at(values, 0);
    let (mut low, mut high) = (1, values.len());
    loop {
        while low < values.len() && less(at(values, low), pivot) {
            low += 1;
        }
        high -= 1;
        while high > 0 && less(pivot, at(values, high)) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        values.swap(low, high);
        low += 1;
    }
}

/// Returns the place of the median.
fn median(values: &[Value], a: usize, b: usize, c: usize) -> usize {
    let less = |x, y| less(at(values, x), at(values, y));
    match (less(a, b), less(b, c), less(a, c)) {
        (true, true, _) => b,
        (true, false, true) => c,
        (true, false, false) => a,
        (false, _, true) => a,
        (false, true, false) => c,
        (false, false, false) => b,
    }
}

fn heap_sort(values: &mut [Value]) {
    let len = values.len();
    for parent in (0..len / 2).rev() {
        sift(values, parent, len, at(values, parent));
    }
    for end in (1..len).rev() {
        let value = at(values, end);
        set(values, end, at(values, 0));
        sift(values, 0, end, value);
    }
}

/// Moves the hole at `top` down to a leaf along the larger children, and then `value` up to its place.
fn sift(values: &mut [Value], top: usize, len: usize, value: Value) {
    let mut hole = top;
    loop {
        let right = hole * 2 + 2;
        let child = match right.cmp(&len) {
            std::cmp::Ordering::Less if less(at(values, right), at(values, right - 1)) => right - 1,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal => right - 1,
            std::cmp::Ordering::Greater => break,
        };
        set(values, hole, at(values, child));
        hole = child;
    }
    while hole > top {
        let parent = (hole - 1) / 2;
        if !less(at(values, parent), value) {
            break;
        }
        set(values, hole, at(values, parent));
        hole = parent;
    }
    set(values, hole, value);
}

/// Insertion sort. After [`partition`] no entry moves far; without it the slice is small.
fn insert(values: &mut [Value]) {
    for end in 1..values.len() {
        let value = at(values, end);
        let mut hole = end;
        while hole > 0 && less(value, at(values, hole - 1)) {
            set(values, hole, at(values, hole - 1));
            hole -= 1;
        }
        set(values, hole, value);
    }
}

#[cfg(test)]
#[path = "sort/tests.rs"]
mod tests;
