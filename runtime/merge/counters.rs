//! Adds, saturates and combines counters and bitmaps. Pure.

/// The count at which sums saturate. `llvm-profdata` refuses a profile that has a larger one.
pub const LARGEST: u64 = 1 << 56;

/// Adds `theirs`, no bytes or the bytes of as many counters, to `ours`. Returns the number of counters that saturate at [`LARGEST`], and the
/// index of the first.
pub fn merge(ours: &mut [u64], theirs: &[u8]) -> (u64, usize) {
    let (theirs, _) = theirs.as_chunks::<8>();
    let mut any = if theirs.is_empty() { ours.iter().fold(0, |any, our| any | *our) } else { 0 };
    for (our, their) in ours.iter_mut().zip(theirs) {
        let their = u64::from_ne_bytes(*their);
        any |= *our | their;
        *our = our.wrapping_add(their);
    }
    let mut saturated = (0u64, 0usize);
    // While no summand is near the limit, no sum can pass it.
    if any < LARGEST / 2 {
        return saturated;
    }
    let mut theirs = theirs.iter();
    for (index, our) in ours.iter_mut().enumerate() {
        let their = theirs.next().map_or(0, |their| u64::from_ne_bytes(*their));
        let sum = our.wrapping_sub(their).saturating_add(their);
        *our = sum.min(LARGEST);
        if sum > LARGEST {
            if saturated.0 == 0 {
                saturated.1 = index;
            }
            saturated.0 = saturated.0.wrapping_add(1);
        }
    }
    saturated
}

/// Subtracts an earlier contribution from the counters of this process.
pub fn subtract(ours: &mut [u64], earlier_contribution: &[u64]) {
    for (our, earlier) in ours.iter_mut().zip(earlier_contribution) {
        *our = our.saturating_sub(*earlier);
    }
}

/// Returns whether every counter of a file is at least as large as the contribution to it.
pub fn contain(theirs: &[u8], contribution: &[u64]) -> bool {
    let mut pairs = theirs.as_chunks::<8>().0.iter().zip(contribution);
    pairs.all(|(their, count)| u64::from_ne_bytes(*their) >= (*count).min(LARGEST))
}

/// Merges byte counters, where 0 means covered. Both have the same length, or `theirs` is empty.
pub fn and(ours: &mut [u8], theirs: &[u8]) {
    for (our, their) in ours.iter_mut().zip(theirs) {
        *our &= *their;
    }
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
