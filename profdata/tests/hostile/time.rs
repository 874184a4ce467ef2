//! Inputs that are made to take quadratic time.

use profdata::Profile;
use profdata::compat::{self, FailureMode};
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::read::names::write_blob;
use profdata::write::Release;

use crate::hostile::{
    assert_not_quadratic, colliding_names, header_only, merged, one_bucket, profile_of, read_both, salvaged, write_for,
};

#[test]
fn names_that_collide_in_llvms_map() {
    let names = colliding_names(9);
    assert!(names.iter().all(|name| {
        let hash =
            |name: &[u8]| name.iter().fold(0u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
        hash(name) == hash(&names[0])
    }));
    let make = |count| {
        let names = colliding_names(count);
        profile_of(names.iter().map(|name| (name.as_slice(), 1)))
    };
    assert_not_quadratic(2000, make, |profile| write_for(profile, 7));
    let release = Release::new(16).unwrap();
    assert_not_quadratic(2000, make, |profile| {
        let mut merger = compat::CompatMerger::new(release, FailureMode::Any, 2);
        (0..2).for_each(|_| {
            merger.add(1, |sink| profile.send_to(sink));
        });
        merger.finish().unwrap();
    });
}

#[test]
fn hashes_that_collide_in_llvms_small_map() {
    for version in [11, 13] {
        // All are 0 in the bits that the smaller tables use.
        let inverse = 0x96de_1b17_3f11_9089u64;
        let hash = move |number: usize| match version {
            11 => (number as u64) << 32,
            _ => ((number as u64) << 40).wrapping_mul(inverse),
        };
        let make = |count| profile_of((0..count).map(|number| (&b"f"[..], hash(number))));
        assert_not_quadratic(1500, make, |profile| write_for(profile, version));
    }
}

#[test]
fn hashes_that_would_collide_in_our_own_table() {
    let make = |count| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| format!("f{number}").into_bytes()).collect();
        // The number of a name and the hash of its record cancel out.
        profile_of((0u64..).zip(&names).map(|(number, name)| (name.as_slice(), number << 32)))
    };
    assert_not_quadratic(4000, make, |profile| {
        let mut merger = Merger::new(MergeOptions::default());
        profile.send_to(&mut merger.input("input", 1)).unwrap();
        assert_eq!(merger.finish().unwrap().0.len(), profile.len());
    });
}

#[test]
fn names_of_one_hash() {
    let make = |count: usize| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| number.to_le_bytes().to_vec()).collect();
        one_bucket(&names.iter().map(|name| (0, name.as_slice())).collect::<Vec<_>>(), |_| vec![1])
    };
    read(&make(9), &ReadOptions::default(), &mut Profile::new()).unwrap_err();
    assert_not_quadratic(4000, make, |bytes| read_both(bytes));
}

#[test]
fn a_long_name_with_many_records() {
    let make = |count: usize| {
        let name = vec![b'n'; 16 * count];
        let hashes = (0..count as u64).rev().collect::<Vec<_>>();
        one_bucket(&[(name_hash(&name), &name)], |_| hashes.clone())
    };
    let profile = merged(&make(200));
    assert_eq!(profile.len(), 200);
    assert!(profile.records().all(|record| record.name.bytes.is_some_and(|name| name.len() == 3200)));
    assert_not_quadratic(3000, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}

#[test]
fn long_chains_of_the_function_table() {
    let make = |count: usize| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| format!("f{number}").into_bytes()).collect();
        let named: Vec<_> = names.iter().map(|name| (name_hash(name), name.as_slice())).collect();
        one_bucket(&named, |_| vec![1])
    };
    assert_eq!(salvaged(&make(100)).len(), 100);
    assert_not_quadratic(3000, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}

#[test]
fn text_whose_names_are_numbers() {
    // Each record would take all that follows for its counts.
    let make = |count: usize| "09\n1\n99999999\n1\n\n".repeat(count).into_bytes();
    assert_not_quadratic(2000, make, |text| read_both(text));
    let make = |count: usize| "0x9\n1\n1\n1\n$99999999\n1\n\n".repeat(count).into_bytes();
    assert_not_quadratic(2000, make, |text| read_both(text));
}

#[test]
fn text_of_many_records_that_cannot_be_read() {
    for record in [
        "f\n",
        "f\n\n",
        "f:1\n0\n1\n0\n1\n0\n4000000000\n1\n\n",
        "f\n1\n99999\n\n",
        "$\n\n",
        "f\n1\n1\n1\n1\n0\n9\n0\n",
    ] {
        let make = |count: usize| record.repeat(count).into_bytes();
        assert_not_quadratic(1000, make, |text| read_both(text));
    }
}

#[test]
fn long_lines_of_text() {
    let make = |count: usize| {
        [vec![b'n'; 100 * count], b"\n1\n1\n".to_vec(), vec![b'0'; 100 * count], b"7\n".to_vec()].concat()
    };
    assert_eq!(salvaged(&make(10_000)).record(0).map(|record| record.counters.to_vec()), Some(vec![7]));
    assert_not_quadratic(1000, make, |text| read_both(text));
}

#[test]
fn alternates_of_one_function() {
    let make = |count: usize| {
        let mut text = b":ir\n".to_vec();
        for number in 0..count {
            text.extend(format!("f\n1\n{}\n{}\n", number % 500 + 1, "1\n".repeat(number % 500 + 1)).into_bytes());
        }
        text
    };
    assert_not_quadratic(500, make, |text| {
        merged(text);
    });
    // As many sizes as inputs, through partial results.
    let make = |count: usize| -> Vec<Vec<u8>> {
        (1..=count)
            .map(|number| format!(":ir\nf\n1\n1\n1\n1\n1\n{number}\n{}", "0\n".repeat(number)).into_bytes())
            .collect()
    };
    let texts = make(300);
    let mut sum = Merger::new(MergeOptions::default());
    for text in &texts {
        let (mut merger, mut bytes) = (Merger::new(MergeOptions::default()), Vec::new());
        merger.add_bytes("input", 1, text).unwrap();
        merger.write_partial(&mut bytes).unwrap();
        sum.add_partial("part", 1, &bytes).unwrap();
    }
    assert_eq!(sum.finish().unwrap().1.findings.len(), 299);
}

#[test]
fn many_headers_in_a_raw_file() {
    let make = |count: usize| header_only(0, &[]).repeat(count);
    assert_eq!(salvaged(&make(10)).headings().len(), 10);
    assert_not_quadratic(500, make, |bytes| read_both(bytes));
    // Headers that promise more than there is, so that each is searched for.
    let make = |count: usize| {
        let mut header = header_only(0, &[]);
        header[9 * 8..10 * 8].copy_from_slice(&u64::MAX.wrapping_shr(8).to_ne_bytes());
        header.repeat(count)
    };
    assert_not_quadratic(500, make, |bytes| read_both(bytes));
    let make = |count: usize| header_only(0, &write_blob([&b"f"[..]], true)).repeat(count);
    assert_not_quadratic(300, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}
