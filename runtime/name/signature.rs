//! The signature of this image: a hash of its build id, names, function hashes, sizes and raw version, which other images do not share.

#![allow(unsafe_code)]

use crate::link::build_id;
use crate::sections::{Image, variables};
use crate::sync::{AtomicU64, Ordering};
use crate::value::node::records;

/// The signature; 0: not known yet. Waiting for a locked file resolves its name again and again.
static SIGNATURE: AtomicU64 = AtomicU64::new(0);

/// Returns the signature of this image. Nothing that it depends on changes.
pub fn signature() -> u64 {
    if SIGNATURE.load(Ordering::Relaxed) == 0 {
        SIGNATURE.store(hash(), Ordering::Relaxed);
    }
    SIGNATURE.load(Ordering::Relaxed)
}

fn hash() -> u64 {
    let image = Image::this();
    let mut hash = mix(SEED, variables::raw_version());
    for (_, span) in image.parts() {
        hash = mix(hash, span.len as u64);
    }
    // SAFETY: names are constant data of the image.
    hash = hash_bytes(unsafe { image.names.bytes() }, hash);
    // Programs with equal functions but different builds.
    // SAFETY: notes are constant data of the image.
    hash = hash_bytes(unsafe { build_id::first(&image.notes).bytes() }, hash);
    // SAFETY: the records are this image's own. (With records of another raw version the write fails before this call.)
    for record in unsafe { records(image.data) } {
        let sites = |kind: usize| u64::from(record.num_value_sites.get(kind).copied().unwrap_or(0));
        hash = mix(hash, record.name_ref);
        hash = mix(hash, record.func_hash.wrapping_add(sites(2)));
        hash = mix(hash, u64::from(record.num_counters) | sites(0) << 32 | sites(1) << 48);
    }
    hash
}

// A hash of 64 bits after FNV-1a, a word at a time.

/// The seed of a hash.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Continues a hash with bytes.
fn hash_bytes(bytes: &[u8], seed: u64) -> u64 {
    // Two words in a turn, because each start with `%m` hashes all names. Rotated, because a multiplication moves no high bits down.
    let step = |hash: u64, word: u64| (hash.rotate_left(29) ^ word).wrapping_mul(PRIME);
    let (pairs, rest) = bytes.as_chunks::<16>();
    let mut hash = seed;
    for pair in pairs {
        let pair = u128::from_le_bytes(*pair);
        hash = step(step(hash, pair as u64), (pair >> 64) as u64);
    }
    rest.iter().fold(mix(hash, rest.len() as u64), |hash, byte| mix(hash, u64::from(*byte)))
}

/// Returns the hash after one more word, with the high bits folded down: FNV's low bits depend only on low bits of the word.
#[inline(always)]
fn mix(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(PRIME);
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_count_more_is_another_hash() {
        let counters = [0u64; 100];
        let bytes =
            |counters: &[u64]| counters.iter().flat_map(|count| count.to_ne_bytes()).collect::<std::vec::Vec<u8>>();
        let mut hashes = std::vec![hash_bytes(&bytes(&counters), SEED)];
        for at in 0..counters.len() {
            for bit in [0, 1, 20, 62, 63] {
                let mut counters = counters;
                counters[at] |= 1 << bit;
                hashes.push(hash_bytes(&bytes(&counters), SEED));
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
        let hashes: std::vec::Vec<u64> = (0..40).map(|len| hash_bytes(&bytes[..len], SEED)).collect();
        let mut distinct = hashes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), hashes.len());
    }
}
