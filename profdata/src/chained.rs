//! The chained hash table, with its items in the order that LLVM gives them.

/// Marks the end of a chain.
const NONE: u32 = u32::MAX;

/// A table over items that are known by their numbers.
#[derive(Debug)]
pub(crate) struct ChainedTable {
    /// First item of each bucket; a power of two of them.
    heads: Vec<u32>,
    /// For each item the next one of its bucket.
    next: Vec<u32>,
}

impl ChainedTable {
    /// Builds the table of items with these hashes, inserted in this order. Below 2^32 - 1 items.
    pub(crate) fn new(hashes: &[u64]) -> ChainedTable {
        let mut table = ChainedTable { heads: vec![NONE; 64], next: vec![NONE; hashes.len()] };
        let mut entries = 0usize;
        for (item, hash) in (0..NONE).zip(hashes) {
            entries += 1;
            if 4 * entries >= 3 * table.heads.len() {
                table.resize(2 * table.heads.len(), hashes);
            }
            push_front(&mut table.heads, &mut table.next, item, *hash);
        }
        let size = if entries <= 2 { 1 } else { (4 * entries / 3 + 1).next_power_of_two() };
        if size != table.heads.len() {
            table.resize(size, hashes);
        }
        table
    }

    /// Moves all items to another number of buckets. Each chain is reversed on its way.
    fn resize(&mut self, size: usize, hashes: &[u64]) {
        let mut heads = vec![NONE; size];
        for head in &self.heads {
            let mut item = *head;
            while let Some((next, hash)) = self.next.get(item as usize).zip(hashes.get(item as usize)) {
                let next = *next;
                push_front(&mut heads, &mut self.next, item, *hash);
                item = next;
            }
        }
        self.heads = heads;
    }

    /// Returns the number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns the number of items.
    pub(crate) fn items(&self) -> usize {
        self.next.len()
    }

    /// Returns the number of buckets with items.
    pub(crate) fn used(&self) -> usize {
        self.heads.iter().filter(|head| **head != NONE).count()
    }

    /// Returns the items of each bucket, in order.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = impl Iterator<Item = usize> + Clone + '_> + '_ {
        let number = |item: u32| (item != NONE).then_some(item as usize);
        self.heads.iter().map(move |head| {
            std::iter::successors(number(*head), move |item| self.next.get(*item).and_then(|next| number(*next)))
        })
    }
}

fn push_front(heads: &mut [u32], next: &mut [u32], item: u32, hash: u64) {
    let bucket = hash as usize & heads.len().wrapping_sub(1);
    if let (Some(head), Some(next)) = (heads.get_mut(bucket), next.get_mut(item as usize)) {
        *next = std::mem::replace(head, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(hashes: &[u64]) -> Vec<Vec<usize>> {
        ChainedTable::new(hashes).buckets().map(Iterator::collect).collect()
    }

    #[test]
    fn two_items_share_one_bucket() {
        assert_eq!(buckets(&[]), [[0usize; 0]]);
        // Put in front of each other, and reversed when 64 buckets become 1.
        assert_eq!(buckets(&[5, 5]), [[0, 1]]);
        // From different buckets, the one of the later bucket ends in front.
        assert_eq!(buckets(&[6, 5]), [[0, 1]]);
    }

    #[test]
    fn all_items_are_in_their_buckets() {
        for count in [0, 1, 2, 3, 47, 48, 49, 95, 96, 1000] {
            let hashes: Vec<u64> = (0..count).map(|item| item * 0x9e37_79b9).collect();
            let table = ChainedTable::new(&hashes);
            let mut seen: Vec<usize> = table.buckets().flatten().collect();
            for (bucket, items) in table.buckets().enumerate() {
                assert!({ items }.all(|item| hashes[item] as usize % table.len() == bucket));
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..count as usize).collect::<Vec<_>>());
        }
    }
}
