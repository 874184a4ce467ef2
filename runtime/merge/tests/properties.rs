//! Merges of random programs against the naive reference.

#![allow(unsafe_code)]

use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

use super::drive::{self, read_profile};
use super::loaded::{Kept, Loaded, Pieces};
use super::made::{BYTES, Function, Made, TEMPORAL};
use super::naive::{same_values, union};
use crate::error::Error;
use crate::merge::contribution::Counts;
use crate::merge::into_memory::merge_into;
use crate::merge::old::OldProfile;
use crate::merge::pages::Pages;
use crate::merge::sum::Sum;
use crate::sink::Sink;
use crate::value::hook::count_value;
use crate::value::node::has_sites;

/// Addresses in the program and outside.
fn address() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0x4000_0000u64..0x4000_0400, 0x7f00_0000u64..0x7f00_0008]
}

fn count() -> impl Strategy<Value = u64> {
    let edge = prop_oneof![Just(1 << 55), Just(1 << 56), Just((1 << 56) - 1), Just(u64::MAX), Just(u64::MAX - 1)];
    prop_oneof![4 => 0u64..100, 1 => edge]
}

fn values(most: usize) -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((address(), 0u64..100), 0..most)
}

fn sites(sites: [usize; 3], most: usize) -> impl Strategy<Value = [Vec<Vec<(u64, u64)>>; 3]> {
    sites.map(|sites| prop::collection::vec(values(most), sites))
}

/// A program: the properties that stay the same from run to run.
#[derive(Clone, Debug)]
struct Shape {
    flags: u64,
    names: [usize; 3],
    /// Address, counters, bytes of bitmap, sites.
    functions: Vec<(u64, usize, usize, [usize; 3])>,
}

fn shape() -> impl Strategy<Value = Shape> {
    let flags = prop_oneof![Just(0), Just(BYTES), Just(TEMPORAL), Just(TEMPORAL | BYTES)];
    let function = (address(), 1usize..14, 0usize..5, [0usize..4, 0usize..3, 0usize..3]);
    (flags, [0usize..20, 0usize..20, 0usize..3], prop::collection::vec(function, 1..5))
        .prop_map(|(flags, names, functions)| Shape { flags, names, functions })
}

fn run(shape: Shape, base: u64, valued: bool) -> impl Strategy<Value = Made> {
    let functions: Vec<_> = shape
        .functions
        .iter()
        .map(|&(address, counters, bitmap, numbers)| {
            let counters = if shape.flags & BYTES == 0 {
                prop::collection::vec(count(), counters)
                    .prop_map(|counts| counts.iter().flat_map(|count| count.to_ne_bytes()).collect())
                    .boxed()
            } else {
                prop::collection::vec(prop_oneof![Just(0u8), Just(0xff)], counters).boxed()
            };
            let bitmap = prop::collection::vec(any::<u8>(), bitmap);
            (counters, bitmap, sites(numbers, 9)).prop_map(move |(counters, bitmap, sites)| Function {
                address: if address == 0 { 0 } else { address.wrapping_add(base).wrapping_sub(0x4000_0000) },
                counters,
                bitmap,
                sites,
            })
        })
        .collect();
    let (flags, names) = (shape.flags, shape.names);
    (functions, any::<bool>()).prop_map(move |(mut functions, paged)| {
        for (_, pairs) in functions
            .iter_mut()
            .flat_map(|function| &mut function.sites)
            .flatten()
            .flat_map(|site| site.iter_mut().map(|pair| ((), pair)))
        {
            // Addresses in the program move with it.
            if (0x4000_0000..0x4000_1000).contains(&pairs.0) {
                pairs.0 = pairs.0 - 0x4000_0000 + base;
            }
        }
        Made { flags, base, functions, names, paged, valued }
    })
}

/// Two runs of a program, at different addresses.
fn runs() -> impl Strategy<Value = (Made, Made)> {
    (shape(), any::<bool>())
        .prop_flat_map(|(shape, valued)| (run(shape.clone(), 0x4000_0000, true), run(shape, 0x5000_0000, valued)))
}

/// Two runs of a program that do the same, at different addresses and with different counts: sites have equal values in the same
/// order.
fn twins() -> impl Strategy<Value = (Made, Made)> {
    shape().prop_flat_map(|shape| run(shape, 0x4000_0000, true)).prop_map(|first| {
        const MOVED: u64 = 0x1000_0000;
        let mut second = Made { base: first.base + MOVED, ..first.clone() };
        for function in &mut second.functions {
            if function.address != 0 {
                function.address += MOVED;
            }
            for (value, count) in function.sites.iter_mut().flatten().flatten() {
                if (first.base..first.base + 0x1000).contains(value) {
                    *value += MOVED;
                }
                *count = *count * 3 + 1;
            }
        }
        (first, second)
    })
}

