//! What is no profile of the image is refused, one difference at a time, on both ways.

#![allow(unsafe_code)]

use core::cmp::Ordering;
use std::vec;
use std::vec::Vec;

use super::drive;
use super::loaded::Loaded;
use super::made::{Function, Made, TEMPORAL};
use crate::error::{Error, Result};
use crate::format::layout::Part;
use crate::merge::read_old::read_old;
use crate::native::RECORD;

fn made() -> Made {
    let function = |address: u64, counters: usize| Function {
        address,
        counters: vec![1; counters * 8],
        bitmap: vec![2; 3],
        sites: [vec![vec![(address, 5), (7, 1)], vec![]], vec![vec![(3, 4)]], vec![vec![]]],
    };
    let functions = vec![function(0x4000_0010, 3), function(0x4000_0020, 1), function(0x7fff_0000, 2)];
    Made { flags: 0, base: 0x4000_0000, functions, names: [11, 5, 2], paged: false, valued: true }
}

fn both(image: &Loaded, bytes: &[u8]) -> (Result, Result) {
    (drive::file(image, bytes), drive::memory(image, bytes))
}

#[test]
fn every_field_of_a_record_counts() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    assert_eq!(both(&image, &profile), (Ok(()), Ok(())));
    let shape = RECORD;
    let mut fields =
        vec![shape.name_ref, shape.func_hash, shape.counter_ptr, shape.num_counters, shape.num_value_sites];
    fields.extend(shape.bitmap_ptr);
    fields.extend(shape.num_bitmap_bytes);
    let from = image.plan.chunk(Part::Data).offset as usize;
    for record in 0..3 {
        for field in &fields {
            let mut other = profile.clone();
            other[from + record * shape.size as usize + field] ^= 1;
            assert_eq!(both(&image, &other), (Err(Error::FOREIGN), Err(Error::FOREIGN)), "{field} of {record}");
        }
    }
}

#[test]
fn every_byte_of_names_counts() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    for part in [Part::Names, Part::VNames] {
        let chunk = image.plan.chunk(part);
        for at in chunk.offset..chunk.offset + chunk.len {
            let mut other = profile.clone();
            other[at as usize] ^= 0x80;
            assert_eq!(both(&image, &other), (Err(Error::FOREIGN), Err(Error::FOREIGN)), "{part:?} at {at}");
        }
    }
}

#[test]
fn no_part_may_be_missing() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let fixed = image.plan.fixed_size() as usize;
    for len in 0..profile.len() {
        let (file, memory) = both(&image, &profile[..len]);
        let expected = match len.cmp(&fixed) {
            Ordering::Less => (Err(Error::TRUNCATED), Err(Error::TRUNCATED)),
            // Without value data it is what LLVM's buffer calls write, but to no file.
            Ordering::Equal => (Err(Error::TRUNCATED), Ok(())),
            Ordering::Greater => (Err(Error::CORRUPT), Err(Error::CORRUPT)),
        };
        assert_eq!((file, memory), expected);
    }
}

#[test]
fn a_buffer_may_be_longer() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let fixed = image.plan.fixed_size() as usize;
    for behind in [&[0; 8][..], b"more", &[0]] {
        for len in [fixed, profile.len()] {
            let mut longer = profile[..len].to_vec();
            longer.extend(behind);
            let in_memory = if len == fixed && behind == b"more" { Err(Error::CORRUPT) } else { Ok(()) };
            assert_eq!(both(&image, &longer), (Err(Error::CORRUPT), in_memory));
        }
    }
}

#[test]
fn header_words_of_all_sizes() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let words = image.plan.version().header_words();
    let edges = [0, 1, 7, 8, 255, 1 << 31, 1 << 32, 1 << 61, 1 << 63, u64::MAX - 7, u64::MAX];
    for index in 0..words {
        for edge in edges {
            let mut other: Vec<u8> = profile.clone();
            other[index * 8..index * 8 + 8].copy_from_slice(&u64::to_ne_bytes(edge));
            let _ = drive::both(&image, &other);
        }
    }
}

#[test]
fn counters_are_aligned_words() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let (at, before) = (image.plan.chunk(Part::Counters).offset as usize, image.plan.header().padding_before_counters);
    for more in 0..=16 {
        let mut other = profile.clone();
        other[32..40].copy_from_slice(&(before + more as u64).to_ne_bytes());
        other.splice(at..at, vec![0; more]);
        let expected = if more % 8 == 0 { Ok(()) } else { Err(Error::FOREIGN) };
        assert_eq!(both(&image, &other), (expected, expected), "{more}");
    }
}

#[test]
fn a_profile_may_know_fewer_kinds_of_values() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let last = (image.plan.version().header_words() - 1) * 8;
    let with = |kind: u64| {
        let mut other = profile.clone();
        other[last..last + 8].copy_from_slice(&kind.to_ne_bytes());
        other
    };
    let known = u64::from_ne_bytes(profile[last..last + 8].try_into().unwrap());
    assert_eq!(both(&image, &with(0)), (Ok(()), Ok(())));
    let refused = Err(Error::FOREIGN);
    assert_eq!(both(&image, &with(known + 1)), (refused, refused));
}

#[test]
fn a_hole_of_a_terabyte_is_not_read() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), &profile).unwrap();
    path.as_file().set_len(1 << 40).unwrap();
    let file = crate::os::file::borrowed(std::os::fd::AsRawFd::as_raw_fd(path.as_file()));
    // SAFETY: an image in memory that is never freed, and its plan.
    let read = unsafe { read_old(&mut None, &file, 1 << 40, false, &image.image, image.loaded_range, &image.plan) };
    assert_eq!(read, Err(Error::CORRUPT));
}

#[test]
fn a_total_size_is_not_believed() {
    let profile = made().profile();
    let image = Loaded::of(&profile).unwrap();
    let record = (profile.len() - image.plan.fixed_size() as usize) / 3;
    let last = profile.len() - record;
    for total in [0, 1, 8, record - 1, record + 1, record + 8, 2 * record, u32::MAX as usize] {
        for function in [last, last - record] {
            let mut other = profile.clone();
            other[function..function + 4].copy_from_slice(&(total as u32).to_ne_bytes());
            other.extend([0; 8]);
            let (file, memory) = both(&image, &other);
            assert_eq!((file, memory), (Err(Error::CORRUPT), Err(Error::CORRUPT)), "{total} at {function}");
        }
    }
}

#[test]
fn time_stamps_that_no_record_tells_of() {
    // Without records and names, with eight counters.
    for (flags, expected) in [(0, Ok(())), (TEMPORAL, Err(Error::FOREIGN))] {
        let none = Made { flags, base: 0, functions: vec![], names: [0; 3], paged: false, valued: true };
        let mut profile = none.profile();
        profile[40..48].copy_from_slice(&8u64.to_ne_bytes());
        profile.extend([1; 64]);
        let image = Loaded::of(&profile).unwrap();
        // The union of such counters is a plain sum.
        assert_eq!(drive::file(&image, &image.profile()), expected);
        assert_eq!(drive::memory(&image, &image.profile()), expected);
    }
}
