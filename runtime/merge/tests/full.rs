//! Sites that have seen more values than a file can say.

#![allow(unsafe_code)]

use std::vec;
use std::vec::Vec;

use super::drive::{self, Piecewise};
use super::loaded::{Kept, Loaded, Pieces, Site};
use super::made::{Function, Made};
use crate::merge::counters::LARGEST;
use crate::merge::values::{self, ValueStreams};

fn made(site: Site) -> Made {
    let sites = [vec![], vec![site], vec![]];
    let function = Function { address: 0, counters: vec![1; 8], bitmap: vec![], sites };
    Made { flags: 0, base: 0x4000_0000, functions: vec![function], names: [3, 0, 0], paged: false, valued: true }
}

/// Returns the union of the pairs that a site has in a file and in this process.
fn union(old: Site, live: Site, earlier: Site) -> Site {
    let [old, live, earlier] = [old, live, earlier].map(|site| made(site).profile());
    let image = Loaded::of(&live).unwrap();
    let from = image.plan.fixed_size() as usize;
    let streams = ValueStreams { old: &old[from..], live: &live[from..], earlier_contribution: &earlier[from..] };
    let mut kept = Kept(live[..from].to_vec());
    let mut room: Vec<u64> = vec![0; (streams.old.len() + streams.live.len()) / 8];
    values::merge(image.records(), streams, None, &mut room, &mut kept).unwrap();
    Pieces::of(&kept.0).unwrap().sites[0][0].1.clone()
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
}

#[test]
fn what_the_file_has_is_not_given_again() {
    let all = union(vec![(1, 5), (2, 6)], vec![(1, 7), (3, 4), (4, 9)], vec![(1, 5), (4, 9)]);
    assert_eq!(all, [(1, 7), (2, 6), (3, 4)]);
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
    drive::file_from(&image, &Piecewise(&theirs), &theirs).unwrap();
}
