//! The arithmetic of counters and bitmaps. Pure.

mod narrow;
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
    let any = narrow::sum(ours, theirs);
    // As long as no number is near the limit, no sum can pass it.
    if any < LARGEST / 2 { (0, 0) } else { saturate_sums(ours, theirs) }
}

/// Adds nothing, but holds counters to the limit. The result is that of [`add`].
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

fn note_saturated(saturated: &mut (u64, usize), index: usize) {
    if saturated.0 == 0 {
        saturated.1 = index;
    }
    saturated.0 = saturated.0.wrapping_add(1);
}

/// Looks at each sum again, what was added still being known.
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

/// Takes from counters what the file has of them already.
pub fn subtract(ours: &mut [u64], already_written: &[u8]) {
    let mut already_written = already_written.as_chunks::<8>().0.iter();
    for our in ours {
        let Some(already_written) = already_written.next() else { break };
        *our = our.saturating_sub(u64::from_ne_bytes(*already_written));
    }
}

/// Makes counters what the file has to have: without what it has from this process, and with what it has. The number of
/// those that are held to [`LARGEST`], and the place of the first. Either may be nothing.
pub fn merge(ours: &mut [u64], theirs: &[u8], already_written: &[u8]) -> (u64, usize) {
    subtract(ours, already_written);
    if theirs.is_empty() { saturate(ours) } else { add(ours, theirs) }
}

/// Whether no counter is below what a file was given of it.
pub fn contain(theirs: &[u8], given: &[u64]) -> bool {
    let mut given = given.iter();
    let less = |their: &[u8; 8]| given.next().is_some_and(|given| u64::from_ne_bytes(*their) < (*given).min(LARGEST));
    !theirs.as_chunks::<8>().0.iter().any(less)
}

/// Unites byte counters, where 0 says "covered".
pub fn and(ours: &mut [u8], theirs: &[u8]) {
    combine_bytes(ours, theirs, |our, their| our & their);
}

/// Unites bitmaps.
pub fn or(ours: &mut [u8], theirs: &[u8]) {
    combine_bytes(ours, theirs, |our, their| our | their);
}

/// Bit by bit, a word at a time. Both are as long, or the second has nothing.
#[inline(always)]
fn combine_bytes(ours: &mut [u8], theirs: &[u8], combine: impl Fn(u64, u64) -> u64) {
    let (words, rest) = ours.as_chunks_mut::<8>();
    let (mut their_words, others) = (theirs.as_chunks::<8>().0.iter(), theirs.get(size_of_val(words)..).unwrap_or(&[]));
    for our in words {
        let Some(their) = their_words.next() else { break };
        *our = combine(u64::from_ne_bytes(*our), u64::from_ne_bytes(*their)).to_ne_bytes();
    }
    for (at, our) in rest.iter_mut().enumerate() {
        let Some(their) = others.get(at) else { break };
        *our = combine(u64::from(*our), u64::from(*their)) as u8;
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
