//! What a write of value data may take: pairs of the file, and memory.

/// The number of pairs that a write may still write; it leaves out the values of later sites.
#[derive(Debug)]
pub struct Budget(pub u64);

/// Source of temporary memory for a write.
#[derive(Clone, Copy, Debug)]
pub enum ScratchMemory {
    /// No memory: the write uses a small buffer on the stack, and leaves out the values of a function's sites after the first
    /// 256 (`COUNTS`).
    None,
    /// Functions that map and unmap memory. Mapping may fail.
    Pages(fn(usize) -> Option<*mut u8>, fn(*mut u8, usize)),
}
