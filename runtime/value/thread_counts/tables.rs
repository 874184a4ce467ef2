//! Tables of the cells in which threads count, and the sum over all threads.

#![allow(unsafe_code)]

use core::ptr;

use crate::format::node::{HOSTED_TABLES, TABLE_BITS, cell_offset, last_cell};
use crate::os;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use crate::value::limits::mapped_nodes;
use crate::value::mapping::Refusals;
use crate::value::node::Node;

/// The count of one node by one thread.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadCell {
    /// The node, null before the first. Set once, by the table's thread.
    pub node: AtomicPtr<Node>,
    /// The count. Invariant: only the table's thread writes it.
    pub count: AtomicU64,
}

impl ThreadCell {
    /// Binds the cell to a node unless another node has it. An exchange, since the thread's signal handlers bind cells, too.
    pub fn bind(&self, node: &Node) -> bool {
        let node = ptr::from_ref(node).cast_mut();
        let before = self.node.compare_exchange(ptr::null_mut(), node, Ordering::Relaxed, Ordering::Relaxed);
        before.is_ok() || before == Err(node)
    }
}

/// A table: the address of its cells, which begin a page, with the number of cells as a power of two in the low bits.
#[derive(Debug, Clone, Copy)]
pub struct Table(pub *mut ThreadCell);

impl Table {
    /// Maps a table of 2^`bits` free cells, which [`sum`] includes for ever.
    pub fn map(bits: u32) -> Option<Table> {
        if !has_space() {
            return None;
        }
        let size = size_of::<ThreadCell>() << bits;
        let table = REFUSALS.map(size)?.cast::<ThreadCell>().map_addr(|address| address | bits as usize);
        let place = USED.fetch_add(1, Ordering::AcqRel);
        let Some(entry) = MAPPED.get(place) else {
            USED.store(MAPPED.len(), Ordering::Relaxed);
            os::unmap_pages(Table(table).cells().cast(), size);
            return None;
        };
        expect_counts();
        entry.store(table, Ordering::Release);
        Some(Table(table))
    }

    /// Returns the first cell.
    pub fn cells(self) -> *mut ThreadCell {
        self.0.map_addr(|address| address & !TABLE_BITS)
    }

    /// Returns the cell for a node.
    #[inline(always)]
    pub fn cell(self, node: *const Node) -> &'static ThreadCell {
        // SAFETY: `map` has made the table, the only maker, with 2^bits zeroed cells; the offset is that of one of them, and tables stay mapped.
        unsafe {
            &*self.cells().wrapping_byte_add(cell_offset(node.addr(), last_cell((self.0.addr() & TABLE_BITS) as u32)))
        }
    }
}

/// The tables of all threads, in the order in which threads mapped them.
static MAPPED: [AtomicPtr<ThreadCell>; HOSTED_TABLES] = [const { AtomicPtr::new(ptr::null_mut()) }; HOSTED_TABLES];
/// The number of entries of [`MAPPED`] in use. The last entries may be null for a moment, and it may be larger than the list.
static USED: AtomicUsize = AtomicUsize::new(0);

/// The refusals of memory for tables: apart from those of nodes, without which values are lost.
static REFUSALS: Refusals = Refusals::new();

/// Returns whether one more table may be mapped.
pub fn has_space() -> bool {
    USED.load(Ordering::Relaxed) < MAPPED.len() && mapped_nodes::limit() > 0
}

/// Whether nodes may have counts other than their own.
static ANY: AtomicBool = AtomicBool::new(false);

/// Returns whether nodes may have counts other than their own: in cells, or shared ones.
#[inline]
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Makes [`any`] return `true` from now on.
#[inline]
pub fn expect_counts() {
    // A store of the same value would take the cache line from other threads for nothing.
    if !any() {
        ANY.store(true, Ordering::Relaxed);
    }
}

/// Returns the sum of a node's cells in the tables of all threads.
#[cold]
pub fn sum(node: &Node) -> u64 {
    let mut sum: u64 = 0;
    for entry in MAPPED.iter().take(USED.load(Ordering::Acquire)) {
        let table = entry.load(Ordering::Acquire);
        if table.is_null() {
            continue;
        }
        let cell = Table(table).cell(node);
        if ptr::eq(cell.node.load(Ordering::Relaxed), node) {
            sum = sum.wrapping_add(cell.count.load(Ordering::Relaxed));
        }
    }
    sum
}
