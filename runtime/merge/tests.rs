//! Arithmetic and value data against naive references.

use super::counters::earlier;
use super::rebase::Rebase;
use crate::span::Span;

mod drive;
mod full;
mod loaded;
mod made;
mod naive;
mod properties;
mod refused;
mod windows;

#[test]
fn earlier_stamps() {
    assert_eq!((earlier(0, 5), earlier(5, 0), earlier(3, 5), earlier(u64::MAX, 9)), (5, 5, 3, 9));
}

#[test]
fn an_unknown_function_stays_unknown() {
    let anywhere = Rebase::new(0x1000, Span::EMPTY, 1);
    assert_eq!((anywhere.rebased(0), anywhere.rebased(5)), (0, 0x1005));
}

#[test]
fn addresses_move() {
    // The image was at 0x1000 and is at 0x5000 now, 0x1000 bytes long.
    let image = Span { start: core::ptr::without_provenance(0x5000), len: 0x1000 };
    let mut rebase = Rebase::new(0x4000, image, 100);
    assert_eq!((rebase.rebased(0x1010), rebase.rebased(0x2010), rebase.rebased(0)), (0x5010, 0, 0));
    assert_eq!((rebase.keep_or_zero(0x5010), rebase.keep_or_zero(0x9000), rebase.keep_or_zero(0)), (0x5010, 0, 0));
    // One that has its own way within the image, a hundred in another image.
    rebase.learn(0x1010, 0x5020);
    rebase.learn(0x1100, 0x5100);
    for at in 1..100 {
        rebase.learn(0x70_0000 + at * 16, 0x90_0000 + at * 16);
    }
    assert_eq!((rebase.rebased(0x1010), rebase.rebased(0x1100), rebase.rebased(0x1108)), (0x5020, 0x5100, 0x5108));
    for at in 1..100 {
        assert_eq!(rebase.rebased(0x70_0000 + at * 16), 0x90_0000 + at * 16);
        assert_eq!(rebase.keep_or_zero(0x90_0000 + at * 16), 0x90_0000 + at * 16);
        assert_eq!((rebase.rebased(0x70_0001 + at * 16), rebase.keep_or_zero(0x70_0000 + at * 16)), (0, 0));
    }
    rebase.learn(0, 0x5555);
    assert_eq!(rebase.rebased(0), 0);
}
