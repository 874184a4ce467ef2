//! Sites that have seen more values than a file can say.

#![allow(unsafe_code)]

use std::vec;
use std::vec::Vec;

use super::drive::{self, read_profile};
use super::loaded::{Kept, Loaded, Pieces, Site};
use super::made::{Function, Made};
use super::naive::counted;
use super::properties::{replay, write_sum};
use crate::error::Result;
use crate::format::value_record::PairBytes;
use crate::merge::counters::LARGEST;
use crate::merge::file_values::merge_site;
use crate::sink::{Sink, in_turn};
use crate::span::Span;
use crate::value::hook::count_value;
use crate::value::limits::values_per_site;

fn made(site: Site) -> Made {
    let sites = [vec![], vec![site], vec![]];
    let function = Function { address: 0, counters: vec![1; 8], bitmap: vec![], sites };
    Made { flags: 0, base: 0x4000_0000, functions: vec![function], names: [3, 0, 0], paged: false, valued: true }
}

/// Returns the union of the pairs that a site has in a file and in this process.
fn union(old: Site, live: Site, earlier: Site) -> Site {
    let pair = |(value, count): &(u64, u64)| [value.to_ne_bytes(), count.to_ne_bytes()].concat().try_into().unwrap();
    let [old, live, earlier] = [old, live, earlier].map(|site| site.iter().map(pair).collect::<Vec<PairBytes>>());
    let mut room = vec![0; 2 * (old.len() + live.len())];
    let len = merge_site(&old, &live, &earlier, None, &mut room).unwrap();
    room.chunks(2).take(len).map(|pair| (pair[0], pair[1])).collect()
}

/// Sink into which a write takes so long that other threads bring values meanwhile: known ones and new ones, at a site that is written already
/// and at one that is not.
struct Busy<'a> {
    kept: Kept,
    image: &'a Loaded,
    next: u64,
}

impl Sink for Busy<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        for record in [self.image.records().first(), self.image.records().last()].into_iter().flatten() {
            for value in [1, self.next, self.next + 1] {
                // SAFETY: a record of the image, which has this site.
                unsafe { count_value::<4>(value, record, 0, 3) };
            }
        }
        self.next += 2;
        // SAFETY: readable by this function's contract.
        unsafe { self.kept.put(span) }
    }

    in_turn! {}
}

#[test]
fn values_that_come_while_a_merge_writes() {
    let site: Site = (0..120).map(|value| (value, 1 + value)).collect();
    let mut run = made(site.clone());
    run.functions[0].sites[1] = vec![site; 3];
    run.functions = vec![run.functions[0].clone(); 60];
    let image = Loaded::of(&run.profile()).unwrap();
    // Tests of the limit run at the same time.
    let _alone = crate::value::tests::alone();
    values_per_site::without_limit(|| {
        replay(&image, &run);
        let image_before = image.profile();
        let mut busy = Busy { kept: Kept(vec![]), image: &image, next: 1000 };
        let contribution = write_sum(&image, None, None, &mut busy);
        assert!(busy.next > 1000 + 2 * 2, "the values took one write");
        let file = busy.kept.0;
        // No new value takes the space of one that was there before.
        let before = counted(&Pieces::of(&image_before).unwrap());
        let first = counted(&Pieces::of(&file).unwrap());
        let sites = before.iter().flatten().zip(first.iter().flatten());
        for (before, first) in sites {
            assert!(before.iter().all(|(value, count)| first.get(value) >= Some(count)), "{before:?} {first:?}");
        }
        let old = read_profile(&image, &file).unwrap();
        let mut kept = Kept(vec![]);
        write_sum(&image, Some(old), Some(&contribution), &mut kept);
        // Each count is in the file once, whenever it came.
        let [is, should] = [kept.0, image.profile()].map(|profile| counted(&Pieces::of(&profile).unwrap()));
        assert_eq!(is, should);
    });
}

#[test]
fn the_most_frequent_values_stay() {
    let old: Site = (0..255).map(|value| (value, 10 + value)).collect();
    let all = union(old.clone(), vec![(1000, 10), (1001, 500), (7, 1)], vec![]);
    assert_eq!(all.len(), 255);
    assert!(!all.contains(&(1000, 10)), "no more frequent than the least");
    assert!(all.contains(&(1001, 500)) && !all.iter().any(|(value, _)| *value == 0), "takes the place of the least");
    assert!(all.contains(&(7, 18)));

    let live: Site = (0..255).map(|value| (1000 + value, 1 << 20)).collect();
    let all = union(old, live.clone(), vec![]);
    assert_eq!(all.len(), 255);
    assert!(live.iter().all(|pair| all.contains(pair)));
}

#[test]
fn the_same_values_in_the_same_order_add_up() {
    assert_eq!(union(vec![(1, 5), (2, 6)], vec![(1, 7), (2, 4)], vec![]), [(1, 12), (2, 10)]);
    assert_eq!(union(vec![(0, 5)], vec![(0, 1)], vec![]), [(0, 6)]);
    assert_eq!(union(vec![(1, 5), (2, 0)], vec![(1, 7), (2, 0)], vec![]), [(1, 12)]);
    assert_eq!(union(vec![(1, 5), (2, 6)], vec![(2, 4), (1, 7)], vec![]), [(1, 12), (2, 10)]);
    assert_eq!(union(vec![(1, LARGEST)], vec![(1, 1)], vec![]), [(1, LARGEST)]);
    assert_eq!(union(vec![(1, 5)], vec![(1, 7), (3, 0), (2, u64::MAX)], vec![]), [(1, 12), (2, LARGEST)]);
}

#[test]
fn what_the_file_has_is_not_given_again() {
    let all = union(vec![(1, 5), (2, 6)], vec![(1, 7), (3, 4), (4, 9)], vec![(1, 5), (4, 9)]);
    assert_eq!(all, [(1, 7), (2, 6), (3, 4)]);
    let twice = vec![(1, 1), (1, 100)];
    assert_eq!(union(vec![(9, 5)], twice.clone(), twice), [(9, 5)]);
}

#[test]
fn counts_of_values_end_at_the_limit() {
    let all = union(vec![(1, u64::MAX), (2, LARGEST)], vec![(2, LARGEST), (3, u64::MAX)], vec![]);
    assert_eq!(all, [(1, LARGEST), (2, LARGEST), (3, LARGEST)]);
    // In memory a count that has wrapped would be none.
    let image = Loaded::of(&made(vec![]).profile()).unwrap();
    let theirs = made(vec![(5, u64::MAX)]).profile();
    drive::memory(&image, &theirs).unwrap();
    // SAFETY: an image in memory that is never freed, and its plan.
    unsafe { crate::merge::into_memory::merge_into(image.target(), &theirs) }.unwrap();
    assert_eq!(Pieces::of(&image.profile()).unwrap().sites[0][0].1, [(5, LARGEST)]);
    drive::file(&image, &theirs).unwrap();
}
