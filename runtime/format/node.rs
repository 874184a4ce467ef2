//! Value nodes and the counts of threads in the memory of a program. The runtime asserts that its types have this shape, and the host tool
//! reads them from core files.
//!
//! A control record points to the list heads of its sites, a head to the first node of the site, a node to the next one. On hosted
//! systems each thread has a table of [`CELLS`] cells with counts of its own: a node's count is the sum of all.

/// Offset in a node of the value, a `u64`.
pub const VALUE: usize = 0;
/// Offset in a node of its own count, a `u64`.
pub const COUNT: usize = 8;
/// Offset in a node of the pointer to the next node.
pub const NEXT: usize = 16;

/// Size in bytes of a cell.
pub const CELL_SIZE: usize = 16;
/// Offset in a cell of the pointer to its node.
pub const CELL_NODE: usize = 0;
/// Offset in a cell of its count, a `u64`.
pub const CELL_COUNT: usize = 8;

/// The number of cells of a thread as a power of two.
pub const BITS: u32 = 10;
/// The number of cells of a thread.
pub const CELLS: usize = 1 << BITS;
/// The number of threads that can have cells on hosted systems.
pub const HOSTED_SLOTS: usize = 256;

/// Returns the `bits` highest bits of the hash of `value` at the site whose list head has the address `site`. With [`BITS`] this is the
/// index of the cell for a value that a hook has looked up by its hash.
#[inline(always)]
pub const fn hash(site: usize, value: u64, bits: u32) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let key = value ^ (site as u64);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

/// Returns the index of the cell for the node at this address, which a hook has found by a walk. The index does not depend on the value, so the
/// CPU knows early where to write: a late address delays all reads after the write.
#[inline(always)]
pub const fn cell_index(node: usize) -> usize {
    // Nodes are 32 bytes.
    (node >> 5) & (CELLS - 1)
}

/// Returns a total, or 0 for a negative one: a reset while other threads count may subtract more than there is.
#[inline]
pub const fn not_negative(count: u64) -> u64 {
    if count >> 63 == 0 { count } else { 0 }
}
