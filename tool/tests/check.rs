//! `profrt check`: whole profiles of all compilers and both runtimes, and every kind of damage by its name.

use needs_macros::needs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::verdict::{check, is_whole};
use crate::common::*;
use profrt_format::header::{Field, fields};
use profrt_format::layout::{Part, Plan};
use profrt_format::{Encoding, Endian, Header, RawVersion, WordSize};
use profrt_tool::check::{State, Verdict};
use proptest::prelude::*;

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

fn native() -> Vec<u8> {
    profiles::named(RawVersion::V10, LITTLE).write().unwrap()
}

/// Field, offset, and all that is said of the first damage.
fn finding(bytes: &[u8]) -> (String, u64, String) {
    let verdict = check(bytes);
    let fault = verdict.damage.first().expect("damage");
    (fault.field.clone(), fault.offset.unwrap_or(u64::MAX), format!("{fault}"))
}

fn assert_whole(verdict: &Verdict, context: &str) {
    assert!(verdict.state == State::Ok, "{context}: {verdict}");
}

#[test]
fn all_versions_and_machines_are_whole() {
    for version in RawVersion::ALL {
        for encoding in encodings() {
            let bytes = profiles::named(version, encoding).write().unwrap();
            let verdict = check(&bytes);
            assert_whole(&verdict, &format!("{version:?} {encoding:?}"));
            let numbers = &verdict.numbers;
            let all = [numbers.profiles, numbers.functions, numbers.counters, numbers.counters_not_0, numbers.values];
            assert_eq!(all, [1, 3, 7, 5, 4]);
        }
    }
}

#[test]
fn truncation_at_every_offset_is_noticed() {
    for version in RawVersion::ALL {
        for encoding in encodings() {
            let bytes = profiles::named(version, encoding).write().unwrap();
            for len in 0..bytes.len() {
                let verdict = check(&bytes[..len]);
                let fault = verdict
                    .damage
                    .first()
                    .unwrap_or_else(|| panic!("{version:?} {encoding:?} cut to {len}: {verdict}"));
                assert!(fault.offset.is_some_and(|offset| offset <= len as u64), "{fault}");
                // Of something that is no more than a beginning nobody knows what it was.
                assert!(len < 8 || fault.cause.contains("cut") || fault.cause.contains("damaged"), "{len}: {fault}");
            }
        }
    }
}

#[test]
fn several_profiles_in_one_file() {
    let (first, second) = (
        native(),
        profiles::named(RawVersion::V8, Encoding { word: WordSize::W32, endian: Endian::Big }).write().unwrap(),
    );
    // Readers take one kind of machine in a file.
    assert_eq!(finding(&[&first[..], &second].concat()).0, "Magic");
    let mut both = [&first[..], &first].concat();
    let verdict = check(&both);
    assert_whole(&verdict, "two");
    assert!(verdict.summary.starts_with("2 profiles, 6 functions, 14 counters, 10 not 0"), "{}", verdict.summary);
    both.extend([0; 64]);
    assert_whole(&check(&both), "zeros behind");
    // The first is whole, the second cut short: a merge takes the first, and what is there of the second.
    let verdict = check(&both[..first.len() + 400]);
    assert!(verdict.state == State::Damaged && verdict.numbers.functions == 5, "{verdict}");
    // The first is cut short by the second.
    for len in [first.len() - 16, 200] {
        let verdict = check(&[&first[..len], &first].concat());
        assert!(verdict.state == State::Damaged && verdict.numbers.functions >= 3, "{len}: {verdict}");
    }
}

#[test]
fn counters_padded_to_pages_are_whole() {
    let good = native();
    let counters = 16 * 8 + 8 + 24 + 3 * 64;
    let behind = counters + 7 * 8;
    let (before, after) = (4096 - counters, 4096 - 7 * 8);
    let paged = [&good[..counters], &vec![0; before], &good[counters..behind], &vec![0; after], &good[behind..]];
    let mut paged = paged.concat();
    paged[32..40].copy_from_slice(&(before as u64).to_le_bytes());
    paged[48..56].copy_from_slice(&(after as u64).to_le_bytes());
    assert_whole(&check(&paged), "pages");
}

