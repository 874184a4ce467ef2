//! Work on many files by several threads.

use std::sync::mpsc::sync_channel;

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

/// The most results of a thread that are not taken yet.
const AHEAD: usize = 128;

/// Calls `take` with what `work` makes of each item, in the order of the items. Few results are kept at a time. This thread takes while others work.
///
/// Errors: the first one of `take`.
pub fn in_order<I: Sync, R: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> R + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let work = &work;
    std::thread::scope(|scope| {
        // Of each thread the items that are so many apart. An error of `send`: nothing more is taken.
        let worker = |first| {
            let (sender, results) = sync_channel(AHEAD);
            let own = items.iter().skip(first).step_by(threads);
            let run = move || _ = own.map(work).try_for_each(|result| sender.send(result));
            std::thread::Builder::new().spawn_scoped(scope, run).ok().map(|_| results)
        };
        let workers = if threads > 1 { (0..threads.min(items.len())).map(worker).collect() } else { vec![None] };
        items.iter().zip(workers.iter().cycle()).try_for_each(|(item, results)| {
            // On this thread where the system has no more.
            take(results.as_ref().and_then(|results| results.recv().ok()).unwrap_or_else(|| work(item)))
        })
    })
}

/// Returns what `work` makes of each item, in the order of the items.
pub fn each<I: Sync, R: Send>(items: &[I], threads: usize, work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let mut results = Vec::with_capacity(items.len());
    // `push` has no error.
    _ = in_order(items, threads, work, |result| {
        results.push(result);
        Ok(())
    });
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_until_an_error() {
        let items: Vec<u64> = (0..1000).collect();
        for (threads, most) in [(1, 1000), (2, 1000), (3, 700), (7, 0), (2000, 1000)] {
            // Some are slow, so that threads overtake each other.
            let work = |item: &u64| {
                if item.is_multiple_of(97) {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                *item
            };
            let mut taken = Vec::new();
            let end = in_order(&items, threads, work, |result| {
                anyhow::ensure!(taken.len() < most, "enough");
                taken.push(result);
                Ok(())
            });
            assert_eq!((taken.as_slice(), end.is_ok()), (&items[..most], most == 1000), "{threads} threads");
            assert_eq!(each(&items, threads, work), items);
        }
        assert!(each(&[0; 0], 2, |item: &u64| *item).is_empty());
    }
}
