//! The arithmetic of counters and bitmaps. Pure.

#[cfg(all(target_arch = "x86_64", feature = "hosted"))]
mod wide;

/// The largest count that readers accept: `llvm-profdata` refuses a whole profile for a larger one, so sums end here.
pub const LARGEST: u64 = 1 << 56;

/// Adds counters to counters. The number of those that would be larger than [`LARGEST`] and so are that, and the place of
/// the first.
pub fn add(ours: &mut [u64], theirs: &[u8]) -> (u64, usize) {
    let (theirs, _) = theirs.as_chunks::<8>();
    #[cfg(all(target_arch = "x86_64", feature = "hosted"))]
    let any = wide::sum_fast(ours, theirs);
    #[cfg(not(all(target_arch = "x86_64", feature = "hosted")))]
    let any = sum(ours, theirs);
    // As long as no number is near the limit, no sum can pass it.
    if any < LARGEST / 2 { (0, 0) } else { limit(ours, theirs) }
}

/// Adds, wrapping around. All bits that are set in any of the numbers.
#[inline(always)]
fn sum(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    let mut any: u64 = 0;
    for (our, their) in ours.iter_mut().zip(theirs) {
        let their = u64::from_ne_bytes(*their);
        any |= *our | their;
        *our = our.wrapping_add(their);
    }
    any
}

/// Adds nothing, but holds counters to the limit. The result is that of [`add`].
pub fn hold(ours: &mut [u64]) -> (u64, usize) {
    let any = ours.iter().fold(0, |any, our| any | *our);
    let mut odd = (0u64, 0usize);
    if any > LARGEST {
        for (index, our) in ours.iter_mut().enumerate() {
            if *our > LARGEST {
                *our = LARGEST;
                note(&mut odd, index);
            }
        }
    }
    odd
}

fn note(odd: &mut (u64, usize), index: usize) {
    if odd.0 == 0 {
        odd.1 = index;
    }
    odd.0 = odd.0.wrapping_add(1);
}

/// Looks at each sum again, what was added still being known.
#[cold]
fn limit(ours: &mut [u64], theirs: &[[u8; 8]]) -> (u64, usize) {
    let mut odd = (0u64, 0usize);
    for (index, (our, their)) in ours.iter_mut().zip(theirs).enumerate() {
        let their = u64::from_ne_bytes(*their);
        let sum = our.wrapping_sub(their).saturating_add(their);
        *our = sum.min(LARGEST);
        if sum > LARGEST {
            note(&mut odd, index);
        }
    }
    odd
}

/// Takes from counters what the file has of them already.
pub fn subtract(ours: &mut [u64], had: &[u8]) {
    for (our, had) in ours.iter_mut().zip(had.as_chunks::<8>().0) {
        *our = our.saturating_sub(u64::from_ne_bytes(*had));
    }
}

/// Makes counters what the file has to have: without what it has from this process, and with what it has. The number of
/// those that are held to [`LARGEST`], and the place of the first.
pub fn unite(ours: &mut [u64], theirs: Option<&[u8]>, had: Option<&[u8]>) -> (u64, usize) {
    if let Some(had) = had {
        subtract(ours, had);
    }
    match theirs {
        Some(theirs) => add(ours, theirs),
        None => hold(ours),
    }
}

/// Whether no counter is below what a file was given of it.
pub fn have(theirs: &[u8], given: &[u64]) -> bool {
    theirs
        .as_chunks::<8>()
        .0
        .iter()
        .zip(given)
        .all(|(their, given)| u64::from_ne_bytes(*their) >= (*given).min(LARGEST))
}

/// Unites byte counters, where 0 says "covered".
pub fn and(ours: &mut [u8], theirs: &[u8]) {
    for (our, their) in ours.iter_mut().zip(theirs) {
        *our &= *their;
    }
}

/// Unites bitmaps.
pub fn or(ours: &mut [u8], theirs: &[u8]) {
    for (our, their) in ours.iter_mut().zip(theirs) {
        *our |= *their;
    }
}

/// The earlier of two time stamps; 0 and all ones say "never".
pub fn earlier(ours: u64, theirs: u64) -> u64 {
    let never = |stamp: u64| stamp == 0 || stamp == u64::MAX;
    match (never(ours), never(theirs)) {
        (true, _) => theirs,
        (false, true) => ours,
        (false, false) => ours.min(theirs),
    }
}