/// What each change of a good file is found to be.
#[test]
fn each_kind_of_damage_is_named() {
    let good = native();
    let header = 16 * 8;
    let data = header + 8 + 24;
    let counters = data + 3 * 64;
    let names = counters + 7 * 8;
    let values = names + 16;
    let cases: &[(usize, &[u8], &str, usize, &str)] = &[
        (0, b"A", "Magic", 0, "no raw profile"),
        (8, &[12], "Version", 8, "7 to 11"),
        (8, &[200], "Version", 8, "7 to 11"),
        (12, &[1], "variant flags", 8, "a newer compiler"),
        (16, &[0xff; 8], "Header", 0, "2^64"),
        (24, &[0, 0, 0, 0, 0, 1], "NumData", 24, "bytes"),
        (40, &[0, 0, 0, 0, 0, 0, 1], "NumCounters", 40, "bytes"),
        (80, &[1], "CounterPtr", data, "at most 55"),
        (header, &[200], "BinaryIdLen", header, "200 bytes"),
        (data + 64 + 48, &[0], "NumCounters", data + 64, "at least 1"),
        (data + 128 + 48, &[5], "NumCounters", data + 128, "at most 4"),
        (counters + 7, &[9], "Counters", counters, "72057594037927936"),
        (names, &[99], "CompressedSize", names + 2, "99 bytes"),
        (values, &[1], "ValueProfData", values, "damaged"),
        (values + 4, &[3], "ValueProfData", values, "damaged"),
        (values + 8, &[1], "ValueProfData", values, "damaged"),
        (values + 12, &[2], "ValueProfData", values, "damaged"),
    ];
    let mut wrong = Vec::new();
    for (at, new, field, offset, said) in cases {
        let mut bytes = good.clone();
        bytes[*at..at + new.len()].copy_from_slice(new);
        let found = finding(&bytes);
        if (found.0.as_str(), found.1) != (*field, *offset as u64) || !found.2.contains(said) {
            wrong.push(format!("{at}: {field} {offset} {said} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let longer = [&good[..], b"garbage"].concat();
    assert_eq!(finding(&longer).1, good.len() as u64);
    assert_eq!(finding(&[&good[..], b"\0\0\0\0", &good].concat()).1, good.len() as u64 + 4);
}

#[test]
fn records_of_another_version_are_a_mismatch() {
    let mut made = profiles::named(RawVersion::V10, LITTLE);
    // 64 bytes a record, 4 records where version 8 sees 48 bytes each.
    made.sections.data.bytes = profiles::named(RawVersion::V10, LITTLE).sections.data.bytes;
    made.version = 8 | 1 << 56;
    let verdict = check(&made.write().unwrap());
    assert!(verdict.lost.iter().any(|lost| lost.contains("look like those of clang 19 to 22")), "{verdict}");
}

#[test]
fn other_files_are_known() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"", "an empty file", "empties the file when the program starts"),
        (b"BZh91AY", "a bzip2 archive", "bunzip2"),
        (b"PRFC\x01", "counters only", "profrt device rebuild"),
        (b"~PAAAA\n", "packets", "profrt device receive"),
        (b"\x7fELF\x02\x01\x01", "an ELF file", "profrt device rebuild"),
        (&[0; 100], "100 zero bytes", "full disk"),
        (b"\xc2\x81rforpl", "Latin-1 to UTF-8", "binary mode"),
        (b"adcg*04B", "counts of gcov", "llvm-cov gcov"),
        (b"\x81rfor", "the bytes 81 72 66 6f 72", "its beginning is lost"),
    ];
    for (bytes, found, cause) in cases {
        let finding = finding(bytes);
        assert!(finding.2.contains(found) && finding.2.contains(cause), "{bytes:?}: {finding:?}");
        assert!(check(bytes).salvage.is_empty());
    }
}

#[test]
fn the_command_says_it_in_lines() {
    let dir = tempfile::tempdir().unwrap();
    let good = profiles::named(RawVersion::V10, LITTLE).write().unwrap();
    std::fs::write(dir.path().join("good.profraw"), &good).unwrap();
    std::fs::write(dir.path().join("torn.profraw"), [&good[..], &good[..150]].concat()).unwrap();
    let output = ended(profrt(dir.path()).args(["check", "good.profraw"]));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert_eq!(text, "good.profraw: ok: 3 functions, 7 counters, 5 not 0, 4 values (raw version 10, IR)\n");
    let output = ended(profrt(dir.path()).args(["check", "torn.profraw", "good.profraw"]));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for line in [
        "torn.profraw: damaged",
        "  field:    BinaryIdsSize",
        "  offset:   568 (0x238)",
        "  salvage:  2 profiles, 3 functions",
        "good.profraw: ok: ",
        "2 inputs: 1 ok, 1 damaged",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let output = ended(profrt(dir.path()).args(["check", "absent.profraw"]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("absent.profraw cannot be read; is the path right?"));
    assert_eq!(output.status.code(), Some(2));
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(!is_whole(&bytes));
    }

    #[test]
    fn no_change_is_too_much(
        version in 0usize..4,
        machine in 0usize..4,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), Just(0), Just(255)]), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let made = profiles::named(RawVersion::ALL[version], encodings()[machine]).write().unwrap();
        let mut bytes = [&made[..], &made].concat();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let verdict = check(&bytes);
        prop_assert_eq!(verdict.state == State::Ok, verdict.damage.is_empty());
    }
}

