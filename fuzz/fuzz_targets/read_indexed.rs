//! Any bytes as an indexed profile. Each function of a sound one is found again by its name.

#![no_main]

use profdata::read::ReadOptions;
use profdata::read::indexed::{Index, read, read_summary};
use profdata::sink::Name;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let _ = read_summary(input);
    let strict = profrt_fuzz::readers::check(input, |salvage, sink| {
        read(input, &ReadOptions { salvage, ..ReadOptions::default() }, sink)
    });
    let Ok(mut index) = Index::new(input) else {
        assert!(strict.is_none(), "a sound profile has an index");
        return;
    };
    let _ = index.find(Name::of(b"main"), 0);
    let _ = index.records(Name::of_hash(input.len() as u64), |_| Ok(()));
    for record in strict.iter().flat_map(|kept| kept.records()).take(64) {
        let name = Name { hash: record.name.0, bytes: record.name.1.as_deref() };
        assert_eq!(index.records(name, |_| Ok(())), Ok(true));
        let _ = index.find(name, record.hash).expect("a sound profile");
    }
});
