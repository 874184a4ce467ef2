//! Arithmetic and value data against naive references.

use std::vec::Vec;

use super::counters::{LARGEST, add, earlier, hold, subtract};
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
    assert_eq!(hold(&mut [1, LARGEST]), (0, 0));
    assert_eq!(hold(&mut [1, LARGEST + 1]), (1, 1));
    let mut ours = [5, 5];
    subtract(&mut ours, &theirs);
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