/// Flags, and the first and the last release that has them.
const VARIANTS: &[(&str, &[&str], u32, u32)] = &[
    ("front end", &["-fprofile-instr-generate", "-fcoverage-mapping"], 0, 99),
    ("IR", &["-fprofile-generate"], 0, 99),
    ("context-sensitive", &["-fcs-profile-generate"], 0, 99),
    ("byte coverage", &["-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"], 0, 99),
    ("front-end byte coverage", &["-fprofile-instr-generate", "-mllvm", "-enable-single-byte-coverage"], 19, 99),
    ("temporal", &["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"], 19, 99),
    ("MC/DC", &["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"], 19, 99),
    ("names as they are", &["-fprofile-instr-generate", "-mllvm", "-enable-name-compression=false"], 0, 99),
    ("32 bits", &["-fprofile-generate", "-m32"], 0, 99),
];

#[needs("clangs", "m32")]
fn profiles_of_all_compilers_are_whole() {
    let source = data("library.c");
    for clang in compilers() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main.c");
        std::fs::write(&main, MAIN).unwrap();
        for (name, flags, first, last) in VARIANTS {
            if clang.version < *first || clang.version > *last {
                continue;
            }
            let [object, other, program, library] =
                ["main.o", "library.o", "main", "libone.so"].map(|name| dir.path().join(name));
            let clang_with = |arguments: &[&str], files: &[&Path], to: &Path| {
                let mut command = Command::new(&clang.clang);
                run(command.arg("-O1").args(*flags).args(arguments).args(files).arg("-o").arg(to));
            };
            clang_with(&["-c", "-fPIC"], &[&source], &other);
            clang_with(&["-c"], &[&main], &object);
            // Our archive of this machine is of 64 bits.
            for ours in [false, true].into_iter().filter(|ours| !(*ours && flags.contains(&"-m32"))) {
                let what = format!("{name}, clang {}, {}", clang.version, if ours { "ours" } else { "official" });
                let archive = ours.then(|| archive(&clang));
                let link = |arguments: &[&str], files: &[&Path], to: &Path| {
                    clang_with(
                        arguments,
                        &[files, &archive.iter().map(PathBuf::as_path).collect::<Vec<_>>()].concat(),
                        to,
                    );
                };
                link(&["-shared"], &[&other], &library);
                link(&["-Wl,-rpath,$ORIGIN"], &[&object, &library], &program);
                let raw = dir.path().join("out.profraw");
                let _ = std::fs::remove_file(&raw);
                ended(Command::new(&program).current_dir(dir.path()).env("LLVM_PROFILE_FILE", "out.profraw"));
                let bytes = std::fs::read(&raw).unwrap_or_else(|error| panic!("{what}: {error}"));
                let verdict = check(&bytes);
                let indexed = dir.path().join("x.profdata");
                let merged = ended(Command::new(&clang.profdata).arg("merge").arg(&raw).arg("-o").arg(indexed));
                // Readers refuse what the runtime of LLVM 14 to 17 appends to byte counters, at an odd offset, and so do we.
                if !ours && clang.raw == 8 && name.ends_with("byte coverage") {
                    assert!(!merged.status.success() && !is_whole(&bytes), "{what}");
                    continue;
                }
                assert!(merged.status.success(), "{what}: {merged:?}");
                assert_whole(&verdict, &what);
                assert_eq!(verdict.numbers.profiles, 2, "{what}: program and shared object");
                assert!(verdict.numbers.counters_not_0 > 1, "{what}: {verdict}");
            }
        }
    }
}

