//! Blobs of names: what is written is read, and damage is an error.

use proptest::prelude::*;

use super::*;
use crate::name::Name;

fn read(section: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut names = Vec::new();
    for_each(section, &mut Vec::new(), |name| names.push(name.to_vec()))?;
    Ok(names)
}

fn blob(names: &[&str], compress: bool) -> Vec<u8> {
    write_blob(names.iter().map(|name| name.as_bytes()), compress)
}

#[test]
fn blobs_and_zeros_between_them() {
    let mut section = blob(&["main", "v.c:a"], false);
    section.extend([0, 0, 0]);
    section.extend(blob(&["work"], true));
    section.extend([0; 5]);
    assert_eq!(read(&section).unwrap(), [&b"main"[..], b"v.c:a", b"work"]);
    let table = NameTable::read(&section).unwrap();
    let mut next = 0;
    for name in ["main", "v.c:a", "work", "main"] {
        let name = Name::of(name.as_bytes());
        assert_eq!(table.get(name.hash), Some(name));
        assert_eq!(table.get_after(name.hash, &mut next), Some(name));
    }
    assert_eq!(next, 1);
    assert_eq!(table.get(1), None);
    assert_eq!(table.iter().count(), 3);
}

/// As clang-13 and its runtime wrote it.
#[test]
fn a_blob_of_llvm() {
    let section = [
        0x15, 0x1b, 0x78, 0xda, 0x2b, 0xd3, 0x4b, 0xb6, 0x4a, 0x64, 0x2c, 0x03, 0x92, 0x49, 0x8c, 0xe5, 0xf9, 0x45,
        0xd9, 0x8c, 0xb9, 0x89, 0x99, 0x79, 0x00, 0x46, 0x19, 0x06, 0xb1, 0x00, 0x00, 0x00,
    ];
    assert_eq!(read(&section).unwrap(), [&b"v.c:a"[..], b"v.c:b", b"work", b"main"]);
    #[cfg(feature = "zlib")]
    assert_eq!(blob(&["v.c:a", "v.c:b", "work", "main"], true), section[..29]);
}

#[test]
fn damage_is_an_error() {
    let kind = |section: &[u8]| {
        let kind = read(section).unwrap_err().kind();
        assert_eq!(NameTable::read(section).unwrap_err().kind(), kind);
        kind
    };
    assert_eq!(kind(&[5]), ErrorKind::Malformed);
    assert_eq!(kind(&[5, 0, b'a']), ErrorKind::Malformed);
    assert_eq!(kind(&[0xff; 12]), ErrorKind::Malformed);
    assert_eq!(kind(&[4, 0, b'a', 1, 1, b'b']), ErrorKind::Malformed);
    assert_eq!(kind(&[4, 2, 0, 0]), ErrorKind::UncompressFailed);
    let whole = blob(&["main", "work"], true);
    for wrong in [8, 10] {
        let mut section = whole.clone();
        section[0] = wrong;
        assert_eq!(kind(&section), ErrorKind::UncompressFailed);
    }
    for cut in 1..whole.len() {
        kind(&whole[..cut]);
    }
}

#[test]
fn a_false_length_reserves_nothing() {
    let mut section = vec![0xff, 0xff, 0xff, 0xff, 0x7f];
    section.extend(&blob(&["main"], true)[1..]);
    let error = read(&section).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UncompressFailed);
    assert!(error.details().expected.as_ref().unwrap().starts_with("at most"), "{error}");
}

#[test]
fn whole_names_before_a_cut() {
    let section = blob(&["main", "work", "other"], false);
    let (table, error) = NameTable::salvage(&section[..section.len() - 2]);
    assert!(error.is_some());
    assert_eq!(table.iter().filter_map(|name| name.bytes).collect::<Vec<_>>(), [b"main", b"work"]);
}

/// As each translation unit brings the names of the inline functions that it uses.
#[test]
fn each_name_is_kept_once() {
    let units = [&["a", "b", "c", "d"][..], &["b", "c", "e"], &["a", "b", "c", "d"], &["d", "a", "f"]];
    let section: Vec<u8> = (0..).zip(units).flat_map(|(number, unit)| blob(unit, number % 2 == 0)).collect();
    let table = NameTable::read(&section).unwrap();
    assert!(table.iter().eq([b"a", b"b", b"c", b"d", b"e", b"f"].map(|name| Name::of(name))));
    let many = 1 << 18;
    let section = write_blob(std::iter::repeat_n([&b"a"[..], b"b"], many).flatten(), true);
    let table = NameTable::read(&section).unwrap();
    assert_eq!((table.len(), table.text_len()), (2, 2));
    assert_eq!(table.get(Name::of(b"b").hash), Some(Name::of(b"b")));
}

/// Returns the names without those that are there before.
fn different(names: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut seen = std::collections::HashSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        names in proptest::collection::vec(proptest::collection::vec(2u8.., 1..40), 0..40),
        compress in any::<bool>(),
    ) {
        let section = write_blob(names.iter().map(Vec::as_slice), compress);
        prop_assert_eq!(read(&section).unwrap(), names.clone());
        let table = NameTable::read(&section).unwrap();
        prop_assert_eq!(table.iter().map(|name| name.bytes.unwrap().to_vec()).collect::<Vec<_>>(), different(names));
    }

    #[test]
    fn any_bytes(section in proptest::collection::vec(any::<u8>(), 0..200)) {
        let names = read(&section);
        let (table, error) = NameTable::salvage(&section);
        prop_assert_eq!(names.is_err(), error.is_some());
        if let Ok(names) = names {
            prop_assert_eq!(different(names).len(), table.len());
        }
    }
}
