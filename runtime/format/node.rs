//! Value nodes and the counts of threads in the memory of a program. The runtime asserts that its types have this shape, and the host tool
//! reads them from core files.
//!
//! A control record points to the list heads of its sites, a head to the first node of the site, a node to the next one. On hosted
//! systems threads have tables of cells with counts of their own: a node's count is the sum of all.

/// Offset in a node of the value, a `u64`.
pub const VALUE: usize = 0;
/// Offset in a node of its own count, a `u64`.
pub const COUNT: usize = 8;
/// Offset in a node of the pointer to the next node.
pub const NEXT: usize = 16;
/// Offset in a node of the count of other threads than its owner, a `u64`, in a program for a hosted system of 64 bits.
pub const SHARED_COUNT: usize = 40;

/// Size in bytes of a cell.
pub const CELL_SIZE: usize = 16;
/// Offset in a cell of the pointer to its node.
pub const CELL_NODE: usize = 0;
/// Offset in a cell of its count, a `u64`.
pub const CELL_COUNT: usize = 8;

/// The number of cells in a thread's first table as a power of two: a page.
pub const FIRST_BITS: u32 = 8;
/// The number of cells in the largest table as a power of two.
pub const LARGEST_BITS: u32 = 16;
/// The bits of a table's address that hold the number of cells as a power of two.
pub const TABLE_BITS: usize = 0xff;
/// The number of tables that all threads together can have on hosted systems.
pub const HOSTED_TABLES: usize = 4096;

/// Returns the `bits` highest bits of the hash of `value` at the site whose list head has the address `site`.
#[inline(always)]
pub const fn hash(site: usize, value: u64, bits: u32) -> usize {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    let key = value ^ (site as u64);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

/// Returns the offset of the last cell of a table with 2^`bits` cells.
#[inline(always)]
pub const fn last_cell(bits: u32) -> usize {
    (1_usize << bits).wrapping_sub(1).wrapping_mul(CELL_SIZE)
}

/// Returns the offset of the cell for the node at this address, in a table whose last cell has the offset `last`.
#[inline(always)]
pub const fn cell_offset(node: usize, last: usize) -> usize {
    // `last` has no bits below those of the size of a cell. Nodes are 48 bytes, three cells, so that nodes in a row have different cells.
    node & last
}

/// Returns a total, or 0 for a negative one: a reset while other threads count may subtract more than there is.
#[inline]
pub const fn not_negative(count: u64) -> u64 {
    if count >> 63 == 0 { count } else { 0 }
}
