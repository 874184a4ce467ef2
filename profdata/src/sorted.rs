//! Sorts strings by their bytes.
//!
//! Mangled names begin alike, and stand in memory in another order. So strings are sorted by 8 bytes at a time: each pass looks at each
//! string once, and only strings that are alike so far go into the next pass.

/// A string in a pass: its next 8 bytes, how many of them there are, and its number.
type SortKey = (u64, u8, u32);

/// Returns the numbers of items in the order of their strings: byte by byte, the shorter first. Below 2^32 items.
pub(crate) fn by_bytes<'a, T>(items: &'a [T], bytes: impl Fn(&'a T) -> &'a [u8]) -> Vec<u32> {
    let key = |number: u32, depth: usize| -> SortKey {
        let rest = items.get(number as usize).map_or(&[][..], &bytes).get(depth..).unwrap_or(&[]);
        match rest.first_chunk() {
            Some(word) => (u64::from_be_bytes(*word), 8, number),
            None => {
                let mut word = [0; 8];
                word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                (u64::from_be_bytes(word), rest.len() as u8, number)
            }
        }
    };
    let mut keys: Vec<SortKey> = (0..items.len() as u32).map(|number| key(number, 0)).collect();
    // Ranges that are alike in all bytes before a depth.
    let mut ranges = vec![(0, keys.len(), 0)];
    while let Some((start, end, depth)) = ranges.pop() {
        let Some(range) = keys.get_mut(start..end) else { continue };
        range.sort_unstable();
        let mut first = start;
        for alike in range.chunk_by_mut(|a, b| a.0 == b.0 && a.1 == b.1) {
            let after = first + alike.len();
            if let [(_, 8, _), _, ..] = alike {
                alike.iter_mut().for_each(|(word, len, number)| (*word, *len, _) = key(*number, depth + 8));
                ranges.push((first, after, depth + 8));
            }
            first = after;
        }
    }
    keys.into_iter().map(|(_, _, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_stand_as_the_standard_library_sorts_them(
            strings in prop::collection::vec(prop::collection::vec(0u8..3, 0..30), 0..60),
        ) {
            let order = by_bytes(&strings, Vec::as_slice);
            let ours: Vec<&[u8]> = order.iter().map(|number| strings[*number as usize].as_slice()).collect();
            let mut sorted: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
            sorted.sort();
            prop_assert_eq!(ours, sorted);
        }
    }
}
