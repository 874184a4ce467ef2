//! MemProf sections that are made to take quadratic time or memory.

use profdata::memprof::MemProf;

use crate::hostile::assert_not_quadratic;

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the table with one record in one bucket, after `start` bytes of a section, and where its array is.
fn table(start: usize, function: u64, record: &[u8]) -> (Vec<u8>, u64) {
    let mut table = 1u16.to_le_bytes().to_vec();
    table.extend(words(&[function, 8, record.len() as u64, function]));
    table.extend(record);
    table.resize((start + table.len()).next_multiple_of(8) - start, 0);
    let array = (start + table.len()) as u64;
    table.extend(words(&[1, 1, start as u64]));
    (table, array)
}

/// Returns a section of version 3 with `count` allocations, each with a frame of its own and then the same `count` frames, which the array
/// has once. As lists the stacks are `count` times longer than the section.
fn long_stacks(count: usize) -> Vec<u8> {
    let mut section = words(&[3, 0, 0, 0, 1, 1]);
    for frame in 0..count as u64 {
        section.extend(words(&[frame, 0]));
        section.push(0);
    }
    let stacks = section.len() as u64;
    for stack in 0..count {
        let jump = 3 * (count - stack) - 1;
        for word in [count as u32, stack as u32, (jump as u32).wrapping_neg()] {
            section.extend(word.to_le_bytes());
        }
    }
    section.extend((0..count as u32).flat_map(u32::to_le_bytes));
    let mut record = words(&[count as u64]);
    (0..count as u32).for_each(|stack| record.extend([3 * stack, 1].into_iter().flat_map(u32::to_le_bytes)));
    record.extend(words(&[0]));
    let payload = section.len();
    let (table, array) = table(payload, 7, &record);
    section.extend(table);
    section[8..32].copy_from_slice(&words(&[stacks, payload as u64, array]));
    section
}

#[test]
fn stacks_that_share_their_callers() {
    let bytes = long_stacks(3);
    let section = MemProf::read(&bytes, 0).unwrap();
    let lens: Vec<usize> =
        section.allocations().map(|allocation| section.stacks().frames(allocation.stack).count()).collect();
    assert_eq!(lens, [3, 3, 3]);
    let written = section.write(0).unwrap();
    assert_eq!(MemProf::read(&written, 0).unwrap().write(0).unwrap(), written);
    assert_not_quadratic(1000, long_stacks, |bytes| {
        let mut section = MemProf::read(bytes, 0).unwrap();
        section.absorb(&MemProf::read(bytes, 0).unwrap()).unwrap();
        assert!(section.write(0).unwrap().len() < 2 * bytes.len());
    });
}

/// Returns a section of version 4 with calls that all call the same.
fn calls(count: usize) -> Vec<u8> {
    let mut section = words(&[4, 0, 0, 0, 0]);
    section.extend(0u32.to_le_bytes());
    section.extend(words(&[0]));
    let stacks = section.len() as u64;
    section.extend(0u32.to_le_bytes());
    let mut record = words(&[0, count as u64]);
    for call in 0..count as u64 {
        record.extend(0u32.to_le_bytes());
        record.extend(words(&[2, call % 3, call]));
    }
    let payload = section.len();
    let (table, array) = table(payload, 7, &record);
    section.extend(table);
    section[8..32].copy_from_slice(&words(&[stacks, payload as u64, array]));
    section
}

#[test]
fn calls_from_one_stack() {
    assert_not_quadratic(2000, calls, |bytes| {
        let mut sum = MemProf::read(bytes, 0).unwrap();
        for _ in 0..3 {
            sum.absorb(&MemProf::read(bytes, 0).unwrap()).unwrap();
        }
        // Equal calls are one.
        assert!(sum.write(0).unwrap().len() < bytes.len());
    });
}

/// Stacks that come to one word of the array with different numbers of frames left would make it a tree of any size.
#[test]
fn one_word_in_stacks_of_different_lengths() {
    let mut bytes = long_stacks(3);
    let stacks = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    bytes[stacks] = 2;
    let error = MemProf::read(&bytes, 0).unwrap_err();
    assert_eq!(error.details().field, "MemProf.CallStacks");
}

/// Buckets that share their items would make a small section a large one.
#[test]
fn buckets_at_one_place() {
    let mut section = words(&[3, 0, 0, 0, 0]);
    let payload = section.len() as u64;
    let mut table = 1u16.to_le_bytes().to_vec();
    table.extend(words(&[0, 8, 16, 0, 0, 0]));
    table.resize(table.len().next_multiple_of(8), 0);
    section.extend(table);
    let array = section.len() as u64;
    section[8..32].copy_from_slice(&words(&[payload, payload, array]));
    let with = |buckets: &[u64]| [&section[..], &words(buckets)].concat();
    assert!(MemProf::read(&with(&[2, 1, payload, 0]), 0).is_ok());
    for buckets in [
        &[2, 1, payload, payload][..],
        &[2, 2, payload, payload],
        &[2, 1, 0, payload],
        &[1, 2, payload],
        &[3, 1, payload, 0, 0],
    ] {
        assert!(MemProf::read(&with(buckets), 0).is_err(), "{buckets:?}");
    }
}
