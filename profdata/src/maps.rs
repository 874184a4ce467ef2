//! The order of iteration of LLVM's hash maps: a table of slots, and on collision 1, 2, 3 … slots further.

use crate::release::HashMix;

/// A table of slots that hold numbers of items.
struct Slots {
    slots: Vec<u32>,
    items: usize,
    /// For each slot how many slots a search from there has found taken. No item is ever removed, so they stay taken; without this number
    /// items of one hash would take quadratic time.
    taken: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl Slots {
    fn new(size: usize) -> Slots {
        Slots { slots: vec![EMPTY; size], items: 0, taken: vec![0; size] }
    }

    fn insert(&mut self, item: u32, hash: u32) {
        let mask = self.slots.len().wrapping_sub(1);
        let start = hash as usize & mask;
        let Some(taken) = self.taken.get_mut(start) else { return };
        for _ in 0..self.slots.len() {
            let step = *taken as usize;
            *taken += 1;
            // 1, then 2, then 3 slots further.
            let distance = step.wrapping_mul(step + 1) / 2;
            if let Some(slot @ &mut EMPTY) = self.slots.get_mut(start.wrapping_add(distance) & mask) {
                *slot = item;
                self.items += 1;
                return;
            }
        }
    }

    /// Makes a table of `size` slots, and inserts the items as they stand in the old one.
    fn rebuild(&mut self, size: usize, hash: impl Fn(u32) -> u32) {
        let old = std::mem::replace(self, Slots::new(size));
        for item in old.slots.into_iter().filter(|item| *item != EMPTY) {
            self.insert(item, hash(item));
        }
    }

    fn order<T: Copy>(&self, items: &[T]) -> Vec<T> {
        self.slots.iter().filter_map(|item| items.get(*item as usize).copied()).collect()
    }
}

/// Returns items, added one by one, in the order of LLVM's string map.
pub(crate) fn string_map_order<T: Copy>(items: &[T], hash: impl Fn(&T) -> u32) -> Vec<T> {
    let hashes: Vec<u32> = items.iter().map(hash).collect();
    let hash_of = |item: u32| hashes.get(item as usize).copied().unwrap_or(0);
    let mut map = Slots::new(16);
    for item in 0..hashes.len() as u32 {
        map.insert(item, hash_of(item));
        let size = map.slots.len();
        if map.items * 4 > size * 3 {
            map.rebuild(2 * size, hash_of);
        } else if size - map.items <= size / 8 {
            map.rebuild(size, hash_of);
        }
    }
    map.order(items)
}

/// Returns items, added one by one, in the order of LLVM's small map from 64-bit keys with 4 slots in place.
pub(crate) fn small_map_order<T: Copy>(items: &[T], mix: HashMix, key: impl Fn(&T) -> u64) -> Vec<T> {
    let hash = |item: u32| {
        let key = items.get(item as usize).map_or(0, &key);
        match mix {
            HashMix::Times37 => (key as u32).wrapping_mul(37),
            HashMix::Folded => {
                let product = key.wrapping_mul(0xbf58_476d_1ce4_e5b9);
                (product ^ product >> 31) as u32
            }
        }
    };
    let mut map = Slots::new(4);
    for item in 0..items.len() as u32 {
        let size = map.slots.len();
        if (map.items + 1) * 4 >= size * 3 {
            map.rebuild((2 * size).max(64), hash);
        }
        map.insert(item, hash(item));
    }
    map.order(items)
}

/// Returns Bernstein's hash of a string, as LLVM 16 and earlier have it in their string map.
pub(crate) fn bernstein(string: &[u8]) -> u32 {
    string.iter().fold(0, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_names(names: &[&[u8]]) -> Vec<usize> {
        let numbers: Vec<usize> = (0..names.len()).collect();
        string_map_order(&numbers, |number| bernstein(names[*number]))
    }

    fn of_hashes(hashes: &[u64], mix: HashMix) -> Vec<usize> {
        let numbers: Vec<usize> = (0..hashes.len()).collect();
        small_map_order(&numbers, mix, |number| hashes[*number])
    }

    #[test]
    fn each_item_is_handed_out_once() {
        for size in [0usize, 1, 2, 3, 12, 13, 47, 48, 49, 1000] {
            let names: Vec<_> = (0..size).map(|index| format!("f{index}").into_bytes()).collect();
            let names: Vec<_> = names.iter().map(Vec::as_slice).collect();
            let hashes: Vec<_> = (0..size as u64).map(|index| index * 64).collect();
            let of_hashes = |mix| of_hashes(&hashes, mix);
            for mut order in [of_names(&names), of_hashes(HashMix::Times37), of_hashes(HashMix::Folded)] {
                order.sort_unstable();
                assert!(order.into_iter().eq(0..size));
            }
        }
    }

    #[test]
    fn equal_hashes_take_linear_time() {
        let hashes: Vec<_> = (0..200_000u64).map(|index| index << 32).collect();
        assert_eq!(of_hashes(&hashes, HashMix::Times37).len(), hashes.len());
    }

    #[test]
    fn slots_decide() {
        // 37 mod 4 is 1: the hashes 0 to 3 stand in their own slots, and 5 finds slot 1 taken.
        assert_eq!(of_hashes(&[3, 1], HashMix::Times37), [1, 0]);
        assert_eq!(of_hashes(&[5, 1], HashMix::Times37), [0, 1]);
        // "a" is 97, slot 1 of 16; "b" is slot 2.
        assert_eq!(of_names(&[b"b", b"a"]), [1, 0]);
    }
}
