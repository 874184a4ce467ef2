//! A node that several threads count: each count is in its total once.

use core::sync::atomic::Ordering;
use std::sync::PoisonError;

use loom::thread;

use crate::os::become_thread;
use crate::sites::MODEL;
use crate::value::count::add;
use crate::value::node::Node;

/// Runs `threads` threads that count the node of a value, each twice, while the first thread of all does what `meanwhile` says; and compares
/// the total. `owned`: the first thread of all owns the node before.
fn model(threads: usize, owned: bool, meanwhile: fn(&Node), total: u64) {
    let _one_at_a_time = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        core::begin();
        let node: &Node = Box::leak(Box::new(Node::new()));
        become_thread(pointer(0));
        if owned {
            add(node, 1);
        } else {
            node.correct(1);
        }
        // What threads share has to be used before they start, see `core/lib.rs`.
        node.owner.load(Ordering::Relaxed);
        node.total();
        let started: Vec<_> = (1..=threads)
            .map(|number| {
                thread::spawn(move || {
                    become_thread(pointer(number));
                    add(node, 1);
                    add(node, 1);
                })
            })
            .collect();
        meanwhile(node);
        for thread in started {
            thread.join().unwrap();
        }
        assert_eq!(node.total(), total);
    });
}

fn pointer(number: usize) -> usize {
    0x7fff_0000_0000 + number * 0x80_1000
}

#[test]
fn threads_at_a_node_that_nobody_owns() {
    model(2, false, |_| (), 5);
}

#[test]
fn a_thread_beside_the_owner() {
    model(1, true, |node| add(node, 1), 4);
    model(2, true, |node| add(node, 1), 6);
}

#[test]
fn an_eviction_beside_counts() {
    model(1, false, |node| node.correct(0u64.wrapping_sub(1)), 2);
    model(1, true, |node| node.correct(5), 8);
}
