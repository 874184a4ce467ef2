//! `profrt merge` and the hash eras of front-end profiles: clang 22 computes other hashes than the compilers before it.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::profiles::*;
use crate::common::*;
use profdata::Profile;
use profdata::Target;
use profdata::read::indexed::Header;
use profdata::sink::{Flags, Name};
use profdata::sink::{Format, Heading, RecordRef, Sink};
use profdata::write::indexed::{HashEras, WriteOptions};
use profrt_format::{RawVersion, RecordShape};
use profrt_tool::rebuild::raw::Section;

fn status(directory: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run_in(directory, &[&["merge"], arguments].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A front-end profile of `main` with these hashes, as a release writes it.
fn front_end(release: u32, hashes: &[u64]) -> Vec<u8> {
    let mut profile = Profile::new();
    let format = Format::Indexed(if release < 22 { 12 } else { 13 });
    profile.heading(&Heading { format, flags: Flags::NONE, says_front_end: false, kind_unknown: false }).unwrap();
    for hash in hashes {
        let name = Name::of(b"main");
        profile
            .push(RecordRef { name, hash: *hash, counters: &[1], bitmap: &[], uniformity: &[], values: None })
            .unwrap();
    }
    let (mut bytes, eras) = (Vec::new(), HashEras::AsIs);
    let target = Target::of_name(&format!("clang-{release}")).unwrap();
    profdata::write::indexed::write(
        &profile,
        target,
        &WriteOptions { hash_eras: eras, ..Default::default() },
        &mut bytes,
    )
    .unwrap();
    bytes
}

#[test]
fn options_without_effect_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.profdata"), front_end(19, &[1])).unwrap();
    for form in [&["--partial"][..], &["--compat", "--for", "clang-19"]] {
        for option in [&["--hashes", "keep"][..], &["--hashes", "convert"], &["--keep-names"]] {
            let (code, error) = status(dir.path(), &[&["a.profdata", "-o", "out"], form, option].concat());
            assert!(code == 2 && error.contains("cannot be used with"), "{form:?} {option:?}: {error}");
        }
    }
}

#[test]
fn front_end_hashes_keep_their_era() {
    const LONG: u64 = 0xc647_5a94_6d5a_5ab7;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old.profdata"), front_end(19, &[LONG])).unwrap();
    fs::write(dir.path().join("new.profdata"), front_end(22, &[LONG >> 4])).unwrap();
    let version = |arguments: &[&str]| {
        let (code, error) = status(dir.path(), &[arguments, &["-o", "out"]].concat());
        let bytes = fs::read(dir.path().join("out")).unwrap_or_default();
        let _ = fs::remove_file(dir.path().join("out"));
        (code, Header::parse(&bytes).ok().map(|header| header.version), error)
    };
    let (code, indexed, error) = version(&["old.profdata"]);
    assert_eq!((code, indexed), (0, Some(12)), "{error}");
    assert_eq!(version(&["new.profdata"]).1, Some(13));
    assert_eq!(version(&["old.profdata", "--for", "clang-14"]).1, Some(7));
    for arguments in [&["old.profdata", "--for", "clang-22"][..], &["new.profdata", "--for", "rustc-1.85"]] {
        fs::write(dir.path().join("kept"), "old").unwrap();
        assert_eq!(status(dir.path(), &[arguments, &["-o", "kept"]].concat()).0, 2);
        assert_eq!(fs::read(dir.path().join("kept")).unwrap(), b"old");
        let (code, indexed, error) = version(arguments);
        assert_eq!((code, indexed), (2, None), "{error}");
        for word in ["clang 22 changed its rule", "--hashes convert", "indexed versions 6 to 12", "version 13 or later"]
        {
            assert!(error.contains(word), "{error}");
        }
        assert_eq!(version(&[arguments, &["--hashes", "keep"]].concat()).0, 0);
    }
    let (code, indexed, _) = version(&["old.profdata", "--for", "clang-22", "--hashes", "convert"]);
    assert_eq!((code, indexed), (0, Some(13)));
    // There is no way back, whatever told the era.
    let new = |name| version(&[name, "--for", "clang-19", "--hashes", "convert"]);
    assert_eq!(new("new.profdata").0, 2);
    // Text tells no version, but its hashes do.
    let many = |mask: u64| {
        let mixed = |number: u64| (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let record = |number| format!("f{number}\n{}\n1\n1\n", mixed(number) & mask);
        format!(":fe\n{}", (0..64).map(record).collect::<String>())
    };
    fs::write(dir.path().join("old.proftext"), many(u64::MAX)).unwrap();
    fs::write(dir.path().join("new.proftext"), many(u64::MAX >> 4)).unwrap();
    for (name, right, wrong) in [("old.proftext", "clang-19", "clang-22"), ("new.proftext", "clang-22", "clang-19")] {
        assert_eq!(version(&[name, "--for", right]).0, 0, "{name}");
        assert_eq!(version(&[name, "--for", wrong]).0, 2, "{name}");
        let (code, indexed, _) = version(&[name, "--for", wrong, "--hashes", "convert"]);
        assert_eq!((code, indexed), if wrong == "clang-22" { (0, Some(13)) } else { (2, None) }, "{name}");
    }
}

/// A raw profile of version 10, which clang 19 to 22 write, with these function hashes.
fn open_era(hashes: [u64; 3]) -> Vec<u8> {
    let (version, encoding) = (RawVersion::V10, encodings()[0]);
    let mut made = named(version, encoding);
    made.version = version.number();
    let shape = RecordShape::of(version, encoding.word);
    for (record, hash) in made.sections.data.bytes.chunks_mut(shape.size as usize).zip(hashes) {
        record[shape.func_hash..][..8].copy_from_slice(&encoding.u64_bytes(hash));
    }
    made.write().unwrap()
}

#[test]
fn hashes_tell_the_era_where_versions_do_not() {
    const LARGE: [u64; 3] = [0x8f6b_23cf_8f6b_23fb, 0x9bf8_87ee_3c01_78fa, 0x7a11_c0de_9e37_79b9];
    // A large function has 0 there by chance.
    const CHANCE: [u64; 3] = [LARGE[0], LARGE[1] & KEPT, 860];
    const KEPT: u64 = (1 << 60) - 1;
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, hashes: [u64; 3]| fs::write(dir.path().join(name), open_era(hashes)).unwrap();
    write("19.profraw", LARGE);
    write("22.profraw", LARGE.map(|hash| hash & KEPT));
    write("chance.profraw", CHANCE);
    write("small.profraw", [24, 860, 0x0410_4104]);
    fs::write(dir.path().join("8.profdata"), front_end(19, &[860])).unwrap();
    let merged = |arguments: &[&str]| {
        let (code, error) = status(dir.path(), &[arguments, &["-o", "out"]].concat());
        let bytes = fs::read(dir.path().join("out")).unwrap_or_default();
        let _ = fs::remove_file(dir.path().join("out"));
        (code, Header::parse(&bytes).ok().map(|header| header.version), error)
    };
    for (inputs, version) in [
        (&["19.profraw"][..], 12),
        (&["22.profraw"], 13),
        (&["chance.profraw"], 12),
        (&["small.profraw"], 12),
        (&["19.profraw", "8.profdata"], 12),
    ] {
        let (code, found, error) = merged(inputs);
        assert_eq!((code, found), (0, Some(version)), "{inputs:?}: {error}");
    }
    for arguments in [
        &["22.profraw", "--for", "clang-19"][..],
        &["22.profraw", "8.profdata", "--for", "clang-21"],
        &["19.profraw", "--for", "clang-22"],
        &["19.profraw", "--for", "clang-22", "--text"],
        &["8.profdata", "19.profraw", "--for", "clang-22", "--text"],
        &["19.profraw", "--for", "clang-22", "--text", "--hashes", "convert"],
        &["19.profraw", "22.profraw"],
        &["19.profraw", "22.profraw", "--for", "clang-19"],
        &["19.profraw", "22.profraw", "--text"],
    ] {
        let (code, found, error) = merged(arguments);
        assert_eq!((code, found), (2, None), "{arguments:?}: {error}");
        assert!(error.contains("--hashes"), "{error}");
        assert!(arguments.contains(&"convert") || merged(&[arguments, &["--hashes", "keep"]].concat()).0 < 2);
    }
    assert_eq!(merged(&["22.profraw", "--text", "--for", "clang-22"]).0, 0);
    assert_eq!(merged(&["small.profraw", "--for", "clang-22"]).1, Some(13));
    // So few functions of an earlier clang may have such hashes by chance: --for is believed, and else clang 22 reads them.
    write("few.profraw", [LARGE[0] & KEPT, LARGE[1] & KEPT, 860]);
    for (target, version, note) in [
        (Some("clang-19"), 12, Some("--for is believed")),
        (Some("clang-22"), 13, None),
        (None, 13, Some("if an earlier one made the inputs, name it with --for")),
    ] {
        let (code, found, error) =
            merged(&[&["few.profraw"][..], &target.map_or(Vec::new(), |name| vec!["--for", name])].concat());
        assert_eq!((code, found), (0, Some(version)), "{target:?}: {error}");
        assert_eq!(error.contains("so few function hashes"), note.is_some(), "{error}");
        assert!(error.contains(note.unwrap_or_default()), "{error}");
    }
    // Text of an earlier clang alone is for that clang.
    let (code, error) = status(dir.path(), &["19.profraw", "--text", "-o", "19.proftext"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(merged(&["19.proftext"]).1, Some(12));
}

#[test]
fn counts_under_other_hashes_are_noted() {
    let dir = tempfile::tempdir().unwrap();
    // Bit 60: with its callers.
    let one = ":ir\nhot\n7\n1\n600\n\nhot\n1152921504606846983\n1\n600\n\nother\n7\n1\n100\n";
    fs::write(dir.path().join("one.proftext"), one).unwrap();
    fs::write(dir.path().join("two.proftext"), ":ir\nhot\n8\n1\n700\n").unwrap();
    let (code, error) = status(dir.path(), &["one.proftext", "--for", "clang-16", "-o", "one"]);
    assert!(code == 0 && !error.contains("note:"), "{error}");
    let (report, error) = merge(dir.path(), &["one.proftext", "two.proftext", "--for", "clang-16"]);
    assert_eq!(report["status"], 0);
    let note = "at least 30.00 % of the counts are under other hashes";
    assert!(error.contains(note) && error.contains("(1 function)"), "{error}");
    assert!(report["notes"][0].as_str().unwrap().contains(note), "{report}");
    let (_, text, _) = quality(dir.path(), &["out.profdata"]);
    assert!(
        text.lines().any(|line| line.contains("other hashes") && line.contains("with 30.00 % of its counts")),
        "{text}"
    );
}

#[test]
fn a_profile_without_functions_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("none.proftext"), ":ir\n").unwrap();
    let (_, error) = merge(dir.path(), &["none.proftext"]);
    assert!(error.contains("were the objects compiled with"), "{error}");
}

#[test]
fn bitmaps_keep_their_era() {
    let dir = tempfile::tempdir().unwrap();
    let encoding = encodings()[0];
    let write = |name: &str, version: RawVersion, has_bitmap: bool| {
        let mut made = named(version, encoding);
        made.version = version.number();
        if has_bitmap {
            let shape = RecordShape::of(version, encoding.word);
            made.sections.bitmap = Section { address: DATA + 0x1000, bytes: vec![0x7f] };
            let record = &mut made.sections.data.bytes[..shape.size as usize];
            record[shape.num_bitmap_bytes.unwrap()..][..4].copy_from_slice(&encoding.u32_bytes(1));
            record[shape.bitmap_ptr.unwrap()..][..8].copy_from_slice(&encoding.u64_bytes(0x1000));
        }
        fs::write(dir.path().join(name), made.write().unwrap()).unwrap();
    };
    write("18.profraw", RawVersion::V9, true);
    write("19.profraw", RawVersion::V10, true);
    write("plain-18.profraw", RawVersion::V9, false);
    write("plain-19.profraw", RawVersion::V10, false);
    let merged = |arguments: &[&str]| status(dir.path(), &[arguments, &["-o", "out"]].concat());
    for arguments in [
        &["18.profraw"][..],
        &["19.profraw"],
        &["18.profraw", "--for", "llvm-18"],
        &["19.profraw", "--for", "llvm-17"],
        &["plain-19.profraw", "--for", "llvm-18"],
        &["plain-18.profraw", "plain-19.profraw"],
    ] {
        let (code, error) = merged(arguments);
        assert_eq!(code, 0, "{arguments:?}: {error}");
    }
    for arguments in [
        &["19.profraw", "--for", "llvm-18"][..],
        &["19.profraw", "--for", "llvm-18", "--text"],
        &["18.profraw", "--for", "llvm-19"],
        &["18.profraw", "19.profraw"],
    ] {
        let (code, error) = merged(arguments);
        assert!(code == 2 && error.contains("LLVM 19 changed their layout"), "{arguments:?}: {error}");
        assert_eq!(merged(&[arguments, &["--hashes", "keep"]].concat()).0, 0, "{arguments:?}");
    }
}

/// Six functions of more than ten statements.
fn large_functions() -> String {
    let parts = ["if (i % 2) s += i; else s -= 1;", "for (int k = 0; k < 3; k++) s += k;", "s = i > 4 ? s : s + 1;"];
    let mut source = String::new();
    for function in 0..6 {
        let body: String = (0..14).map(|place| parts[(place * (function + 2) + place / 3) % 3]).collect();
        source +=
            &format!("int f{function}(int x) {{ int s = 0; for (int i = 0; i < x; i++) {{ {body} }} return s; }}\n");
    }
    let calls: String = (0..6).map(|function| format!("s += f{function}(n); ")).collect();
    source + &format!("int main(int n, char **v) {{ int s = 0; (void)v; {calls} return s == 17; }}\n")
}

/// Also of programs with a build id: clang 14 reads no version that has any.
#[needs("clangs")]
fn a_compiler_finds_the_functions_of_its_own_profile() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("large.c");
    fs::write(&source, large_functions()).unwrap();
    for clang in all_compilers() {
        let program = dir.path().join("program");
        link(&clang, source.to_str().unwrap(), &program, &["-fprofile-instr-generate"]);
        run(Command::new(&program).env("LLVM_PROFILE_FILE", dir.path().join("large.profraw")));
        let (code, error) = status(dir.path(), &["large.profraw", "-o", "large.profdata"]);
        assert_eq!(code, 0, "{error}");
        let mut command = Command::new(&clang.clang);
        command.args(["-Werror=profile-instr-out-of-date", "-fprofile-instr-use=large.profdata", "-c", "large.c"]);
        run(command.args(["-o", "large.o"]).current_dir(dir.path()));
    }
}
