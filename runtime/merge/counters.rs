//! The limit of sums, and comparisons of counters and time stamps. Pure.

/// The count at which sums saturate. `llvm-profdata` refuses a profile that has a larger one.
pub const LARGEST: u64 = 1 << 56;

/// Returns whether every counter of a file is at least as large as the contribution to it.
pub fn contain(theirs: &[u8], contribution: &[u8]) -> bool {
    let mut pairs = theirs.as_chunks().0.iter().zip(contribution.as_chunks().0);
    pairs.all(|(their, count)| u64::from_ne_bytes(*their) >= u64::from_ne_bytes(*count).min(LARGEST))
}

/// Returns the earlier of two time stamps; 0 and all ones mean "never".
pub fn earlier(ours: u64, theirs: u64) -> u64 {
    let never = |stamp: u64| stamp == 0 || stamp == u64::MAX;
    match (never(ours), never(theirs)) {
        (true, _) => theirs,
        (false, true) => ours,
        (false, false) => ours.min(theirs),
    }
}
