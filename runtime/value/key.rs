//! The hash of a value at a site.

/// Returns the `bits` highest bits of the hash of `value` at the site whose list head has the address `site`.
#[inline(always)]
pub fn hash(site: usize, value: u64, bits: u32) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let key = value ^ (site as u64);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}
