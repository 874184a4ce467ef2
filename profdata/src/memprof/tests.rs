//! Random sections, whole and damaged.

use proptest::prelude::*;

use super::section::{Call, Site};
use super::*;

/// What a section has, without the numbers of frames and stacks.
type Plain = (Vec<(u64, Vec<Frame>, Vec<u8>)>, Vec<(u64, Vec<Frame>, Option<u64>)>, Vec<u64>);

fn plain(section: &MemProf) -> Plain {
    let frames = |stack| section.stacks.frames(stack).collect::<Vec<_>>();
    let mut functions = section.functions.clone();
    let mut allocations: Vec<_> = (section.allocations.iter().enumerate())
        .map(|(number, site)| (site.function, frames(site.stack), section.block(number).to_vec()))
        .collect();
    let mut calls: Vec<_> = section.calls.iter().map(|call| (call.function, frames(call.stack), call.callee)).collect();
    functions.sort();
    functions.dedup();
    allocations.sort();
    calls.sort();
    calls.dedup();
    (allocations, calls, functions)
}

/// A function, the places in its stack, and a number that decides the rest.
type Made = (u64, Vec<u64>, u64);

fn section(version: u64, fields: &[u64], allocations: &[Made], calls: &[Made]) -> MemProf {
    let mut section = MemProf::new(version, Schema::new(fields.iter().copied()).unwrap());
    let stack = |section: &mut MemProf, places: &[u64]| {
        places.iter().rev().fold(StackId::EMPTY, |caller, place| {
            let frame = Frame {
                function: (*place << 40) + place / 2,
                line_offset: (place % 3) as u32,
                column: 7,
                inline: place % 2 == 1,
            };
            let frame = section.stacks.frame(frame).unwrap();
            section.stacks.call(caller, frame).unwrap()
        })
    };
    for (function, places, seed) in allocations {
        let stack = stack(&mut section, places);
        section.functions.push(*function);
        section.allocations.push(Site { function: *function, stack });
        let bytes = (0u64..).map(|at| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 57)) as u8);
        section.blocks.extend(bytes.take(section.schema.size()));
    }
    for (function, places, seed) in calls {
        let stack = stack(&mut section, places);
        section.functions.push(*function);
        section.add_call(Call { function: *function, stack, callee: None });
        for callee in (0..seed % 3).filter(|_| version == 4) {
            section.add_call(Call { function: *function, stack, callee: Some(callee) });
        }
    }
    section
}

fn made() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec((0..30u64, prop::collection::vec(0..6u64, 0..7), any::<u64>()), 0..40)
}

fn sections() -> impl Strategy<Value = MemProf> {
    let fields =
        prop_oneof![Just(vec![1, 5, 10, 23]), Just((1..=27).collect::<Vec<u64>>()), Just(vec![5]), Just(vec![])];
    (2..=4u64, fields, made(), made())
        .prop_map(|(version, fields, allocations, calls)| section(version, &fields, &allocations, &calls))
}

proptest! {
    #[test]
    fn what_is_written_is_read(section in sections(), start in 0..100u64) {
        let start = 8 * start;
        let bytes = section.write(start).unwrap();
        let read = MemProf::read(&bytes, start).unwrap();
        prop_assert_eq!(plain(&read), plain(&section));
        prop_assert!(read.merges_with(&section));
        // In one order, and the same at another place.
        prop_assert!(read.write(start).unwrap() == bytes);
        prop_assert!(section.write(800).unwrap() == relocate(&bytes, start, 800).unwrap());
        for allocation in read.allocations() {
            prop_assert_eq!(read.schema().get(&[], Field::TotalSize), 0);
            prop_assert!(allocation.get(Field::AllocCount) <= u64::from(u32::MAX));
        }
    }

    #[test]
    fn the_sum_has_everything_in_any_order(version in 2..=4u64, a in made(), b in made(), calls in made()) {
        let a = section(version, &[1, 5], &a, &calls);
        let b = section(version, &[1, 5], &b, &calls[calls.len() / 2..]);
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.absorb(&b).unwrap();
        ba.absorb(&a).unwrap();
        prop_assert!(ab.write(8).unwrap() == ba.write(8).unwrap());
        let ((mut allocations, calls, _), (others, ..)) = (plain(&a), plain(&b));
        allocations.extend(others);
        allocations.sort();
        prop_assert_eq!(plain(&ab).0, allocations);
        prop_assert_eq!(plain(&ab).1, calls);
    }

    /// No damage makes the reader panic, and what it takes can be written and read.
    #[test]
    fn damage_is_an_error_or_another_section(
        section in sections(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = section.write(560).unwrap();
        prop_assert!(MemProf::read(&bytes[..cut.index(bytes.len())], 560).is_err());
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(read) = MemProf::read(&bytes, 560) {
            let again = read.write(560).unwrap();
            prop_assert_eq!(plain(&MemProf::read(&again, 560).unwrap()), plain(&read));
        }
    }
}

#[test]
fn sections_of_other_versions_or_fields_are_no_sum() {
    let made = [(1, vec![2, 3], 4)];
    let mut a = section(3, &[1, 5], &made, &[]);
    for (version, fields) in [(4, &[1, 5][..]), (3, &[1, 5, 10]), (3, &[5, 1])] {
        let b = section(version, fields, &made, &[]);
        assert!(a.absorb(&b).is_err(), "{version} {fields:?}");
    }
    a.absorb(&a.clone()).unwrap();
    assert_eq!(a.allocations().count(), 2);
}

#[test]
fn too_many_functions_for_a_bucket_are_an_error() {
    let functions = |count: u64| -> Vec<Made> { (0..count).map(|function| (function << 32, vec![], 0)).collect() };
    assert!(section(3, &[], &functions(65_535), &[]).write(0).is_ok());
    assert!(section(3, &[], &functions(65_536), &[]).write(0).is_err());
}
