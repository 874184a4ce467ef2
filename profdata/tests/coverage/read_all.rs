//! Reads all that there is of an object file: what must hold for any bytes.

use profdata::Profile;
use profdata::coverage::{Counts, Mapping, Rules, lines};
use profdata::sink::{Flags, Format, Name, RecordRef};

/// Returns a profile that has most functions.
fn profile(mapping: &Mapping<'_>) -> Profile {
    let mut profile = Profile::new();
    for function in mapping.functions().filter(|function| function.name_hash() % 4 != 0) {
        let name = Name::of_hash(function.name_hash());
        let hash = function.hash() ^ u64::from(function.name_hash() % 4 == 3);
        let (counters, bitmap) = (&[3, 0, 9, u64::MAX, 1, 2, 7, 0, 5, 1, 1, 1, 8][..], &[0x5a; 24][..]);
        profile.push(RecordRef { name, hash, counters, bitmap, uniformity: &[], values: None }).unwrap();
    }
    profile
}

/// Reads all that there is of an input, and returns how many functions and regions that are.
pub fn read_all(bytes: &[u8]) -> usize {
    let mut mapping = Mapping::new();
    let Ok(added) = mapping.add(bytes) else { return 0 };
    let mut regions_read = added.functions as usize;
    for function in mapping.functions() {
        assert!(mapping.functions_named(function.name_hash()).any(|other| other == function));
        _ = mapping.name(function.name_hash());
        let Ok(regions) = mapping.decode(function) else { continue };
        regions_read += regions.iter().len();
        for file in 0..regions.files() {
            _ = mapping.path(regions.path(file));
        }
        for rules in [Rules::Own, Rules::Llvm(22)] {
            _ = regions.counts(&[u64::MAX; 40], Flags::BYTE_COVERAGE, rules);
        }
        for decision in regions.decisions() {
            for format in [Format::Indexed(11), Format::Text] {
                let Ok(vectors) = regions.vectors(&decision, &[0xa7; 40], format) else { continue };
                assert!(vectors.covered().is_ok_and(|covered| covered.len() == decision.conditions.len()));
            }
        }
    }
    let profile = profile(&mapping);
    for format in [Format::Indexed(11), Format::Text] {
        let counts = Counts::of(&profile, format);
        for (path, rules) in (0..mapping.paths()).flat_map(|path| [(path, Rules::Own), (path, Rules::Llvm(22))]) {
            assert!(mapping.functions_in(path).all(|function| mapping.functions().any(|other| other == function)));
            let file = mapping.file(path, &counts, rules);
            assert!(file.segments.is_sorted_by_key(|segment| segment.start));
            let lines = lines(&file.segments, Rules::Own).map(|run| (run.first, run.last));
            assert!(lines.flat_map(|(first, last)| [first, last]).is_sorted());
        }
    }
    regions_read
}
