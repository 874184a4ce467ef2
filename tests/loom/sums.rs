//! A 64-bit number in two words, while two threads add to it.

use std::sync::PoisonError;

use crate::sites::MODEL;
use crate::sync::Ordering;
use crate::sync::halves::AtomicU64;

static NUMBER: AtomicU64 = AtomicU64::new(LOW);

/// Two below a carry.
const LOW: u64 = 0xffff_fffe;
const BY: u64 = 0x8000_0001;

#[test]
fn the_carry_comes_once() {
    let _one_at_a_time = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    loom::model(|| {
        core::begin();
        NUMBER.load(Ordering::Relaxed);
        let add = || loom::thread::spawn(|| NUMBER.fetch_add(BY, Ordering::Relaxed));
        let threads = [add(), add()];
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(NUMBER.load(Ordering::Relaxed), LOW + 2 * BY);
    });
}
