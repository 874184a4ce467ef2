//! Adds, saturates and combines counters and bitmaps. Pure.

mod narrow;

/// The count at which sums saturate. `llvm-profdata` refuses a profile that has a larger one.
pub const LARGEST: u64 = 1 << 56;

/// The number of counters in one turn of a loop, unrolled by hand: the compiler does not unroll where it optimizes for size.
const LANES: usize = 4;

/// Adds `theirs` to `ours`. Returns the number of counters that saturate at [`LARGEST`], and the index of the first.
pub fn add(ours: &mut [u64], theirs: &[u8]) -> (u64, usize) {
    let (theirs, _) = theirs.as_chunks::<8>();
    let any = narrow::sum(ours, theirs);
    // While no summand is near the limit, no sum can pass it.
    if any < LARGEST / 2 { (0, 0) } else { saturate_sums(ours, theirs) }
}

/// Saturates counters without adding anything. Returns what [`add`] returns.
pub fn saturate(ours: &mut [u64]) -> (u64, usize) {
    let any = ours.iter().fold(0, |any, our| any | *our);
    let mut saturated = (0u64, 0usize);
    if any > LARGEST {
        for (index, our) in ours.iter_mut().enumerate() {
            if *our > LARGEST {
                *our = LARGEST;
                note_saturated(&mut saturated, index);
            }
        }
    }
    saturated
}

/// Adds the counter at `index` to the number of saturated counters and the index of the first.
fn note_saturated(saturated: &mut (u64, usize), index: usize) {
    if saturated.0 == 0 {
        saturated.1 = index;
    }
    saturated.0 = saturated.0.wrapping_add(1);
}

/// Saturates the sums in `ours`, some of which may have wrapped around. `theirs` are the summands.
#[cold]
fn saturate_sums(ours: &mut [u64], theirs: &[[u8; 8]]) -> (u64, usize) {
    let mut saturated = (0u64, 0usize);
    for (index, our) in ours.iter_mut().enumerate() {
        let their = theirs.get(index).map_or(0, |their| u64::from_ne_bytes(*their));
        let sum = our.wrapping_sub(their).saturating_add(their);
        *our = sum.min(LARGEST);
        if sum > LARGEST {
            note_saturated(&mut saturated, index);
        }
    }
    saturated
}

/// Subtracts an earlier contribution from the counters of this process.
pub fn subtract(ours: &mut [u64], earlier_contribution: &[u64]) {
    let len = ours.len().min(earlier_contribution.len());
    let (ours, rest) = ours.get_mut(..len).unwrap_or_default().as_chunks_mut::<LANES>();
    let (earlier, others) = earlier_contribution.get(..len).unwrap_or_default().as_chunks::<LANES>();
    for ([a, b, c, d], [e, f, g, h]) in ours.iter_mut().zip(earlier) {
        *a = a.saturating_sub(*e);
        *b = b.saturating_sub(*f);
        *c = c.saturating_sub(*g);
        *d = d.saturating_sub(*h);
    }
    for (our, earlier) in rest.iter_mut().zip(others) {
        *our = our.saturating_sub(*earlier);
    }
}

/// Adds `theirs`, which may be empty, to `ours`. Returns what [`add`] returns.
pub fn merge(ours: &mut [u64], theirs: &[u8]) -> (u64, usize) {
    if theirs.is_empty() { saturate(ours) } else { add(ours, theirs) }
}

/// Returns whether every counter of a file is at least as large as the contribution to it.
pub fn contain(theirs: &[u8], contribution: &[u64]) -> bool {
    let (theirs, _) = theirs.as_chunks::<8>();
    let len = theirs.len().min(contribution.len());
    let (theirs, contribution) = (theirs.get(..len).unwrap_or_default(), contribution.get(..len).unwrap_or_default());
    let ((fours, rest), (counts, others)) = (theirs.as_chunks::<LANES>(), contribution.as_chunks::<LANES>());
    // The highest bit is set where a difference is negative or a count has that bit: then each pair is compared, which takes longer.
    let bits = |their: &[u8; 8], count: &u64| u64::from_ne_bytes(*their).wrapping_sub(*count) | count;
    let mut any = 0;
    for ([a, b, c, d], [e, f, g, h]) in fours.iter().zip(counts) {
        any |= bits(a, e) | bits(b, f) | bits(c, g) | bits(d, h);
    }
    any = rest.iter().zip(others).fold(any, |any, (their, count)| any | bits(their, count));
    any >> 63 == 0 || contain_each(theirs, contribution)
}

/// Returns what [`contain`] returns, for counters with any bits.
#[cold]
fn contain_each(theirs: &[[u8; 8]], contribution: &[u64]) -> bool {
    let mut pairs = theirs.iter().zip(contribution);
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
