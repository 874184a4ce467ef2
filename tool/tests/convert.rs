//! `profrt convert`: each form into each other, next to the installed `llvm-profdata`s.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::profiles::*;
use common::verdict;
use common::{Profile, encodings, ended, run};
use profdata::merge::{MergeOptions, Merger};
use profdata::release::Release;
use profdata::write::text::{TextWriteOptions, write};
use profrt_format::{RawVersion, RecordShape, Variant};
use profrt_tool::rebuild::raw::Section;

/// The tools that are installed: release, raw version.
fn tools() -> Vec<(u32, u64)> {
    let known =
        [(13, 7), (14, 8), (15, 8), (16, 8), (17, 8), (18, 9), (19, 10), (20, 10), (21, 10), (22, 10), (23, 11)];
    let (found, missing): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|(release, _)| Command::new(tool(*release)).arg("--version").output().is_ok());
    missing.iter().for_each(|(release, _)| println!("skipped: {} is not installed", tool(*release)));
    found
}

fn tool(release: u32) -> String {
    format!("llvm-profdata-{release}")
}

/// What a tool of LLVM reads: the records in the text form.
fn text_of(release: u32, profile: &Path) -> String {
    let text = run(Command::new(tool(release)).args(["merge", "-text", "-o", "-"]).arg(profile));
    records(&String::from_utf8(text).unwrap())
}

/// The text form without comments and lines about the kind, which older releases do not have.
fn records(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with(['#', ':'])).map(|line| format!("{line}\n")).collect()
}

