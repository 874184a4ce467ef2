//! The hash of a value at a site.

use super::node::Head;

/// Bits of the result.
#[inline(always)]
pub fn hash(head: *const Head, value: u64, bits: u32) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let key = value ^ (head as usize as u64);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}
