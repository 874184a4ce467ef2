//! FNV-1a over 64 bits, a word at a time: for names, counters, and the signature of an image.

/// The seed of a hash.
pub const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Returns the FNV-1a hash of words, in four independent lanes: counters are hashed at every explicit write. `seed` is the hash
/// of the preceding bytes. (Patterns are used because iterators are not inlined across the archive's members.)
pub fn hash_words(bytes: &[u8], seed: u64) -> u64 {
    // Rotated, because multiplication moves no high bits to low ones.
    let step = |lane: u64, word: [u8; 8]| (lane.rotate_left(29) ^ u64::from_ne_bytes(word)).wrapping_mul(PRIME);
    let (mut first, mut second, mut third, mut fourth) = (seed, seed ^ 1, seed ^ 2, seed ^ 3);
    let mut rest = bytes;
    while let [
        a0,
        a1,
        a2,
        a3,
        a4,
        a5,
        a6,
        a7,
        b0,
        b1,
        b2,
        b3,
        b4,
        b5,
        b6,
        b7,
        c0,
        c1,
        c2,
        c3,
        c4,
        c5,
        c6,
        c7,
        d0,
        d1,
        d2,
        d3,
        d4,
        d5,
        d6,
        d7,
        behind @ ..,
    ] = rest
    {
        first = step(first, [*a0, *a1, *a2, *a3, *a4, *a5, *a6, *a7]);
        second = step(second, [*b0, *b1, *b2, *b3, *b4, *b5, *b6, *b7]);
        third = step(third, [*c0, *c1, *c2, *c3, *c4, *c5, *c6, *c7]);
        fourth = step(fourth, [*d0, *d1, *d2, *d3, *d4, *d5, *d6, *d7]);
        rest = behind;
    }
    let tail = rest.iter().fold(rest.len() as u64, |hash, byte| mix(hash, u64::from(*byte)));
    mix(mix(mix(mix(tail, first), second), third), fourth)
}

/// Returns the hash after one more word, with the high bits folded down: FNV's low bits depend only on low bits of the word.
#[inline(always)]
pub fn mix(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(PRIME);
    hash ^ hash >> 29
}

/// Returns the hash of a name.
pub fn hash_of(bytes: &[u8]) -> u64 {
    hash_words(bytes, SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_count_more_is_another_hash() {
        let counters = [0u64; 100];
        let bytes =
            |counters: &[u64]| counters.iter().flat_map(|count| count.to_ne_bytes()).collect::<std::vec::Vec<u8>>();
        let mut hashes = std::vec![hash_of(&bytes(&counters))];
        for at in 0..counters.len() {
            for bit in [0, 1, 20, 62, 63] {
                let mut counters = counters;
                counters[at] |= 1 << bit;
                hashes.push(hash_of(&bytes(&counters)));
            }
        }
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }

    #[test]
    fn one_byte_more_is_another_hash() {
        let bytes = [5u8; 40];
        let hashes: std::vec::Vec<u64> = (0..40).map(|len| hash_of(&bytes[..len])).collect();
        let mut distinct = hashes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), hashes.len());
    }
}
