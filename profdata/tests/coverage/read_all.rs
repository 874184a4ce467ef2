//! Reads all that there is of an object file: what must hold for any bytes.

use profdata::coverage::{Mapping, Rules};
use profdata::{Flags, Format};

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
        for decision in regions.decisions().unwrap_or_default() {
            for format in [Format::Indexed(11), Format::Text] {
                let Ok(vectors) = regions.vectors(&decision, &[0xa7; 40], format) else { continue };
                assert!(vectors.covered().is_ok_and(|covered| covered.len() == decision.conditions.len()));
            }
        }
    }
    for path in 0..mapping.paths() {
        assert!(mapping.functions_in(path).all(|function| mapping.functions().any(|other| other == function)));
    }
    regions_read
}
