//! Archives as inputs of `profrt merge`: damaged, joined, with links, with equal names. Nothing of them is lost without a word.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::common::profiles::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{EntryType, Header};

fn one() -> String {
    text(&[("main", 1)])
}

fn two() -> String {
    text(&[("main", 20)])
}

fn header(mut header: Header, kind: EntryType, size: usize) -> Header {
    header.set_entry_type(kind);
    header.set_size(size as u64);
    header.set_mode(0o644);
    header
}

fn tar(members: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in members {
        let mut header = header(Header::new_gnu(), EntryType::Regular, text.len());
        builder.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

/// Without compression: what is changed in the middle is still a sound stream, but for its checksum.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// A frame with one raw block, and a checksum that is wrong.
fn zstd_with_wrong_checksum(bytes: &[u8]) -> Vec<u8> {
    let size = bytes.len() as u32;
    let block = (size << 3 | 1).to_le_bytes();
    [b"\x28\xb5\x2f\xfd\xa4", &size.to_le_bytes()[..], &block[..3], bytes, b"\0\0\0\0"].concat()
}

/// Merges one file, and returns the report with the sum of the counter of `main`.
fn merged(directory: &Path, name: &str, bytes: &[u8]) -> (Value, u64, String) {
    fs::write(directory.join(name), bytes).unwrap();
    let (report, error) = merge(directory, &[name]);
    let output = directory.join("out.profdata");
    let sum = counters(&output)[0].1[0];
    fs::remove_file(output).unwrap();
    (report, sum, error)
}

fn assert_refused(report: &Value, name: &str, class: &str, error: &str) {
    assert_eq!(report["status"], 1, "{name}: {error}");
    let input = input(report, name);
    assert_eq!((&input["outcome"], &input["error"]["class"]), (&json!("refused"), &json!(class)), "{error}");
}

#[test]
fn a_checksum_at_the_end_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let tar = tar(&[("a.proftext", &one()), ("b.proftext", &two())]);
    let whole = gzip(&tar);
    assert_eq!(merged(dir.path(), "whole.tar.gz", &whole).0["status"], 0);
    let mut flipped = whole.clone();
    let at = flipped.windows(3).position(|window| window == b"20\n").unwrap();
    flipped[at] ^= 1;
    for (name, bytes, class, expected) in [
        ("flip.tar.gz", &flipped[..], "uncompress-failed", 31),
        ("cut8.tar.gz", &whole[..whole.len() - 8], "truncated", 21),
        ("cut1.tar.gz", &whole[..whole.len() - 1], "truncated", 21),
        ("flip.tar.zst", &zstd_with_wrong_checksum(&tar), "uncompress-failed", 21),
    ] {
        let (report, sum, error) = merged(dir.path(), name, bytes);
        assert_refused(&report, name, class, &error);
        assert_eq!((&report["totals"]["whole"], sum), (&json!(2), expected), "{name}: {error}");
    }
}

#[test]
fn an_archive_without_its_end_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let tar = tar(&[("a.proftext", &one()), ("b.proftext", &two())]);
    // Two members of a header and a block each.
    for (name, bytes, expected) in [
        ("between.tar", tar[..1024].to_vec(), 1),
        ("last.tar", tar[..2048].to_vec(), 21),
        ("one-block.tar", tar[..2560].to_vec(), 21),
        ("between.tar.zst", zstd(&tar[..1024]), 1),
    ] {
        let (report, sum, error) = merged(dir.path(), name, &bytes);
        assert_refused(&report, name, "truncated", &error);
        assert_eq!(sum, expected, "{name}");
    }
    // Of a member that is cut within its first bytes, those before the cut count.
    let long = text(&[("main", 1), ("other", 2)]);
    let cut = &self::tar(&[("a.proftext", &long)])[..512 + long.len() - 10];
    let (report, sum, error) = merged(dir.path(), "cut.tar", cut);
    assert_refused(&report, "cut.tar", "truncated", &error);
    assert_eq!((&input(&report, "cut.tar:a.proftext")["outcome"], sum), (&json!("salvaged"), 1), "{error}");
}

#[test]
fn joined_archives_count_all() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (tar(&[("a.proftext", &one())]), tar(&[("b.proftext", &two())]));
    for (name, bytes) in [
        ("joined.tar", [&a[..], &b].concat()),
        ("joined.tar.gz", [gzip(&a), gzip(&b)].concat()),
        ("joined.tar.zst", [zstd(&a), zstd(&b)].concat()),
        ("filled.tar", [&a[..], &[0; 10 << 10], &b, &[0; 1024]].concat()),
    ] {
        let (report, sum, error) = merged(dir.path(), name, &bytes);
        assert_eq!(
            (&report["status"], &report["totals"]["inputs"], sum),
            (&json!(0), &json!(2), 21),
            "{name}: {error}"
        );
    }
    // A header was overwritten: its contents are no header.
    let mut hole = tar(&[("a.proftext", &one()), ("b.proftext", &two())]);
    hole[1024..1536].fill(0);
    for (name, bytes) in [("hole.tar", hole), ("tail.tar", [&a[..], b"tail"].concat())] {
        let (report, sum, error) = merged(dir.path(), name, &bytes);
        assert_eq!((&report["status"], sum), (&json!(1), 1), "{name}: {error}");
        assert_eq!(input(&report, name)["outcome"], "refused");
    }
}

