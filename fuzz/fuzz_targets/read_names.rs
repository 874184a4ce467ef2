//! Any bytes as a section of names.

#![no_main]

use profdata::name::name_hash;
use profdata::read::names::NameTable;
use profdata::read::names::for_each;

/// The largest number of bytes that zlib makes of one.
const RATIO: usize = 1032;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let (mut text, mut len, mut all) = (Vec::new(), 0, Vec::new());
    let read = for_each(input, &mut text, |name| {
        len += name.len() + 1;
        all.push(name_hash(name));
    });
    assert!(len <= RATIO * input.len());
    let (table, error) = NameTable::salvage(input);
    assert_eq!(error.is_none(), read.is_ok());
    assert_eq!(NameTable::read(input).is_ok(), read.is_ok());
    assert!(table.iter().map(|name| name.bytes.map_or(0, <[u8]>::len)).sum::<usize>() <= RATIO * input.len());
    let mut next = 0;
    for hash in all {
        // An error may come after names of the same blob.
        let found = table.get_after(hash, &mut next).or_else(|| table.get(hash));
        assert!(found.is_some_and(|name| name.bytes.is_some_and(|bytes| name_hash(bytes) == hash)) || read.is_err());
    }
});
