//! What has to hold at a site, whatever its threads do.

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

use loom::thread;

use crate::value::full;
use crate::value::limits::values_per_site::DEFAULT;
use crate::value::node::{Head, Node, nodes};
use crate::value::site::{Outcome, find_or_add, find_or_evict};

static SITE: Head = AtomicPtr::new(ptr::null_mut());

/// The largest of the models has a tenth of that.
const ENOUGH: usize = 50_000;

/// The models share the site and the runtime's statics, and the number of the run.
pub static MODEL: Mutex<()> = Mutex::new(());

/// Nodes without end.
fn fresh() -> Option<&'static Node> {
    Some(Box::leak(Box::new(Node::new())))
}

/// What the runtime does with a value (`hook::count_at_site`). Returns whether it was counted.
fn record(value: u64, max: u32) -> bool {
    let outcome =
        if full::is_known(&SITE) { find_or_evict(&SITE, value, 1) } else { find_or_add(&SITE, value, 1, max, fresh) };
    match outcome {
        Outcome::Found(node) => {
            node.count.fetch_add(1, Ordering::Relaxed);
            true
        }
        Outcome::Added(_) => true,
        Outcome::Full => false,
        Outcome::NoNode => panic!("there are nodes without end"),
    }
}

/// The values of the site with their counts.
fn list() -> Vec<(u64, u64)> {
    nodes(&SITE).map(|node| (node.value.load(Ordering::Relaxed), node.total())).collect()
}

/// Runs two threads that bring these values to a site that has seen `before`, under every interleaving with at most
/// `preemptions` switches that no thread asked for; gives `check` which of them were counted, and the list.
fn model(
    preemptions: usize,
    max: u32,
    before: &'static [u64],
    threads: [&'static [u64]; 2],
    check: impl Fn([Vec<bool>; 2], Vec<(u64, u64)>) + Sync + Send + 'static,
) {
    let _one_at_a_time = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 100_000;
    let interleavings = AtomicUsize::new(0);
    model.check(move || {
        // Where the lock does not lock, the models do not end in reasonable time.
        assert!(interleavings.fetch_add(1, Ordering::Relaxed) < ENOUGH, "many more interleavings than there should be");
        core::begin();
        touch(max);
        for &value in before {
            record(value, max);
        }
        let started =
            threads.map(|values| thread::spawn(move || values.iter().map(|&value| record(value, max)).collect()));
        let counted = started.map(|thread| thread.join().unwrap());
        let list = list();
        let mut values: Vec<u64> = list.iter().map(|(value, _)| *value).collect();
        assert!(values.len() <= max as usize, "more values than the site may hold: {list:?}");
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), list.len(), "a value is in the list twice: {list:?}");
        check(counted, list);
    });
}

/// Makes what the threads will share, see `core/lib.rs`: a site fills up, gives a node away, and is empty again.
fn touch(max: u32) {
    for &value in many(max) {
        record(value, max);
    }
    record(1, max);
    SITE.store(ptr::null_mut(), Ordering::Relaxed);
    full::forget_all();
}

/// As many values as a full site has when its entry knows it.
static MANY: [u64; 64] = {
    let mut values = [0; 64];
    let mut at = 0;
    while at < values.len() {
        values[at] = 100 + at as u64;
        at += 1;
    }
    values
};

fn many(max: u32) -> &'static [u64] {
    &MANY[..max as usize]
}

#[test]
fn the_same_new_value_gets_one_node() {
    model(3, 4, &[], [&[7], &[7]], |_, list| assert_eq!(list, [(7, 2)]));
    model(3, 4, &[1], [&[7, 1], &[7, 1]], |_, list| assert_eq!(list, [(1, 3), (7, 2)]));
}

#[test]
fn two_new_values_get_two_nodes() {
    model(3, 4, &[], [&[7], &[8]], |_, mut list| {
        list.sort_unstable();
        assert_eq!(list, [(7, 1), (8, 1)]);
    });
    model(2, 4, &[], [&[7, 8], &[8, 7]], |_, mut list| {
        list.sort_unstable();
        assert_eq!(list, [(7, 2), (8, 2)]);
    });
}

#[test]
fn the_last_free_place_is_taken_once() {
    model(3, 2, &[1, 1, 1], [&[7], &[8]], |counted, list| {
        assert_eq!(list.len(), 2);
        // Who came second wore the first one down, or took its place.
        let first = list[1].0;
        assert!(first == 7 && counted[0][0] || first == 8 && counted[1][0], "{counted:?} {list:?}");
    });
    model(3, 2, &[1, 1, 1], [&[7], &[7]], |_, list| assert_eq!(list, [(1, 3), (7, 2)]));
}

#[test]
fn a_value_that_two_bring_to_a_full_site_comes_in_once() {
    model(3, 1, &[1], [&[7], &[7]], |_, list| assert_eq!(list[0].0, 7));
    model(3, 2, &[1, 2, 2], [&[7], &[7]], |counted, list| {
        assert_eq!((list[0].0, list[1]), (7, (2, 2)));
        let seen = counted.iter().flatten().filter(|counted| **counted).count();
        assert_eq!(list[0].1, seen as u64, "counted {counted:?}");
    });
}

#[test]
fn two_values_at_a_full_site() {
    model(3, 2, &[1, 1, 2], [&[7], &[8]], |_, list| assert_eq!(list[0].0, 1));
    model(2, 1, &[1], [&[7, 1], &[8, 7]], |_, _| ());
}

#[test]
fn a_full_site_that_its_entry_knows() {
    // The last value before the threads makes the entry learn the site.
    static BEFORE: std::sync::LazyLock<Vec<u64>> = std::sync::LazyLock::new(|| {
        let all = many(DEFAULT);
        all.iter().chain(&all[1..]).chain(&all[1..]).chain(&[1]).copied().collect()
    });
    model(2, DEFAULT, &BEFORE, [&[7], &[7]], |_, list| assert_eq!(list[0].0, 7));
    model(2, DEFAULT, &BEFORE, [&[7], &[8]], |_, list| assert!(list[0].0 == 7 || list[0].0 == 8, "{list:?}"));
}