#[test]
fn first_bytes_decide_whatever_the_name() {
    let dir = tempfile::tempdir().unwrap();
    let tar = tar(&[("a.proftext", &one())]);
    for name in ["a.profraw", "a.profdata", "a.proftext"] {
        let (report, _, error) = merged(dir.path(), name, &gzip(&tar));
        assert_eq!(report["status"], 0, "{error}");
        assert_eq!(report["inputs"][0]["name"], format!("{name}:a.proftext"));
    }
}

#[test]
fn links_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    let link = |builder: &mut tar::Builder<Vec<u8>>, kind, name: &str, target: &str| {
        builder.append_link(&mut header(Header::new_gnu(), kind, 0), name, target).unwrap();
    };
    let file = |builder: &mut tar::Builder<Vec<u8>>, name: &str| {
        let mut header = header(Header::new_gnu(), EntryType::Regular, one().len());
        builder.append_data(&mut header, name, one().as_bytes()).unwrap();
    };
    link(&mut builder, EntryType::Symlink, "soft.proftext", "a.proftext");
    file(&mut builder, "./a.proftext");
    link(&mut builder, EntryType::Link, "hard.proftext", "a.proftext");
    file(&mut builder, "note.txt");
    builder.append_data(&mut header(Header::new_gnu(), EntryType::Fifo, 0), "pipe.proftext", &b""[..]).unwrap();
    let (report, sum, error) = merged(dir.path(), "x.tar", &builder.into_inner().unwrap());
    assert_eq!((&report["status"], sum), (&json!(0), 1), "{error}");
    let ignored = json!([
        "x.tar:soft.proftext (a link to a.proftext)",
        "x.tar:hard.proftext (a link to a.proftext)",
        "x.tar:note.txt",
        "x.tar:pipe.proftext (no regular file)",
    ]);
    assert_eq!(report["ignored"], ignored);

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.start_file("a.proftext", options).unwrap();
    writer.write_all(one().as_bytes()).unwrap();
    writer.add_symlink("b.proftext", "a.proftext", options).unwrap();
    let (report, sum, error) = merged(dir.path(), "x.zip", &writer.finish().unwrap().into_inner());
    assert_eq!((&report["status"], sum), (&json!(0), 1), "{error}");
    assert_eq!(report["ignored"], json!(["x.zip:b.proftext (a link)"]));
}

/// Returns a zip with two members.
fn zip() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("d1/a.proftext", one()), ("d2/a.proftext", two())] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn what_a_zip_may_hide_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = zip();
    let (report, sum, error) = merged(dir.path(), "zeros.zip", &[&bytes[..], &[0; 9]].concat());
    assert_eq!((&report["status"], sum), (&json!(0), 21), "{error}");
    // The library does not write a name twice.
    let mut equal = bytes.clone();
    while let Some(at) = equal.windows(3).position(|window| window == b"d2/") {
        equal[at + 1] = b'1';
    }
    for (name, bytes, sum) in [("joined.zip", [&bytes[..], &bytes].concat(), 21), ("equal.zip", equal, 20)] {
        let (report, found, error) = merged(dir.path(), name, &bytes);
        assert_refused(&report, name, "malformed", &error);
        assert_eq!(found, sum, "{error}");
    }
    fs::write(dir.path().join("one.proftext"), one()).unwrap();
    fs::write(dir.path().join("cut.zip"), &bytes[..bytes.len() - 10]).unwrap();
    let (report, error) = merge(dir.path(), &["cut.zip", "one.proftext"]);
    assert_refused(&report, "cut.zip", "uncompress-failed", &error);
}

#[test]
fn errors_cannot_control_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let name = "\u{1b}[2J\u{202e}txt\u{200b}.proftext";
    let mut bytes = tar(&[("a.proftext", &one()), (name, &two())]);
    bytes[1024 + 148..1024 + 156].copy_from_slice(b"zzzzzzzz");
    let (report, _, error) = merged(dir.path(), "x.tar", &bytes);
    let escaped = "\\u{1b}[2J\\u{202e}txt\\u{200b}.proftext";
    assert!(error.contains(escaped) && !error.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{error:?}");
    assert!(input(&report, "x.tar")["error"]["found"].as_str().unwrap().contains(escaped));
    let (report, _, error) = merged(dir.path(), "y.tar", &tar(&[(name, &two())]));
    assert_eq!(report["inputs"][0]["name"], format!("y.tar:{escaped}"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_utf8_differ() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    for (name, text) in [(&b"a\xfe.proftext"[..], one()), (b"a\xff.proftext", two())] {
        fs::write(dir.path().join("d").join(std::ffi::OsStr::from_bytes(name)), text).unwrap();
    }
    let (report, error) = merge(dir.path(), &["d"]);
    assert_eq!(report["inputs"][0]["name"], "d/a\\xfe.proftext", "{error}");
    assert_eq!(report["inputs"][1]["name"], "d/a\\xff.proftext", "{error}");
}