/// What our reader finds in a raw file.
fn our_text(bytes: &[u8]) -> String {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("", 1, bytes).unwrap();
    let (profile, report) = merger.finish().unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
    let mut text = Vec::new();
    write(&profile, &TextWriteOptions { release: Release::NEWEST }, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Converts; returns the exit status and what was said.
fn convert(dir: &Path, input: &str, to: &str, output: &str, more: &[&str]) -> (i32, String) {
    let _ = fs::remove_file(dir.join(output));
    let output = run_in(dir, &[&["convert", input, "--to", to, "-o", output], more].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// [`named`], whose first function calls the second.
fn calling(version: RawVersion, encoding: profrt_format::Encoding) -> Profile {
    let mut made = named(version, encoding);
    let shape = RecordShape::of(version, encoding.word);
    for (number, record) in (5u64..).zip(made.data.bytes.chunks_mut(shape.size as usize)) {
        let pointer = common::word(encoding, number * 0x100 - 0x100);
        record[shape.function_pointer..][..pointer.len()].copy_from_slice(&pointer);
    }
    made
}

#[test]
fn every_version_of_every_machine_becomes_every_other() {
    let (dir, tools) = (tempfile::tempdir().unwrap(), tools());
    let mut compared = 0;
    for encoding in encodings() {
        for from in RawVersion::ALL {
            let bytes = calling(from, encoding).write().unwrap();
            fs::write(dir.path().join("in.profraw"), &bytes).unwrap();
            let expected = our_text(&bytes);
            assert!(expected.contains("\ntwo:5\n"), "{expected}");
            for to in 7..=11 {
                let what = format!("{encoding:?} {from:?} to {to}");
                let (status, error) = convert(dir.path(), "in.profraw", &format!("raw-{to}"), "out.profraw", &[]);
                assert_eq!(status, 0, "{what}: {error}");
                let made = fs::read(dir.path().join("out.profraw")).unwrap();
                assert_eq!(our_text(&made), expected, "{what}");
                if to >= 8 {
                    assert!(verdict::is_whole(&made), "{what}");
                }
                if to == from.number() {
                    assert_eq!(made, bytes, "{what}");
                }
                for (release, raw) in tools.iter().filter(|(_, raw)| *raw == to) {
                    let text = text_of(*release, &dir.path().join("out.profraw"));
                    // Of the other byte order, LLVM up to 17 finds no function for an address, in the original neither.
                    let is_swapped = encoding.endian != profrt_format::Encoding::NATIVE.endian;
                    let read = match is_swapped && *release < 18 {
                        true => expected.replace("two:5", "** External Symbol **:5"),
                        false => expected.clone(),
                    };
                    assert_eq!(text, records(&read), "{what}, LLVM {release} ({raw})");
                    compared += 1;
                }
            }
        }
    }
    assert!(tools.is_empty() || compared >= 16, "{compared}");
}

/// Profiles of real programs, written by LLVM's own runtimes where those are installed.
#[test]
fn programs_of_each_clang_are_read_by_the_tools_of_all_others() {
    const SOURCE: &str = "#include <string.h>\n\
        static __attribute__((noinline)) int one(int x) { return x + 1; }\n\
        static __attribute__((noinline)) int two(int x) { return x < 5 ? x * 2 : x; }\n\
        int (*volatile table[2])(int) = {one, two};\n\
        volatile size_t size = 5; char a[64], b[64];\n\
        int main(void) { int sum = 0; for (int i = 0; i < 10; i++) { sum += table[i & 1](i); memcpy(a, b, size + i % 4); }\n\
        return sum > 1000; }\n";
    let tools = tools();
    for (release, raw) in &tools {
        let clang = format!("clang-{release}");
        for flag in ["-fprofile-generate", "-fprofile-instr-generate"] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("a.c"), SOURCE).unwrap();
            let linked = Command::new(&clang).current_dir(dir.path()).args(["-O1", flag, "a.c", "-o", "a"]).output();
            if !linked.is_ok_and(|output| output.status.success()) {
                println!("skipped: {clang} with its runtime is not installed");
                continue;
            }
            run(Command::new(dir.path().join("a")).current_dir(dir.path()).env("LLVM_PROFILE_FILE", "a.profraw"));
            let expected = text_of(*release, &dir.path().join("a.profraw"));
            assert!(expected.contains("main\n"), "{expected}");
            for (other, version) in &tools {
                let (status, error) = convert(dir.path(), "a.profraw", &format!("raw-{version}"), "b.profraw", &[]);
                assert_eq!(status, 0, "{error}");
                let text = text_of(*other, &dir.path().join("b.profraw"));
                assert_eq!(text, expected, "{clang} {flag} (raw {raw}) for LLVM {other} (raw {version})");
                let is_stale = flag == "-fprofile-instr-generate" && *raw < 10 && *version >= 10;
                assert_eq!(error.contains("clang 21 and earlier"), is_stale, "{error}");
            }
        }
    }
}

#[test]
fn several_profiles_of_a_file_stay_several() {
    let dir = tempfile::tempdir().unwrap();
    let encoding = profrt_format::Encoding::NATIVE;
    let one = calling(RawVersion::V8, encoding).write().unwrap();
    let both = [&one[..], &[0; 16], &one].concat();
    fs::write(dir.path().join("in.profraw"), &both).unwrap();
    let (status, error) = convert(dir.path(), "in.profraw", "raw-10", "out.profraw", &[]);
    assert_eq!(status, 0, "{error}");
    assert!(error.contains("raw version 10; 2 profiles, 6 functions"), "{error}");
    let made = fs::read(dir.path().join("out.profraw")).unwrap();
    assert_eq!((verdict::check(&made).numbers.profiles, our_text(&made)), (2, our_text(&both)));
}

/// Byte counters of an odd number, which version 8 does not pad, and time stamps.
#[test]
fn byte_coverage_goes_up_and_down() {
    let dir = tempfile::tempdir().unwrap();
    for encoding in encodings() {
        let mut made = calling(RawVersion::V10, encoding);
        made.version |= Variant::BYTE_COVERAGE;
        made.counters.bytes = vec![0, 0xff, 0, 0xff, 0xff, 0, 0];
        let shape = RecordShape::of(RawVersion::V10, encoding.word);
        let size = shape.size as usize;
        for (index, (record, at)) in made.data.bytes.chunks_mut(size).zip([0, 2, 3]).enumerate() {
            let pointer = (common::COUNTERS + at).wrapping_sub(common::DATA + (index * size) as u64);
            let pointer = common::word(encoding, pointer);
            record[shape.counter_ptr..][..pointer.len()].copy_from_slice(&pointer);
        }
        let bytes = made.write().unwrap();
        fs::write(dir.path().join("10.profraw"), &bytes).unwrap();
        assert_eq!(convert(dir.path(), "10.profraw", "raw-8", "8.profraw", &[]).0, 0);
        assert_eq!(convert(dir.path(), "8.profraw", "raw-10", "again.profraw", &[]).0, 0);
        for name in ["8.profraw", "again.profraw"] {
            let made = fs::read(dir.path().join(name)).unwrap();
            assert!(verdict::is_whole(&made) && our_text(&made) == our_text(&bytes), "{encoding:?} {name}");
        }
        // Readers look for the second profile at a multiple of 8.
        fs::write(dir.path().join("two.profraw"), [&bytes[..], &bytes].concat()).unwrap();
        assert_eq!(convert(dir.path(), "two.profraw", "raw-8", "8.profraw", &[]).0, 0);
        let two = verdict::check(&fs::read(dir.path().join("8.profraw")).unwrap());
        assert_eq!((two.numbers.profiles, two.damage.len()), (2, 0), "{encoding:?}");
        // The tools of LLVM 13 would take the bytes for counters of 8 bytes.
        let (status, error) = convert(dir.path(), "10.profraw", "raw-7", "7.profraw", &[]);
        assert!(status == 2 && error.contains("byte coverage") && error.contains("raw-8"), "{error}");
        assert!(!dir.path().join("7.profraw").exists());
    }
}

#[test]
fn what_a_version_has_no_place_for_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let encoding = profrt_format::Encoding::NATIVE;
    let shape = RecordShape::of(RawVersion::V10, encoding.word);
    let mut made = calling(RawVersion::V10, encoding);
    // The second function has a bitmap, the third a site of vtables.
    made.bitmap = Section { address: 0xa000, bytes: vec![1, 2, 3] };
    let put = |bytes: &mut Vec<u8>, record: usize, at: usize, new: &[u8]| {
        bytes[record * shape.size as usize + at..][..new.len()].copy_from_slice(new);
    };
    let data = &mut made.data.bytes;
    put(data, 1, shape.bitmap_ptr.unwrap(), &(0xa000 - common::DATA - shape.size).to_ne_bytes());
    put(data, 1, shape.num_bitmap_bytes.unwrap(), &3u32.to_ne_bytes());
    put(data, 2, shape.num_value_sites + 4, &1u16.to_ne_bytes());
    made.values[1].1.push(vec![(0x7000, 4)]);
    let name = profdata::name::name_hash(b"_ZTV1A");
    made.vtables.bytes = [&name.to_ne_bytes()[..], &0x7000u64.to_ne_bytes(), &[16, 0, 0, 0, 0, 0, 0, 0]].concat();
    made.vnames.bytes = b"\x06\x00_ZTV1A".to_vec();
    let bytes = made.write().unwrap();
    assert!(verdict::is_whole(&bytes));
    fs::write(dir.path().join("in.profraw"), &bytes).unwrap();
    let text = our_text(&bytes);
    assert!(text.contains("_ZTV1A:4") && text.contains("$3\n"), "{text}");

    let (status, error) = convert(dir.path(), "in.profraw", "raw-11", "11.profraw", &[]);
    assert!(status == 0 && !error.contains("note:"), "{error}");
    assert_eq!(our_text(&fs::read(dir.path().join("11.profraw")).unwrap()), text);

    let (status, error) = convert(dir.path(), "11.profraw", "raw-9", "9.profraw", &[]);
    assert!(status == 2 && error.contains("MC/DC bitmaps of LLVM 19 and later"), "{error}");

    let (status, error) = convert(dir.path(), "in.profraw", "raw-8", "8.profraw", &["--quiet"]);
    assert!(status == 0 && error.contains("note: the bitmaps of 1 record are left out"), "{error}");
    assert!(error.contains("note: the values of kind 2 of 1 record are left out"), "{error}");
    assert!(error.contains("note: 1 vtable name is left out"), "{error}");
    let eight = fs::read(dir.path().join("8.profraw")).unwrap();
    let text = our_text(&eight);
    assert!(verdict::is_whole(&eight) && !text.contains('$') && !text.contains("_ZTV1A"), "{text}");
}

#[test]
fn what_would_mislead_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let whole = calling(RawVersion::V10, profrt_format::Encoding::NATIVE);
    let bytes = whole.write().unwrap();
    let flagged = |flag: u64| Profile { version: whole.version | flag, ..whole.clone() }.write().unwrap();
    let correlated =
        Profile { data: Section::default(), names: Section::default(), values: Vec::new(), ..whole.clone() };
    let trailing = [&bytes[..], b"x"].concat();
    for (name, bytes, to, expected) in [
        ("loops", &flagged(1 << 55), "raw-9", "counters of loop entries"),
        ("stamps", &flagged(1 << 63), "raw-8", "time stamps"),
        ("unknown", &flagged(1 << 50), "raw-9", "the flags 0x4000000000000"),
        ("correlated", &correlated.write().unwrap(), "raw-9", "they are in its program"),
        ("cut", &bytes[..bytes.len() - 8].to_vec(), "raw-9", "`profrt merge"),
        ("trailing", &trailing, "raw-9", "remedy:"),
        ("empty", &Vec::new(), "raw-9", "is no raw profile"),
        ("text", &text(&[("one", 1)]).into_bytes(), "raw-10", "is no raw profile"),
        ("garbage", &b"\0\x01garbage".to_vec(), "text", "nothing of garbage can be read"),
        ("none", &bytes, "raw-12", "raw-7 to raw-11"),
    ] {
        fs::write(dir.path().join(name), bytes).unwrap();
        fs::write(dir.path().join("old"), "old").unwrap();
        let output = run_in(dir.path(), &["convert", name, "--to", to, "-o", "old"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(expected), "{name}: {error}");
        assert_eq!(fs::read(dir.path().join("old")).unwrap(), b"old", "{name}");
    }
    fs::write(dir.path().join("whole"), &bytes).unwrap();
    for more in [&["--keep-names"][..], &["--hashes", "convert"], &["--elf", "whole"]] {
        let (status, error) = convert(dir.path(), "whole", "raw-9", "out", more);
        assert!(status == 2 && error.contains("change nothing of a raw profile"), "{error}");
    }
    for form in ["text", "partial"] {
        for more in [&["--keep-names"][..], &["--hashes", "convert"], &["--hashes", "keep"]] {
            let (status, error) = convert(dir.path(), "whole", form, "out", more);
            assert!(status == 2 && error.contains("leave out --hashes and --keep-names"), "{form}: {error}");
            assert!(!dir.path().join("out").exists());
        }
    }
    fs::create_dir(dir.path().join("many")).unwrap();
    for name in ["a.proftext", "b.proftext"] {
        fs::write(dir.path().join("many").join(name), text(&[("one", 1)])).unwrap();
    }
    let (status, error) = convert(dir.path(), "many", "text", "out", &[]);
    assert!(status == 2 && error.contains("profrt merge"), "{error}");
}

#[test]
fn an_input_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let text = "main\n1\n1\n5\n";
    fs::write(dir.path().join("in.proftext"), text).unwrap();
    fs::hard_link(dir.path().join("in.proftext"), dir.path().join("link")).unwrap();
    for output in ["in.proftext", "./in.proftext", "link"] {
        let output = run_in(dir.path(), &["convert", "in.proftext", "--to", "indexed-9", "-o", output]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("is the input"));
    }
    assert_eq!(fs::read_to_string(dir.path().join("in.proftext")).unwrap(), text);
}

