//! Value nodes in the memory of a program. The runtime asserts that its types have this shape, and the host tool
//! reads them from core files.
//!
//! A control record points to the list heads of its sites, a head to the first node of the site, a node to the next one. With
//! `thread_pointers` (hosted systems on x86-64 and AArch64) the total of a node is the sum of its own count and its shared count.

/// Offset in a node of the value, a `u64`.
pub const VALUE: usize = 0;
/// Offset in a node of its own count, a `u64`.
pub const COUNT: usize = 8;
/// Offset in a node of the pointer to the next node.
pub const NEXT: usize = 16;
/// Offset in a node of its shared count, a `u64`, in a program of 64 bits with `thread_pointers`.
pub const SHARED_COUNT: usize = 40;

/// Returns the `bits` highest bits of the hash of `value` at the site whose list head has the address `site`.
#[inline(always)]
pub const fn hash(site: usize, value: u64, bits: u32) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let key = value ^ (site as u64);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

/// Returns a total, or 0 for a negative one: a reset while other threads count may subtract more than there is.
#[inline]
pub const fn not_negative(count: u64) -> u64 {
    if count >> 63 == 0 { count } else { 0 }
}
