//! What sites have seen, beside a naive count of it; and with a signal handler that comes through here at any point, as an
//! interrupt does on CPUs without a system.
//!
//! `cargo xtask test` runs these for each way in which atomics are made (`PROFRT_ATOMICS`, see build.rs).

#![allow(unsafe_code)]

use core::ptr;
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;
use std::{thread, vec};

use proptest::prelude::*;

use super::full;
use super::hook::count_value;
use super::limits::{dropped_values, values_per_site as limit};
use super::node::{Record, heads, nodes};
#[cfg(feature = "hosted")]
use super::writer::hosted::write_through;
use crate::native::KINDS;
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The statics of this module belong to one test at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A record with this many sites of indirect calls, whose heads the runtime allocates.
fn record_of(sites: u16) -> &'static Record {
    Box::leak(Box::new(new_record(sites)))
}

fn new_record(sites: u16) -> Record {
    let mut num_value_sites = [0; KINDS];
    num_value_sites[0] = sites;
    Record {
        name_ref: 1,
        func_hash: 2,
        counter_ptr: 0,
        #[cfg(since = "11")]
        uniform_counter_ptr: 0,
        #[cfg(since = "9")]
        bitmap_ptr: 0,
        function_pointer: 0,
        values: AtomicPtr::new(ptr::null_mut()),
        num_counters: 1,
        num_value_sites,
        #[cfg(since = "11")]
        offload_device_wave_size: 0,
        #[cfg(since = "9")]
        num_bitmap_bytes: 0,
    }
}

fn bring(to: &'static Record, site: u32, value: u64, count: u64) {
    // SAFETY: a record with that site.
    unsafe { count_value::<4>(value, to, site, count) }
}

/// The values of a site with their counts.
fn list(of: &Record, site: usize) -> Vec<(u64, u64)> {
    let Some(head) = heads(of).get(site) else { return vec![] };
    nodes(head).map(|node| (node.value.load(Ordering::Relaxed), node.total())).collect()
}

