//! Adds counters on every CPU. Pure.

/// The number of counters that one turn of the loop adds.
const LANES: usize = 4;

/// Adds counters to counters, wrapping around. Returns all bits that are set in any of the summands.
#[inline(always)]
pub fn sum(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    // In lanes and unrolled by hand: the compiler does neither where it optimizes for size.
    let mut any: [u64; LANES] = [0; LANES];
    let len = ours.len().min(theirs.len());
    let (ours, rest) = ours.get_mut(..len).unwrap_or_default().as_chunks_mut::<LANES>();
    let (theirs, others) = theirs.get(..len).unwrap_or_default().as_chunks::<LANES>();
    let mut theirs = theirs.iter();
    for [a, b, c, d] in ours {
        let Some([e, f, g, h]) = theirs.next() else { break };
        step(a, e, &mut any[0]);
        step(b, f, &mut any[1]);
        step(c, g, &mut any[2]);
        step(d, h, &mut any[3]);
    }
    let mut others = others.iter();
    for our in rest {
        let Some(their) = others.next() else { break };
        step(our, their, &mut any[0]);
    }
    any[0] | any[1] | any[2] | any[3]
}

/// Adds one counter to another, and sets in `any` all bits that are set in either.
#[inline(always)]
fn step(our: &mut u64, their: &[u8; 8], any: &mut u64) {
    let their = u64::from_ne_bytes(*their);
    *any |= *our | their;
    *our = our.wrapping_add(their);
}
