//! Arithmetic and value data against naive references.

use std::vec::Vec;

use proptest::prelude::*;

use super::counters::{LARGEST, add, contain, earlier, saturate, subtract};
use super::rebase::Rebase;
use crate::span::Span;

mod drive;
mod full;
mod loaded;
mod made;
mod naive;
mod properties;
mod refused;

#[test]
fn sums_end_at_the_limit() {
    let mut ours = [1, LARGEST - 1, u64::MAX, 7, LARGEST];
    let theirs: Vec<u8> = [2u64, 1, 1, u64::MAX, 1].iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(add(&mut ours, &theirs), (3, 2));
    assert_eq!(ours, [3, LARGEST, LARGEST, LARGEST, LARGEST]);
    assert_eq!(saturate(&mut [1, LARGEST]), (0, 0));
    assert_eq!(saturate(&mut [1, LARGEST + 1]), (1, 1));
    let mut ours = [5, 5];
    subtract(&mut ours, &[2, 1, 9]);
    assert_eq!(ours, [3, 4]);
}

#[test]
fn earlier_stamps() {
    assert_eq!((earlier(0, 5), earlier(5, 0), earlier(3, 5), earlier(u64::MAX, 9)), (5, 5, 3, 9));
}

#[test]
fn an_unknown_function_stays_unknown() {
    let anywhere = Rebase::new(0x1000, Span::EMPTY, 1);
    assert_eq!((anywhere.address(0), anywhere.address(5)), (0, 0x1005));
}

#[test]
fn a_file_made_anew_has_less() {
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
    assert!(contain(&bytes(&[5, 0, LARGEST]), &[5, 0, u64::MAX]));
    assert!(contain(&bytes(&[6, 1, 7]), &[5, 0, 7]));
    assert!(!contain(&bytes(&[5, 0, 6]), &[5, 0, 7]));
}

proptest! {
    #[test]
    fn contributions_as_one_by_one(pairs in prop::collection::vec((wide_count(), wide_count()), 0..12), less in any::<bool>()) {
        let (mut theirs, counts): (Vec<u64>, Vec<u64>) = pairs.iter().map(|(a, b)| if less { (*a, *b) } else { (*a.max(b), *b) }).unzip();
        let bytes: Vec<u8> = theirs.iter().flat_map(|count| count.to_ne_bytes()).collect();
        let expected = theirs.iter().zip(&counts).all(|(their, count)| *their >= (*count).min(LARGEST));
        prop_assert_eq!(contain(&bytes, &counts), expected);
        let expected: Vec<u64> = theirs.iter().zip(&counts).map(|(their, count)| their.saturating_sub(*count)).collect();
        subtract(&mut theirs, &counts);
        prop_assert_eq!(theirs, expected);
    }
}

/// Counters whose differences have all signs.
fn wide_count() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..4u64, 1 => LARGEST - 1..LARGEST + 2, 1 => (1u64 << 63) - 1..(1 << 63) + 2, 1 => Just(u64::MAX)]
}

#[test]
fn addresses_move() {
    // The image was at 0x1000 and is at 0x5000 now, 0x1000 bytes long.
    let image = Span { start: core::ptr::without_provenance(0x5000), len: 0x1000 };
    let mut rebase = Rebase::new(0x4000, image, 100);
    assert_eq!((rebase.address(0x1010), rebase.address(0x2010), rebase.address(0)), (0x5010, 0, 0));
    assert_eq!((rebase.findable(0x5010), rebase.findable(0x9000), rebase.findable(0)), (0x5010, 0, 0));
    // One that has its own way within the image, a hundred in another image.
    rebase.learn(0x1010, 0x5020);
    rebase.learn(0x1100, 0x5100);
    for at in 1..100 {
        rebase.learn(0x70_0000 + at * 16, 0x90_0000 + at * 16);
    }
    assert_eq!((rebase.address(0x1010), rebase.address(0x1100), rebase.address(0x1108)), (0x5020, 0x5100, 0x5108));
    for at in 1..100 {
        assert_eq!(rebase.address(0x70_0000 + at * 16), 0x90_0000 + at * 16);
        assert_eq!(rebase.findable(0x90_0000 + at * 16), 0x90_0000 + at * 16);
        assert_eq!((rebase.address(0x70_0001 + at * 16), rebase.findable(0x70_0000 + at * 16)), (0, 0));
    }
    rebase.learn(0, 0x5555);
    assert_eq!(rebase.address(0), 0);
}
