//! Work on many files by several threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;

/// Returns what two functions make, with two or more threads at the same time: the first one on a thread of its own.
pub fn both<A: Send, B>(threads: usize, one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        // On this thread where the system has no more.
        let beside = (threads > 1).then(|| std::thread::Builder::new().spawn_scoped(scope, &one).ok()).flatten();
        match beside {
            Some(beside) => {
                let other = other();
                (beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), other)
            }
            None => (one(), other()),
        }
    })
}

/// Items for each thread whose results are made before they are taken.
const AHEAD: usize = 128;

/// Calls `take` with what `work` makes of each item, in the order of the items. Few results are kept at a time.
///
/// Errors: the first one of `take`.
pub fn in_order<I: Sync, R: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> R + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let mut some = items.chunks(threads.saturating_mul(AHEAD));
    some.try_for_each(|items| each(items, threads, &work).into_iter().try_for_each(&mut take))
}

/// Returns what `work` makes of each item, in the order of the items.
pub fn each<I: Sync, R: Send>(items: &[I], threads: usize, work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let run = || {
        while let Some((number, item)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            items.get(number).map(|item| (number, item))
        } {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(number, result);
        }
    };
    std::thread::scope(|scope| {
        // With fewer threads where the system has no more.
        let others = 1..threads.min(items.len());
        others.for_each(|_| _ = std::thread::Builder::new().spawn_scoped(scope, run));
        run();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