/// Naive reference of one site: counts known values, adds new ones until the site is full, and then evicts the least frequent one or
/// makes it decay.
fn naive(list: &mut Vec<(u64, u64)>, value: u64, count: u64, max: usize) {
    if let Some(known) = list.iter_mut().find(|(known, _)| *known == value) {
        known.1 += count;
    } else if list.len() < max {
        list.push((value, count));
    } else {
        let least = list.iter().map(|(_, count)| *count).min().unwrap();
        let place = list.iter_mut().find(|(_, count)| *count == least).unwrap();
        if place.1 > count {
            place.1 -= count;
        } else {
            *place = (value, count);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn sites_count_as_the_rule_says(
        max in 1u32..30,
        calls in proptest::collection::vec((0u32..2, 0u64..40, prop_oneof![Just(1), 1u64..0x3_0000_0000]), 0..300),
    ) {
        let _alone = alone();
        limit::set_max_values(max);
        let sites = record_of(2);
        let mut expected = [vec![], vec![]];
        for (site, value, count) in calls {
            bring(sites, site, value << 28, count);
            naive(&mut expected[site as usize], value << 28, count, max as usize);
        }
        for (site, expected) in expected.iter().enumerate() {
            prop_assert_eq!(&list(sites, site), expected);
        }
        super::reset::reset(sites);
        full::forget_all();
        prop_assert!(list(sites, 0).iter().all(|(_, count)| *count == 0));
    }
}

#[test]
fn the_limit_comes_back_after_a_merge() {
    let _alone = alone();
    limit::set_max_values(7);
    limit::without_limit(|| {
        limit::without_limit(|| assert_eq!(limit::max_values(), 255));
        assert_eq!(limit::max_values(), 255);
    });
    assert_eq!(limit::max_values(), 7);
}

/// The writer without values writes the same bytes as the writer of values at sites that have seen none.
#[test]
#[cfg(feature = "hosted")]
fn records_without_values() {
    use super::writer::{size, write_empty_records};
    use crate::sink::buffer::Buffer;
    for sites in [1, 7, 8, 9, 300] {
        let records = core::slice::from_ref(record_of(sites));
        let (mut all, mut none) = (vec![1; 512], vec![2; 512]);
        // SAFETY: the two vectors, which are not touched while the sinks are used.
        let mut sinks = unsafe { [Buffer::new(all.as_mut_ptr(), 512), Buffer::new(none.as_mut_ptr(), 512)] };
        super::writer::hosted::write_live_values(records, u64::MAX, &mut sinks[0]).unwrap();
        write_empty_records(records, &mut sinks[1]).unwrap();
        let len = size(records, 0) as usize;
        assert_eq!(sinks.map(|sink| 512 - sink.room()), [len; 2], "{sites} sites");
        assert_eq!(all[..len], none[..len], "{sites} sites");
    }
}

/// Returns the value data of a record, word by word, as readers expect it; at most `budget` pairs.
#[cfg(feature = "hosted")]
fn naive_data(record: &Record, budget: &mut usize) -> Vec<u8> {
    let (mut bytes, mut site, mut kinds) = (vec![0; 8], 0, 0u32);
    for (kind, sites) in record.num_value_sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
        kinds += 1;
        bytes.extend([kind as u32, u32::from(*sites)].map(u32::to_ne_bytes).concat());
        let mut lists: Vec<_> = (site..site + usize::from(*sites)).map(|site| list(record, site)).collect();
        site += lists.len();
        for list in &mut lists {
            list.truncate(*budget);
            *budget -= list.len();
        }
        bytes.extend(lists.iter().map(|list| list.len() as u8));
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend(lists.iter().flatten().flat_map(|(value, count)| [*value, *count]).flat_map(u64::to_ne_bytes));
    }
    let len = bytes.len() as u32;
    bytes[..8].copy_from_slice(&[len, kinds].map(u32::to_ne_bytes).concat());
    bytes
}

/// The first buffer may end anywhere: within a header, a list, or before the last value of all.
#[test]
#[cfg(feature = "hosted")]
fn data_is_the_same_through_any_buffer() {
    use crate::sink::buffer::Buffer;
    let _alone = alone();
    limit::set_max_values(30);
    let values = [vec![3, 0, 1], vec![0, 0, 0, 9], vec![], vec![0, 5, 30], vec![20, 1, 0, 0, 2]];
    let new = |values: &Vec<u64>| {
        let mut record = new_record(values.len() as u16);
        if values.len() > 1 {
            // The last site is of another kind.
            record.num_value_sites[0] -= 1;
            record.num_value_sites[1] = 1;
        }
        record
    };
    let records: &'static [Record] = values.iter().map(new).collect::<Vec<Record>>().leak();
    for (record, values) in records.iter().zip(&values) {
        for (site, number) in values.iter().enumerate() {
            (0..*number).for_each(|value| bring(record, site as u32, value * 7 + 1, value + 1));
        }
    }
    for most in [usize::MAX, 40, 3, 0] {
        let mut budget = most;
        let expected: Vec<u8> = records
            .iter()
            .filter(|record| super::node::has_sites(record))
            .flat_map(|record| naive_data(record, &mut budget))
            .collect();
        for words in 1..200 {
            let mut out = vec![0; expected.len()];
            // SAFETY: the vector, which is not touched while the sink is used.
            let mut sink = unsafe { Buffer::new(out.as_mut_ptr(), out.len()) };
            write_through(records, most as u64, &mut sink, words * 8).unwrap();
            assert_eq!(sink.room(), 0, "{words} words, {most} values");
            assert!(out == expected, "{words} words, {most} values");
        }
    }
}

/// Without memory a record that does not fit on the stack is written without values.
#[test]
#[cfg(feature = "hosted")]
fn data_without_memory() {
    use crate::sink::buffer::Buffer;
    let _alone = alone();
    limit::set_max_values(30);
    let records: &'static [Record] = Box::leak(Box::new([1, 2, 1, 300].map(new_record)));
    for (record, values) in records.iter().zip([2, 30, 3, 1]) {
        (0..values).for_each(|value| bring(record, 0, value, value + 1));
    }
    let expected: Vec<u8> =
        records.iter().zip([2, 0, 3, 0]).flat_map(|(record, mut most)| naive_data(record, &mut most)).collect();
    let mut out = vec![0; expected.len()];
    // SAFETY: the vector, which is not touched while the sink is used.
    let mut sink = unsafe { Buffer::new(out.as_mut_ptr(), out.len()) };
    // No system maps that much.
    write_through(records, u64::MAX, &mut sink, usize::MAX / 8 * 8).unwrap();
    assert_eq!(sink.room(), 0);
    assert!(out == expected);
}

/// The record at whose sites the signal handler counts, and how often the handler ran.
static TO: AtomicPtr<Record> = AtomicPtr::new(ptr::null_mut());
static CAME: AtomicUsize = AtomicUsize::new(0);

/// Values that main code and the handler bring; some come from both.
const VALUES: u64 = 20;

extern "C" fn interrupt(_: libc::c_int) {
    let came = CAME.load(Ordering::Relaxed);
    CAME.store(came + 1, Ordering::Relaxed);
    // SAFETY: set before the signals began; a leaked record.
    let Some(to) = (unsafe { TO.load(Ordering::Relaxed).as_ref() }) else { return };
    bring(to, 0, came as u64 % VALUES, 1);
    bring(to, 1, came as u64 % 3 + 1000, 0xffff_ffff);
}

/// Calls `work` while another thread sends signals to this one. Returns how many came.
fn interrupted(to: &'static Record, work: impl FnOnce()) -> usize {
    TO.store(ptr::from_ref(to).cast_mut(), Ordering::Relaxed);
    CAME.store(0, Ordering::Relaxed);
    // SAFETY: a handler that does what handlers may; this thread outlives the one that sends.
    let this = unsafe {
        libc::signal(libc::SIGUSR2, interrupt as *const () as libc::sighandler_t);
        libc::pthread_self()
    };
    static DONE: AtomicBool = AtomicBool::new(false);
    DONE.store(false, Ordering::Relaxed);
    thread::scope(|scope| {
        scope.spawn(move || {
            for pause in (0..64).cycle() {
                let came = CAME.load(Ordering::Relaxed);
                // SAFETY: the thread is there until the scope ends.
                unsafe { libc::pthread_kill(this, libc::SIGUSR2) };
                // The next one only when the interrupted code had a moment for itself.
                while CAME.load(Ordering::Relaxed) == came && !DONE.load(Ordering::Relaxed) {
                    core::hint::spin_loop();
                }
                (0..pause).for_each(|_| core::hint::spin_loop());
                if DONE.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        work();
        // A slow machine may not have come to send any yet.
        while CAME.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        DONE.store(true, Ordering::Relaxed);
    });
    // The last signal is delivered before this returns.
    thread::yield_now();
    CAME.load(Ordering::Relaxed)
}

/// The amount of work of the interrupted code.
const TIMES: u64 = 100_000;

#[test]
fn an_interrupt_loses_nothing_that_is_not_told() {
    let _alone = alone();
    limit::set_max_values(255);
    let turned_away = dropped_values();
    let mut left_out = 0;
    let mut all = 0;
    // As many rounds as it takes until signals have come: on a machine with other work they may be rare.
    for round in 0..2000 {
        if round >= 20 && all > 20 {
            break;
        }
        let to = record_of(2);
        let came = interrupted(to, || {
            for n in 0..TIMES / 20 {
                bring(to, 0, n % VALUES, 1);
                bring(to, 1, n % 5 + 1000, 1);
            }
        }) as u64;
        let mut first = list(to, 0);
        let counted: u64 = first.iter().map(|(_, count)| count).sum();
        left_out += came + TIMES / 20 - counted;
        // Words are not mixed: no count has more than all calls that could add to it.
        let second: u64 = list(to, 1).iter().map(|(_, count)| count).sum();
        let (by_work, by_handler) = (second % 0xffff_ffff, second / 0xffff_ffff);
        assert_eq!(by_work, TIMES / 20, "round {round}");
        assert!(by_handler <= came, "round {round}");
        left_out += came - by_handler;
        first.sort_unstable();
        first.dedup_by_key(|(value, _)| *value);
        assert_eq!(first.len(), VALUES as usize, "a value is there twice, or not at all");
        all += came;
    }
    assert!(all > 20, "no signal came");
    assert_eq!(left_out, dropped_values() - turned_away);
    assert!(cfg!(flagged) || left_out == 0, "{left_out} values were not counted");
}

#[test]
fn a_full_site_stays_whole_under_interrupts() {
    let _alone = alone();
    limit::set_max_values(4);
    let to = record_of(2);
    interrupted(to, || {
        for n in 0..TIMES {
            bring(to, 0, n % VALUES, 1);
        }
    });
    let mut list = list(to, 0);
    list.sort_unstable();
    list.dedup_by_key(|(value, _)| *value);
    assert_eq!(list.len(), 4);
    assert!(list.iter().all(|(value, count)| *value < VALUES && *count <= 2 * TIMES), "{list:?}");
}

#[cfg(feature = "hosted")]
#[test]
fn a_lock_that_was_held_at_a_fork_is_released() {
    let _alone = alone();
    let record = record_of(1);
    bring(record, 0, 1, 1);
    let Some(head) = heads(record).first() else { panic!("no site") };
    core::mem::forget(full::lock(head));
    assert!(full::lock(head).is_none());
    full::release_locks_of_others();
    assert!(full::lock(head).is_some());
}
