//! Calls that LLVM's runtime does not have.

export! {
    /// Values that were not counted because there was no node for them: no memory, or no more nodes allowed.
    fn profrt_values_dropped() -> u64 { crate::value::dropped::dropped() }
}
