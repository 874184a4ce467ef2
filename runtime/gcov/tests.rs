//! Files of all versions: encoded, merged, and refused.

use proptest::prelude::*;
use std::vec::Vec;

use super::buffer::PageBuffer;
use super::encoding::Version;
use super::merge::{add, each_counter};
use crate::error::Error;

const VERSIONS: [&[u8; 4]; 6] = [b"402*", b"407*", b"408*", b"A80*", b"A90*", b"B23*"];

/// A function: ident, checksums, counters.
type Function = (u32, u32, u32, Vec<u64>);

fn file(version: &[u8; 4], stamp: u32, functions: &[Function]) -> Vec<u8> {
    let encoder = Version(u32::from_be_bytes(*version));
    let mut file = PageBuffer::EMPTY;
    encoder.header(&mut file, stamp).unwrap();
    for (ident, line, flow, counters) in functions {
        encoder.function(&mut file, *ident, *line, *flow).unwrap();
        encoder.counters(&mut file, counters.len() as u32, counters.iter().copied()).unwrap();
    }
    encoder.summary(&mut file).unwrap();
    encoder.end(&mut file).unwrap();
    file.bytes().to_vec()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[test]
fn the_words_of_each_version() {
    let functions = [(7, 0xaabb_ccdd, 0x5566_7788, Vec::from([5, 1 << 32 | 9])), (9, 1, 2, Vec::new())];
    let counters = [0x01a1_0000, 4, 5, 0, 9, 1];
    let old = [
        &[0x6763_6461, 0x3430_322a, 0x1122_3344, 0x0100_0000, 2, 7, 0xaabb_ccdd][..],
        &counters,
        &[0x0100_0000, 2, 9, 1, 0x01a1_0000, 0, 0xa300_0000, 3, 0, 0, 1, 0, 0],
    ];
    assert_eq!(file(b"402*", 0x1122_3344, &functions), words(&old.concat()));
    let new = [
        &[0x6763_6461, 0x4231_312a, 0x1122_3344, 0x0100_0000, 3, 7, 0xaabb_ccdd, 0x5566_7788][..],
        &counters,
        &[0x0100_0000, 3, 9, 1, 2, 0x01a1_0000, 0, 0xa100_0000, 2, 1, 0, 0, 0],
    ];
    assert_eq!(file(b"B11*", 0x1122_3344, &functions), words(&new.concat()));
}

#[test]
fn versions_have_the_forms_that_llvm_writes() {
    let forms = |version: &[u8; 4]| {
        let version = Version(u32::from_be_bytes(*version));
        (version.has_flow_checksum(), version.summary_tag() == super::encoding::SUMMARY)
    };
    for version in [b"100*", b"306*", b"402*", b"406*", b"412*", b"310*", b"A01*", b"A46*"] {
        assert_eq!(forms(version), (false, false), "{version:?}");
    }
    for version in [b"407*", b"408*", b"4*7*", b"417*", b"500*", b"801*", b"899*", b"40A*", b"A80*", b"A79*"] {
        assert_eq!(forms(version), (true, false), "{version:?}");
    }
    for version in [b"900*", b"907*", b"A90*", b"A97*", b"B00*", b"B11*", b"C00*", b"zzzz"] {
        assert_eq!(forms(version), (true, true), "{version:?}");
    }
}

#[test]
fn counts_and_runs_are_added() {
    for version in VERSIONS {
        let of = |counters: &[u64]| file(version, 1, &[(1, 2, 3, counters.to_vec()), (2, 2, 3, Vec::new())]);
        let mut sum = of(&[1, u64::MAX, u64::from(u32::MAX)]);
        let one_run = sum.clone();
        add(&mut sum, &of(&[2, 7, 1]), false).unwrap();
        assert_eq!(sum, of(&[3, u64::MAX, 1 << 32]));
        add(&mut sum, &of(&[0, 0, 0]), true).unwrap();
        let different: Vec<_> = (0..sum.len()).filter(|at| sum[*at] != of(&[3, u64::MAX, 1 << 32])[*at]).collect();
        assert_eq!(different.len(), 1, "the number of runs");
        assert_eq!((one_run[different[0]], sum[different[0]]), (1, 2));
    }
}

#[test]
fn files_of_other_builds_are_refused() {
    let ours = file(b"408*", 1, &[(1, 2, 3, Vec::from([4, 5]))]);
    let reason = |version, stamp, function: Function| add(&mut file(version, stamp, &[function]), &ours, true);
    let same = || Vec::from([4, 5]);
    assert_eq!(reason(b"408*", 1, (1, 2, 3, same())), Ok(()));
    for (version, stamp, function) in [
        (b"407*", 1, (1, 2, 3, same())),
        (b"B11*", 1, (1, 2, 3, same())),
        (b"408*", 2, (1, 2, 3, same())),
        (b"408*", 2, (1, 2, 3, Vec::new())),
        (b"408*", 1, (9, 2, 3, same())),
        (b"408*", 1, (1, 9, 3, same())),
        (b"408*", 1, (1, 2, 9, same())),
    ] {
        assert_eq!(reason(version, stamp, function), Err(Error::OTHER_BUILD));
    }
    assert_eq!(reason(b"408*", 1, (1, 2, 3, Vec::new())), Err(Error::TRUNCATED));
    assert_eq!(reason(b"408*", 1, (1, 2, 3, Vec::from([4, 5, 6]))), Err(Error::CORRUPT));
    let other_order = |word: &[u8; 4]| [word[3], word[2], word[1], word[0]];
    let mut swapped: Vec<u8> = ours.as_chunks().0.iter().flat_map(other_order).collect();
    assert_eq!(add(&mut swapped, &ours, true), Err(Error::NO_GCDA));
    assert_eq!(add(&mut b"hello".to_vec(), &ours, true), Err(Error::NO_GCDA));
    for len in 0..ours.len() {
        assert_eq!(add(&mut ours[..len].to_vec(), &ours, true), Err(Error::TRUNCATED), "{len}");
    }
}

#[test]
fn a_changed_tag_or_length_is_found() {
    let ours = file(b"408*", 1, &[(1, 2, 3, Vec::from([4, 5]))]);
    // Tag and length of the function, the counters and the summary; the end.
    for word in [3, 4, 8, 9, 14, 15, 19, 20] {
        let mut old = ours.clone();
        old[word * 4] ^= 2;
        assert_eq!(add(&mut old, &ours, true), Err(Error::CORRUPT), "word {word}");
    }
}

#[test]
fn a_buffer_grows_and_keeps_its_bytes() {
    let mut buffer = PageBuffer::EMPTY;
    for at in 0..50_000u32 {
        buffer.extend(4).unwrap().copy_from_slice(&at.to_le_bytes());
    }
    assert_eq!(buffer.bytes().len(), 200_000);
    assert!(buffer.bytes().chunks_exact(4).enumerate().all(|(at, word)| word == (at as u32).to_le_bytes()));
    assert_eq!(buffer.extend(usize::MAX).map(|_| ()), Err(Error::ENOMEM));
    assert_eq!(buffer.extend(isize::MAX as usize).map(|_| ()), Err(Error::ENOMEM));
    assert_eq!(buffer.bytes().len(), 200_000);
    buffer.clear();
    assert_eq!(buffer.bytes(), b"");
}

fn functions() -> impl Strategy<Value = Vec<Function>> {
    prop::collection::vec((any::<u32>(), any::<u32>(), any::<u32>(), prop::collection::vec(any::<u64>(), 0..5)), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_sum_is_the_file_of_the_sums(version in 0..VERSIONS.len(), functions in functions()) {
        let ours = file(VERSIONS[version], 5, &functions);
        let mut sum = ours.clone();
        add(&mut sum, &ours, false).unwrap();
        let doubled: Vec<Function> = functions
            .iter()
            .map(|(a, b, c, counters)| (*a, *b, *c, counters.iter().map(|n| n.saturating_mul(2)).collect()))
            .collect();
        prop_assert_eq!(&sum, &file(VERSIONS[version], 5, &doubled));
        let mut counters = Vec::new();
        each_counter(&sum, |counter| counters.push(counter));
        prop_assert_eq!(counters, doubled.into_iter().flat_map(|(_, _, _, counters)| counters).collect::<Vec<_>>());
    }

    #[test]
    fn no_file_is_harmful(
        version in 0..VERSIONS.len(), functions in functions(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(), cuts in any::<bool>(),
    ) {
        let ours = file(VERSIONS[version], 5, &functions);
        let mut old = ours.clone();
        for (at, byte) in changes {
            *at.get_mut(&mut old) = byte;
        }
        if cuts {
            old.truncate(cut.index(ours.len()));
        }
        let _ = add(&mut old, &ours, true);
        each_counter(&old, |_| {});
    }
}
