//! Two words beside a plain `u64`, and under threads.

use super::Ordering;
use super::halves::AtomicU64;
use proptest::prelude::*;

fn near_a_carry() -> impl Strategy<Value = u64> {
    (any::<u32>(), 0u64..9, any::<u64>(), 0..3).prop_map(|(high, low, any, kind)| match kind {
        0 => any,
        1 => (u64::from(high) << 32).wrapping_sub(low),
        _ => low,
    })
}

proptest! {
    #[test]
    fn counts_as_a_u64_does(start in near_a_carry(), steps in proptest::collection::vec((any::<bool>(), near_a_carry()), 0..20)) {
        let number = AtomicU64::new(start);
        let mut plain = start;
        for (add, by) in steps {
            let before = if add { number.fetch_add(by, Ordering::Relaxed) } else { number.fetch_add(by.wrapping_neg(), Ordering::Relaxed) };
            prop_assert_eq!(before, plain);
            plain = if add { plain.wrapping_add(by) } else { plain.wrapping_sub(by) };
            prop_assert_eq!(number.load(Ordering::Relaxed), plain);
        }
        number.store(start, Ordering::Relaxed);
        prop_assert_eq!(number.load(Ordering::Relaxed), start);
    }
}

#[test]
fn lies_as_a_u64_does() {
    // Not everywhere is a plain number aligned to its size.
    #[repr(align(8))]
    struct Aligned(u64);
    let mut aligned = Aligned(0x0123_4567_89ab_cdef);
    let plain = &raw mut aligned.0;
    assert_eq!((size_of::<AtomicU64>(), align_of::<AtomicU64>()), (8, 8));
    // SAFETY: a number that only this reference uses.
    #[allow(unsafe_code)]
    let number = unsafe { AtomicU64::from_ptr(plain) };
    assert_eq!(number.load(Ordering::Relaxed), 0x0123_4567_89ab_cdef);
    number.fetch_add(0x7654_3211, Ordering::Relaxed);
    assert_eq!(aligned.0, 0x0123_4568_0000_0000);
}

/// Where there are threads and compare-and-swap; the other CPUs have one core.
#[test]
#[cfg(not(no_cas))]
fn no_carry_is_lost_between_threads() {
    const TIMES: u64 = 5_000;
    const BY: u64 = 0x9000_0001;
    static SUM: AtomicU64 = AtomicU64::new(7);
    let add = || {
        for _ in 0..TIMES {
            SUM.fetch_add(BY, Ordering::Relaxed);
        }
    };
    let threads: std::vec::Vec<_> = (0..4).map(|_| std::thread::spawn(add)).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(SUM.load(Ordering::Relaxed), 7 + 4 * TIMES * BY);
}
