//! The order in which LLVM's maps hand out what was put into them.

/// Returns the order of names in LLVM's string map (LLVM 16 and earlier), as indices into `names`, which stand in order of insertion.
///
/// Slots are probed at distances 1, 3, 6, 10, ... A table that is more than 3/4 full is rebuilt at double size, slot by slot.
pub(super) fn of_names<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Vec<usize> {
    let mut map = Map::new(16);
    for name in names {
        let hash = name.iter().fold(0u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
        map.insert(hash);
        if map.hashes.len() * 4 > map.slots.len() * 3 {
            map.rebuild(map.slots.len() * 2);
        }
    }
    map.order()
}

/// Returns the order of function hashes in LLVM's small map for the records of one name, as indices into `hashes`, which stand in order of
/// insertion.
///
/// The map has 4 slots, then 64, 128, ... An insertion that would leave a table 3/4 full rebuilds it first.
pub(super) fn of_hashes(hashes: &[u64], release: u32) -> Vec<usize> {
    let mut map = Map::new(4);
    for hash in hashes {
        if (map.hashes.len() + 1) * 4 >= map.slots.len() * 3 {
            map.rebuild((map.slots.len() * 2).max(64));
        }
        map.insert(if release < 19 { hash.wrapping_mul(37) as u32 } else { folded(*hash) });
    }
    map.order()
}

fn folded(hash: u64) -> u32 {
    let product = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (product ^ product >> 31) as u32
}

/// An open-addressing table of indices.
struct Map {
    /// Hash of each item.
    hashes: Vec<u32>,
    /// Item in each slot.
    slots: Vec<Option<u32>>,
    /// For each slot how many probes from there have found an item. They need not be repeated, because no item is ever removed; else items
    /// of one hash would take quadratic time.
    probed: Vec<u32>,
}

impl Map {
    fn new(slots: usize) -> Map {
        Map { hashes: Vec::new(), slots: vec![None; slots], probed: vec![0; slots] }
    }

    fn insert(&mut self, hash: u32) {
        let item = self.hashes.len() as u32;
        self.hashes.push(hash);
        self.place(item, hash);
    }

    fn place(&mut self, item: u32, hash: u32) {
        let mask = self.slots.len().wrapping_sub(1);
        let start = hash as usize & mask;
        let Some(probed) = self.probed.get_mut(start) else { return };
        for _ in 0..self.slots.len() {
            let probe = *probed as usize;
            *probed = probed.saturating_add(1);
            // Each probe goes one slot farther than the one before.
            let distance = probe.wrapping_mul(probe.wrapping_add(1)) / 2;
            if let Some(free @ None) = self.slots.get_mut(start.wrapping_add(distance) & mask) {
                *free = Some(item);
                return;
            }
        }
    }

    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![None; slots]);
        self.probed = vec![0; slots];
        for item in old.into_iter().flatten() {
            let hash = self.hashes.get(item as usize).copied().unwrap_or(0);
            self.place(item, hash);
        }
    }

    fn order(self) -> Vec<usize> {
        self.slots.into_iter().flatten().map(|item| item as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_handed_out_once() {
        for size in [0usize, 1, 2, 3, 12, 13, 47, 48, 49, 1000] {
            let names: Vec<_> = (0..size).map(|index| format!("f{index}").into_bytes()).collect();
            let hashes: Vec<_> = (0..size as u64).map(|index| index * 64).collect();
            for mut order in [of_names(names.iter().map(Vec::as_slice)), of_hashes(&hashes, 18), of_hashes(&hashes, 19)]
            {
                order.sort_unstable();
                assert!(order.into_iter().eq(0..size));
            }
        }
    }

    #[test]
    fn equal_hashes_take_linear_time() {
        let hashes: Vec<_> = (0..200_000u64).map(|index| index << 32).collect();
        assert_eq!(of_hashes(&hashes, 18).len(), hashes.len());
    }

    #[test]
    fn slots_decide() {
        // 37 mod 4 is 1: the hashes 0 to 3 stand in their own slots, and 5 finds slot 1 taken.
        assert_eq!(of_hashes(&[3, 1], 18), [1, 0]);
        assert_eq!(of_hashes(&[5, 1], 18), [0, 1]);
        // "a" is 97, slot 1 of 16; "b" is slot 2.
        assert_eq!(of_names([&b"b"[..], b"a"]), [1, 0]);
    }
}
