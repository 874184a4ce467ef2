//! Which run a file is of: said in the padding before the counters, where no reader looks.
//!
//! Without `%m`, a run replaces the files of earlier runs, but within a run nothing may be replaced: a plugin that is loaded
//! again, or a child under the same name, goes on with what is there.

/// Bytes of a stamp. The plan of a file with pages leaves room for it ([`crate::layout::STAMP`]).
pub const SIZE: usize = crate::layout::STAMP as usize;

const MARK: u64 = u64::from_be_bytes(*b"profrt-c");

/// The stamp of a run.
#[inline]
pub fn of(run: u64) -> [u8; SIZE] {
    let [a, b, c, d, e, f, g, h] = MARK.to_ne_bytes();
    let [i, j, k, l, m, n, o, p] = run.to_ne_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}
