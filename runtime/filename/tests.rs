//! Patterns and names, as the official archives show them.

use super::*;
use crate::error::Error;
use crate::path::{CAPACITY, PathBuf};
use proptest::prelude::*;
use std::string::String;

struct Values;

impl SpecifierValues for Values {
    fn process(&self) -> u32 {
        4711
    }

    fn temp_dir(&self) -> &[u8] {
        b"/tmp/"
    }

    fn build_id(&self) -> &[u8] {
        &[0xbe, 0x0f]
    }

    fn push_host(&self, name: &mut PathBuf) -> Result {
        name.push(b"HOST")
    }

    fn signature(&self) -> u64 {
        99
    }
}

fn flags(pattern: &[u8]) -> core::result::Result<PatternFlags, Fault> {
    let mut flags = PatternFlags { merge_pool: 7, continuous: true, temp_dir: true, build_id: true, expands: true };
    parse_flags(pattern, &mut flags).map(|()| flags)
}

fn name(pattern: &str) -> String {
    let mut name = PathBuf::new();
    name.set(pattern.as_bytes()).unwrap();
    if flags(pattern.as_bytes()).unwrap().expands {
        expand(pattern.as_bytes(), &Values, None, &mut name).unwrap();
    }
    String::from_utf8(name.as_bytes().to_vec()).unwrap()
}

#[test]
fn as_the_official_runtime() {
    for (pattern, expected) in [
        // No valid specifier: to the letter.
        ("a%%b.x", "a%%b.x"),
        ("a%zb%qc%.x%", "a%zb%qc%.x%"),
        ("a%12x", "a%12x"),
        // One valid: the others vanish.
        ("a%z%p.x", "a4711.x"),
        ("a%%%p.x", "a4711.x"),
        ("%p%%p", "4711p"),
        ("a%p%", "a4711"),
        ("a%p%12x", "a47112x"),
        ("a%12p%p.x", "a2p4711.x"),
        ("a%h%q", "aHOST"),
        ("%tx", "/tmp//x"),
        ("%b-%b", "be0f-be0f"),
        ("%m.x", "99_0.x"),
        ("%4m.x", "99_3.x"),
        ("%c%p", "4711"),
        // Nothing before the extension.
        ("%c", "default.profraw"),
        ("%c.profraw", "default.profraw"),
        ("d.x/%c", "d.x/default.profraw"),
        ("d/%c.x.y", "d/default.x.y"),
        ("%t%c", "/tmp//default.profraw"),
        ("%c%m", "99_0"),
        ("%c.%m", "default.99_0"),
        ("%c/x", "/x"),
        (".x%c", ".x"),
        ("d/.%c", "d/."),
        ("a%c.x", "a.x"),
        // Any number of digits.
        ("%0m%p", "99_04711"),
        ("%00m", "99_0"),
        ("%01m", "99_0"),
        ("%10m.x", "99_1.x"),
        ("%010m.x", "99_1.x"),
        ("%256m", "99_103"),
        ("%65536m", "99_4711"),
        ("%4294967295m", "99_4711"),
        ("%4294967296m", "99_0"),
        ("%4294967306m", "99_1"),
        ("%18446744073709551617m", "99_0"),
        ("%p%10x", "47110x"),
        ("%+3m%p", "3m4711"),
        ("%-3m", "%-3m"),
        ("%p%12", "47112"),
    ] {
        assert_eq!(name(pattern), expected, "{pattern}");
    }
}

#[test]
fn faults() {
    assert_eq!(flags(b"%m%2m"), Err(MERGE_TWICE));
    assert_eq!(flags(b"%c%c"), Err(CONTINUOUS_TWICE));
    let both = PatternFlags { merge_pool: 3, continuous: true, expands: true, ..PatternFlags::default() };
    assert_eq!((flags(b"%c%3m"), flags(b"%z")), (Ok(both), Ok(PatternFlags::default())));
    let mut name = PathBuf::new();
    assert_eq!(expand(&[b'x'; CAPACITY], &Values, None, &mut name), Err(Error::NAME_TOO_LONG));
    assert_eq!(expand(b"%2m", &Values, Some(3), &mut name), Ok(()));
    assert_eq!(name.as_bytes(), b"99_3");
}

proptest! {
    #[test]
    fn any_pattern_ends(pattern in proptest::collection::vec(prop_oneof![Just(b'%'), any::<u8>()], 0..60)) {
        let mut rest = pattern.as_slice();
        while !rest.is_empty() {
            let left = rest.len();
            let literal = next(&mut rest).literal.len();
            prop_assert!(rest.len() < left && literal + rest.len() <= left);
        }
    }
}

#[test]
fn numbers_stand_before_the_extension() {
    let numbered = |name: &[u8]| {
        let mut text = PathBuf::new();
        text.set(name).unwrap();
        add_number(&mut text, 12).unwrap();
        std::string::String::from_utf8(text.as_bytes().to_vec()).unwrap()
    };
    assert_eq!(numbered(b"d.x/a.profraw"), "d.x/a-12.profraw");
    assert_eq!(numbered(b"d.x/a"), "d.x/a-12");
    assert_eq!(numbered(b"d/.a"), "d/.a-12");
    assert_eq!(numbered(b"a.b.c"), "a.b-12.c");
    assert_eq!(numbered(b"app.profraw"), "app-12.profraw");
    assert_eq!(numbered(b"d.x/.a.b"), "d.x/.a-12.b");
    assert_eq!(numbered(b"a."), "a-12.");
}
