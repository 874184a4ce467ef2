//! Indexed profiles whose names or tables are damaged.

use profdata::Target;
use profdata::compat::{CompatMerger, FailureMode};
use profdata::error::ErrorKind;
use profdata::finding::FindingKind;
use profdata::name::name_hash;
use profdata::read::ReadOptions;
use profdata::read::indexed::read;
use profdata::write::indexed::WriteOptions;
use profdata::{Finding, Profile};

use crate::common::{Shape, random};
use crate::indexed::{bytes_of, profile_of, release};

#[test]
fn a_name_without_its_hash_is_an_error() {
    let shape = Shape { functions: 20, ir: true, ..Shape::default() };
    let random = random(7, &shape);
    let good = bytes_of(&random.profile, Target::of_release(release(19)), &WriteOptions::default());
    for name in random.profile.records().filter_map(|record| record.name.bytes) {
        let item = [&(name.len() as u64).to_le_bytes()[..], b"12345678", name].concat();
        let is_item = |part: &&[u8]| part[..8] == item[..8] && part[16..] == item[16..];
        let at = good.windows(item.len()).position(|part| is_item(&part)).unwrap();
        let mut bytes = good.clone();
        bytes[at + item.len() - 1] ^= 1;
        for release in [None, Some(release(22))] {
            let mut profile = Profile::new();
            let options = ReadOptions { release, ..ReadOptions::default() };
            let error = read(&bytes, &options, &mut profile).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
            assert_eq!(error.details().offset, Some(at as u64 - 8), "{error}");
            assert!(profile.records().all(|record| record.name.bytes.map(name_hash) == Some(record.name.hash)));
        }
        let lost = profile_of(&bytes, true);
        assert!(lost.findings().contains(&Finding::of_input(FindingKind::RecordsLost { names: 1 })));
    }
}

#[test]
fn a_damaged_table_decides_no_kind() {
    let shape = Shape { functions: 3, ir: true, ..Shape::default() };
    let mut bytes = bytes_of(&random(1, &shape).profile, Target::of_release(release(22)), &WriteOptions::default());
    let table = u64::from_le_bytes(*bytes[32..].first_chunk().unwrap()) as usize;
    bytes[table] = 6;
    let strict = ReadOptions { release: Some(release(22)), ..ReadOptions::default() };
    let mut merger = CompatMerger::new(release(22), FailureMode::All, 1);
    merger.add(1, |sink| read(&bytes, &strict, sink));
    merger.add(1, |sink| profdata::read(b":fe\nf\n1\n1\n5\n", &ReadOptions::default(), sink));
    let merged = merger.finish().unwrap();
    assert_eq!((merged.errors.len(), merged.profile.len()), (1, 1));
}