#[test]
fn indexed_text_and_partial_become_each_other() {
    const TEXT: &str = ":ir\na.c;local\n7\n2\n5\n1\n2\n0\n1\n2\nother:3\nlocal_target:1\n1\n1\n1\n8:5\n\n\
        local_target\n9\n1\n2\n\nother\n8\n1\n3\n\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("start"), TEXT).unwrap();
    let text = |name: &str| {
        let (status, error) = convert(dir.path(), name, "text", "text", &[]);
        assert_eq!(status, 0, "{error}");
        fs::read_to_string(dir.path().join("text")).unwrap()
    };
    let expected = text("start");
    assert!(expected.contains("other:3"), "{expected}");
    for (first, second) in
        [("indexed-13", "partial"), ("partial", "indexed-12"), ("partial", "text"), ("clang-22", "clang-19")]
    {
        assert_eq!(convert(dir.path(), "start", first, "first", &[]).0, 0);
        assert_eq!(convert(dir.path(), "first", second, "second", &[]).0, 0);
        assert_eq!(text("second"), expected, "{first} {second}");
    }
    // Each release reads its own, and an older one gets the names of local functions that it looks for.
    for (release, _) in tools() {
        let (status, error) = convert(dir.path(), "start", &format!("clang-{release}"), "out", &[]);
        assert_eq!(status, 0, "{error}");
        let expected = if release < 18 { expected.replace("a.c;local", "a.c:local") } else { expected.clone() };
        assert_eq!(text_of(release, &dir.path().join("out")), records(&expected), "LLVM {release}");
        assert_eq!(error.contains("1 local function got"), release < 18, "{error}");
    }
    let (_, error) = convert(dir.path(), "start", "clang-16", "out", &["--keep-names"]);
    assert!(!error.contains("local function"), "{error}");
}

#[test]
fn losses_of_other_forms_have_the_exit_status_of_merge() {
    let dir = tempfile::tempdir().unwrap();
    let bitmap = ":ir\none\n7\n1\n5\n$1\n0x3\n\ntwo\n8\n1\n2\n";
    fs::write(dir.path().join("bitmap"), bitmap).unwrap();
    let (status, error) = convert(dir.path(), "bitmap", "clang-16", "out", &[]);
    assert!(status == 0 && error.contains("note: the bitmaps of 1 record are left out"), "{error}");
    // A cut input: the output has the rest, and the status says so.
    fs::write(dir.path().join("cut"), &bitmap[..bitmap.len() - 3]).unwrap();
    let (status, error) = convert(dir.path(), "cut", "text", "out", &[]);
    assert!(status == 1 && error.contains("lost: ") && error.contains("damaged: cut"), "{error}");
    assert!(fs::read_to_string(dir.path().join("out")).unwrap().contains("one\n"));
    // Standard input to standard output.
    let mut command = common::profrt(dir.path());
    command
        .args(["convert", "-", "--to", "text", "-o", "-", "-q"])
        .stdin(fs::File::open(dir.path().join("bitmap")).unwrap());
    let output = ended(&mut command);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("0x3"));
}