/// What else readers take: counters that do not begin where their part begins, as on Windows, and a `ValueKindLast` of tools that know
/// fewer kinds.
#[needs("clangs")]
fn what_readers_take_is_whole() {
    for clang in compilers() {
        for flags in ["-fprofile-instr-generate", "-fprofile-generate"] {
            let dir = tempfile::tempdir().unwrap();
            let (main, program, raw) =
                (dir.path().join("main.c"), dir.path().join("main"), dir.path().join("out.profraw"));
            std::fs::write(&main, MAIN).unwrap();
            let mut command = Command::new(&clang.clang);
            run(command.args(["-O1", flags]).arg(&main).arg(data("library.c")).arg("-o").arg(&program));
            ended(Command::new(&program).current_dir(dir.path()).env("LLVM_PROFILE_FILE", "out.profraw"));
            let show = |bytes: &[u8]| {
                std::fs::write(&raw, bytes).unwrap();
                let mut command = Command::new(&clang.profdata);
                let shown = ended(command.args(["show", "--all-functions", "--counts", "--ic-targets"]).arg(&raw));
                shown.status.success().then_some(shown.stdout)
            };
            let good = std::fs::read(&raw).unwrap();
            let (shown, plain) = (show(&good).unwrap(), check(&good));
            let counted = |verdict: &Verdict| (verdict.numbers.counters, verdict.numbers.counters_not_0);
            let (header, version, encoding) = Header::decode(&good).unwrap();
            let plan = Plan::of_header(header, version, encoding.word).unwrap();
            let place = |field| fields(version).position(|own| own == field).unwrap() * 8;
            let put = |bytes: &mut [u8], field, value: u64| {
                bytes[place(field)..][..8].copy_from_slice(&value.to_le_bytes());
            };
            let counters = plan.chunk(Part::Counters);
            let (start, end) = (counters.offset as usize, (counters.offset + counters.len) as usize);
            for offset in [1, 7, 8] {
                let mut moved = good.clone();
                put(&mut moved, Field::CountersDelta, header.counters_delta.wrapping_sub(offset as u64));
                put(&mut moved, Field::NumCounters, header.num_counters + 1);
                moved.splice(end..end, vec![0; 8 - offset]);
                moved.splice(start..start, vec![0; offset]);
                let what = format!("clang {}, {flags}, counters from byte {offset} on", clang.version);
                assert!(show(&moved).is_some_and(|same| same == shown), "{what}");
                assert_whole(&check(&moved), &what);
                assert_eq!(counted(&check(&moved)), counted(&plain), "{what}");
            }
            for last in 0..=header.value_kind_last {
                let mut fewer = good.clone();
                put(&mut fewer, Field::ValueKindLast, last);
                let what = format!("clang {}, {flags}, ValueKindLast {last}", clang.version);
                assert!(show(&fewer).is_some_and(|same| same == shown), "{what}");
                assert_whole(&check(&fewer), &what);
            }
        }
    }
}

#[needs("clangs")]
fn counters_mapped_to_the_file_are_whole() {
    for clang in compilers().into_iter().filter(|clang| clang.version >= 19) {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main.c");
        std::fs::write(&main, MAIN).unwrap();
        let program = dir.path().join("main");
        let mut command = Command::new(&clang.clang);
        command.args(["-O1", "-fprofile-instr-generate", "-mllvm", "-runtime-counter-relocation"]);
        run(command.arg(&main).arg(data("library.c")).arg("-o").arg(&program));
        ended(Command::new(&program).current_dir(dir.path()).env("LLVM_PROFILE_FILE", "%cout.profraw"));
        let verdict = check(&std::fs::read(dir.path().join("out.profraw")).unwrap());
        assert_whole(&verdict, &format!("clang {}", clang.version));
        assert!(verdict.numbers.counters_not_0 > 0, "{verdict}");
    }
}

const MAIN: &str = "#include <string.h>
int library(int);
static int one(int x) { return x > 1 && x < 9 ? x : 1; }
static int two(int x) { return x + 2; }
int (*volatile table[2])(int) = {one, two};
volatile unsigned long size = 3; char a[9], b[9];
int main(void) {
  int sum = library(5);
  for (int i = 0; i < 10; i++) { sum += table[i & 1](i); memcpy(a, b, size + (i & 3)); }
  return sum == 0;
}
";