/// Counts the values of a run at the sites of an image.
pub fn replay(image: &Loaded, run: &Made) {
    for (record_of, function) in image.records().iter().zip(&run.functions) {
        for (site, (value, count)) in function
            .sites
            .iter()
            .take(Made::kinds())
            .flatten()
            .enumerate()
            .flat_map(|(site, pairs)| pairs.iter().map(move |pair| (site, *pair)))
        {
            // SAFETY: a record of the image and one of its sites.
            unsafe { count_value::<4>(value, record_of, site as u32, count) };
        }
    }
}

fn write_into(image: &Loaded, old: Option<OldProfile>, earlier: Option<&Counts>) -> (Vec<u8>, Counts) {
    let mut kept = Kept(vec![]);
    let contribution = write_sum(image, old, earlier, &mut kept);
    (kept.0, contribution)
}

/// Writes the sum of the old profile and the image's, and returns the new contribution.
pub fn write_sum(image: &Loaded, old: Option<OldProfile>, earlier: Option<&Counts>, sink: &mut dyn Sink) -> Counts {
    let counters = Pages::new(image.image.counters.len).unwrap();
    let mut sum = Sum { old, own: Counts { counters, ..Counts::NONE }, ..Sum::empty() };
    // SAFETY: an image in memory that is never freed, and its plan.
    unsafe {
        sum.add_up(&image.image, &image.plan, earlier).unwrap();
        sum.write(&image.image, &image.plan, earlier, true, sink).unwrap();
    }
    sum.own
}

proptest! {
    #[test]
    fn unions_are_those_of_the_naive_reference((first, second) in runs()) {
        let image = Loaded::of(&first.profile()).unwrap();
        replay(&image, &first);
        let theirs = second.profile();
        // A file has value data where there are sites.
        let cut = !second.valued && image.records().iter().any(has_sites);
        prop_assert_eq!(drive::file(&image, &theirs), if cut { Err(Error::TRUNCATED) } else { Ok(()) });

        let live = Pieces::of(&image.profile()).unwrap();
        let should = union(&image, &live, &Pieces::of(&theirs).unwrap(), None, true);
        // SAFETY: an image in memory that is never freed, and its plan.
        unsafe { merge_into(image.target(), &theirs) }.unwrap();
        let is = Pieces::of(&image.profile()).unwrap();
        prop_assert_eq!(&is.parts[1], &should.counters);
        prop_assert_eq!(&is.parts[2], &should.bitmap);
        same_values(&is, &should.values, 24);
    }

    #[test]
    fn runs_that_do_the_same_add_up((first, second) in twins()) {
        let image = Loaded::of(&first.profile()).unwrap();
        replay(&image, &first);
        let theirs = second.profile();
        let taken = read_profile(&image, &theirs).unwrap();
        let (file, _) = write_into(&image, Some(taken), None);

        let (live, is) = (Pieces::of(&image.profile()).unwrap(), Pieces::of(&file).unwrap());
        let should = union(&image, &live, &Pieces::of(&theirs).unwrap(), None, false);
        prop_assert_eq!(&is.parts[1], &should.counters);
        same_values(&is, &should.values, 255);
    }

    #[test]
    fn what_was_given_is_given_once((first, mut second) in runs()) {
        second.valued = true;
        let image = Loaded::of(&first.profile()).unwrap();
        replay(&image, &first);
        let theirs = second.profile();
        // The file has another's; ours is added; ours has grown when it is added again.
        let taken = read_profile(&image, &theirs).unwrap();
        let (file, contribution) = write_into(&image, Some(taken), None);
        let earlier = Pieces::of(&image.profile()).unwrap();
        replay(&image, &first);
        let before = file.clone();
        let taken = read_profile(&image, &file).unwrap();
        let (file, _) = write_into(&image, Some(taken), Some(&contribution));

        let live = Pieces::of(&image.profile()).unwrap();
        let (is, between) = (Pieces::of(&file).unwrap(), Pieces::of(&before).unwrap());
        let should = union(&image, &live, &between, (live.plan.counter_size() == 8).then_some(&earlier), false);
        prop_assert_eq!(&is.parts[1], &should.counters);
        prop_assert_eq!(&is.parts[2], &should.bitmap);
        let should_be = union(&image, &live, &between, Some(&earlier), false);
        same_values(&is, &should_be.values, 255);
    }

    #[test]
    fn damage_does_no_harm((first, second) in runs(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()))
    {
        let image = Loaded::of(&first.profile()).unwrap();
        let mut theirs = second.profile();
        for (at, byte) in damage {
            let at = at.index(theirs.len());
            theirs[at] = byte;
        }
        theirs.truncate(cut.map_or(theirs.len(), |cut| cut.index(theirs.len())));
        let _ = drive::both(&image, &theirs);
    }
}
