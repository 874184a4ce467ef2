//! What a write of value data may take: pairs of the file, and memory.

/// How many pairs may still be written; sites beyond that have none.
#[derive(Debug)]
pub struct Budget(pub u64);

/// Memory for the time of a write.
#[derive(Clone, Copy, Debug)]
pub enum ScratchMemory {
    /// There is none: a small buffer on the stack does, and sites beyond the first [`crate::value::COUNTS`] of a function have no
    /// values in the file.
    None,
    /// It comes from these two functions, and may still not be there.
    Pages(fn(usize) -> Option<*mut u8>, fn(*mut u8, usize)),
}
