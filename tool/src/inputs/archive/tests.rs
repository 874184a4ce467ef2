//! Archives that are hostile, torn, or in each other.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

const TINY: Limits = Limits { largest: 10_000, small: 100_000, expansion: 2, members: 1000 };

/// Returns what is in an archive: names with lengths, and why it ended.
fn unpack(stream: impl Read, limits: Limits) -> (Vec<(String, usize)>, Option<String>) {
    let mut found = Vec::new();
    let mut take = |member| {
        found.push(match member {
            Found::Member { name, bytes, damage: None } => (name, bytes.len()),
            Found::Member { name, bytes, damage: Some(error) } => (format!("{name}: {error}"), bytes.len()),
            Found::Ignored(name) => (format!("{name} ignored"), 0),
        });
        true
    };
    let mut unpacker = Unpacker { limits, ..Unpacker::new(Arc::default(), &mut take) };
    let result = unpacker.pipe("x", stream);
    let error = match result {
        Ok(()) => None,
        Err(Stop::Failed(error)) => Some(error.to_string()),
        Err(Stop::Unwanted) => Some("unwanted".into()),
    };
    (found, error)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

const RAW: &[u8] = b"\x81rforpl\xff";

#[test]
fn members_have_the_names_of_all_archives_around_them() {
    let inner = gzip(&tar(&[("b.profraw", RAW), ("readme.txt", b"no profile"), ("unnamed", RAW)]));
    let outer = tar(&[("a.tar.gz", &inner), ("c.profraw", b"")]);
    let (found, error) = unpack(&outer[..], Limits::USUAL);
    let expected = [
        ("x:a.tar.gz:b.profraw", 8),
        ("x:a.tar.gz:readme.txt ignored", 0),
        ("x:a.tar.gz:unnamed", 8),
        ("x:c.profraw", 0),
    ];
    assert_eq!(found, expected.map(|(name, len)| (name.to_owned(), len)));
    assert_eq!(error, None);
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let bomb = gzip(&vec![0; 1 << 20]);
    let (found, error) = unpack(&bomb[..], TINY);
    assert!(found[0].0.contains("at most 10000 bytes") && found[0].1 == 0, "{found:?}");
    assert_eq!(error, None);
    // What is no profile takes no memory, but time.
    let (found, error) = unpack(&gzip(&tar(&[("zeros", &vec![0; 1 << 20]), ("b.profraw", RAW)]))[..], TINY);
    assert_eq!(found, [("x:zeros ignored".to_owned(), 0)]);
    assert!(error.unwrap().contains("expands to more than 2 times"), "{found:?}");
}

#[test]
fn archives_in_each_other_end() {
    let mut bytes = RAW.to_vec();
    for _ in 0..DEEPEST {
        bytes = gzip(&bytes);
    }
    assert_eq!(unpack(&bytes[..], Limits::USUAL).0, [("x".to_owned(), 8)]);
    let (found, error) = unpack(&gzip(&bytes)[..], Limits::USUAL);
    assert!(found.is_empty() && error.unwrap().contains("at most 4 archives in each other"));
}

/// The header says that a name of 4 GiB follows, and it does.
#[test]
fn a_long_name_takes_no_memory() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(4 << 30);
    header.set_cksum();
    let stream = header.as_bytes().chain(io::repeat(b'a').take(4 << 30));
    let (found, error) = unpack(stream, Limits::USUAL);
    assert!(found.is_empty() && error.unwrap().contains("headers of a member"));
}

#[test]
fn of_a_torn_archive_the_first_members_are_kept() {
    let whole = gzip(&tar(&[("a.profraw", RAW), ("b.profraw", &[7; 3000])]));
    let (found, error) = unpack(&whole[..whole.len() - 20], Limits::USUAL);
    assert_eq!(found[0], ("x:a.profraw".to_owned(), 8));
    assert!(error.unwrap().contains("truncated"));
}

#[test]
fn names_cannot_control_a_terminal() {
    let (found, _) = unpack(&tar(&[("\u{1b}[2Ja.profraw", RAW)])[..], Limits::USUAL);
    assert_eq!(found, [("x:\\u{1b}[2Ja.profraw".to_owned(), 8)]);
}

/// A header that says that a member has so many zeros, of which none is in the archive.
fn sparse(name: &str, zeros: u64) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_path(name).unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_size(0);
    let mut digits = [0; 12];
    digits[0] = 0x80;
    digits[4..].copy_from_slice(&zeros.to_be_bytes());
    let gnu = header.as_gnu_mut().unwrap();
    gnu.realsize = digits;
    gnu.sparse[0].offset = digits;
    gnu.sparse[0].numbytes = *b"00000000000\0";
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn zeros_that_take_no_place_have_bounds() {
    let rest = tar(&[("b.profraw", RAW)]);
    // Nobody reads what is no profile.
    let (found, error) = unpack(&[sparse("a.txt", 1 << 62), rest.clone()].concat()[..], TINY);
    assert_eq!(found, [("x:a.txt ignored".to_owned(), 0), ("x:b.profraw".to_owned(), 8)]);
    assert_eq!(error, None);
    let (found, error) = unpack(&[sparse("a.profraw", 1 << 62), rest.clone()].concat()[..], TINY);
    assert!(found[0].0.contains("at most 10000 bytes") && found[0].1 == 0, "{found:?}");
    assert_eq!((found[1].clone(), error), (("x:b.profraw".to_owned(), 8), None));
    // Each is small enough, all together are not: the archive has 31 KiB, and may expand to 163,000 bytes.
    let all = (0..60).flat_map(|number| sparse(&format!("{number}.profraw"), 9000)).chain(rest).collect::<Vec<u8>>();
    let (found, _) = unpack(&all[..], TINY);
    let bytes: usize = found.iter().map(|(_, bytes)| bytes).sum();
    assert!(bytes < 163_000 && found[59].0.contains("expands to more than 2 times"), "{found:?}");
}

/// The next header has no more to claim because a member before it was large.
#[test]
fn a_member_that_was_read_leaves_no_allowance() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(2 << 20);
    header.set_cksum();
    let mut large = tar(&[("a.profraw", &vec![7; 3 << 20])]);
    large.truncate(large.len() - 1024);
    let bytes = [large, header.as_bytes().to_vec(), vec![b'a'; 2 << 20]].concat();
    let (found, error) = unpack(&bytes[..], Limits::USUAL);
    assert_eq!(found, [("x:a.profraw".to_owned(), 3 << 20)]);
    assert!(error.unwrap().contains("headers of a member"));
}
