//! `profrt check`: whole profiles of all compilers and both runtimes, and every kind of damage by its name.

mod common;

use std::path::Path;
use std::process::Command;

use common::*;
use profrt_format::header::{Field, fields};
use profrt_format::layout::{Part, Plan};
use profrt_format::{Encoding, Endian, Header, RawVersion, WordSize};
use profrt_tool::check::{Report, check};
use proptest::prelude::*;

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

fn native() -> Vec<u8> {
    profile(RawVersion::V10, LITTLE).write().unwrap()
}

/// The finding of the only profile in a file.
fn finding(bytes: &[u8]) -> (String, usize, String, String, String) {
    let report = check(bytes);
    let finding = &report.damage.first().expect("damage").finding;
    let text = |text: &str| text.to_owned();
    (text(&finding.field), finding.offset, text(&finding.expected), text(&finding.found), text(&finding.cause))
}

fn assert_whole(report: &Report, context: &str) {
    assert!(report.is_whole(), "{context}: {:#?}", report.damage);
}

#[test]
fn all_versions_and_machines_are_whole() {
    for version in RawVersion::ALL {
        for encoding in encodings() {
            let bytes = profile(version, encoding).write().unwrap();
            let report = check(&bytes);
            assert_whole(&report, &format!("{version:?} {encoding:?}"));
            let whole = &report.whole[0];
            assert_eq!((whole.functions, whole.counters, whole.counted, whole.values), (3, 7, 5, 4));
            assert_eq!(whole.end, bytes.len());
        }
    }
}

#[test]
fn truncation_at_every_offset_is_noticed() {
    for version in RawVersion::ALL {
        for encoding in encodings() {
            let bytes = profile(version, encoding).write().unwrap();
            for len in 0..bytes.len() {
                let report = check(&bytes[..len]);
                assert!(!report.is_whole(), "{version:?} {encoding:?} cut to {len} bytes of {}", bytes.len());
                let finding = &report.damage[0].finding;
                assert!(finding.offset <= len);
                // Of something that is no more than a beginning nobody knows what it was.
                assert!(len < 8 || finding.cause.contains("cut short"), "{len}: {finding:?}");
            }
        }
    }
}

#[test]
fn torn_values_can_be_salvaged() {
    for encoding in encodings() {
        let mut made = profile(RawVersion::V10, encoding);
        let bytes = made.write().unwrap();
        made.values.clear();
        let empty = made.write().unwrap();
        let fixed = empty.len() - 24 - 16 - 8 - 16;
        for len in fixed..bytes.len() {
            let report = check(&bytes[..len]);
            let again = check(&report.salvage);
            assert_whole(&again, "salvaged");
            // The first function's values are kept when they are all there.
            assert!(report.salvage == empty || again.whole[0].values == 3, "{len}");
        }
        assert!(check(&bytes[..fixed - 1]).salvage.is_empty());
        assert!(finding(&bytes[..fixed]).4.contains("continuous mode"));
    }
}

/// Each record takes 64 bytes of the file, and its empty value record would take 200,000.
#[test]
fn records_that_claim_many_sites_take_no_memory() {
    let mut hostile = profile(RawVersion::V10, LITTLE);
    let size = hostile.data.bytes.len() as u64 / 3;
    hostile.data.bytes.clear();
    for index in 0..20_000 {
        let counter_ptr = COUNTERS.wrapping_sub(DATA + index * size);
        let fields = Fields { counter_ptr, counters: 1, sites: [u16::MAX; 3], ..Fields::default() };
        hostile.data.bytes.extend(record(RawVersion::V10, LITTLE, fields));
    }
    hostile.values.clear();
    let error = hostile.write().unwrap_err().to_string();
    assert!(error.contains("more value sites than any program"), "{error}");
    // The same without value data.
    let claimed = hostile.data.bytes.clone();
    let sites = profrt_format::RecordShape::of(RawVersion::V10, WordSize::W64).num_value_sites;
    for record in hostile.data.bytes.chunks_mut(size as usize) {
        record[sites..sites + 6].fill(0);
    }
    let mut bytes = hostile.write().unwrap();
    let at = bytes.len() - claimed.len() - hostile.counters.bytes.len() - hostile.names.bytes.len().next_multiple_of(8);
    bytes[at..at + claimed.len()].copy_from_slice(&claimed);
    let report = check(&bytes);
    assert!(report.damage[0].torn_values.is_some(), "{:?}", report.damage[0].finding);
    assert!(report.salvage.is_empty());
}

#[test]
fn several_profiles_in_one_file() {
    let (first, second) =
        (native(), profile(RawVersion::V8, Encoding { word: WordSize::W32, endian: Endian::Big }).write().unwrap());
    let mut both = [&first[..], &second].concat();
    assert_whole(&check(&both), "two");
    assert_eq!(check(&both).whole[1].start, first.len());
    both.extend([0; 64]);
    let report = check(&both);
    assert_whole(&report, "zeros behind");
    assert_eq!(report.zeros, 64);
    // The first is whole, the second cut short.
    let report = check(&both[..first.len() + 100]);
    assert_eq!((report.whole.len(), report.damage[0].start, report.salvage), (1, first.len(), first.clone()));
    // The first is cut short by the second.
    let torn = [&first[..first.len() - 16], &second].concat();
    let report = check(&torn);
    assert_eq!(report.whole[0].start, first.len() - 16);
    // Its values stop there; the rest of it is kept.
    assert_eq!(check(&report.salvage).whole.len(), 2);
    let torn = [&first[..200], &second].concat();
    let report = check(&torn);
    assert!(report.damage[0].finding.cause.contains("another profile begins at offset 200"), "{report:#?}");
    assert_eq!(report.salvage, second);
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
    // To pages on one side only is no padding that anybody makes.
    paged[48..56].copy_from_slice(&(after as u64 + 8).to_le_bytes());
    assert_eq!(finding(&paged).0, "PaddingBytesBeforeCounters");
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
        (8, &[12], "Version", 8, "newer LLVM"),
        (8, &[5], "Version", 8, "LLVM 13 or older"),
        (8, &[200], "Version", 8, "overwritten"),
        (12, &[1], "Version", 8, "newer than this tool"),
        (16, &[0xff; 8], "BinaryIdsSize", 16, "more than any file holds"),
        (24, &[0, 0, 0, 0, 0, 1], "NumData", 24, "overwritten"),
        (32, &[8], "PaddingBytesBeforeCounters", 32, "header is damaged"),
        (40, &[0, 0, 0, 0, 0, 0, 1], "NumCounters", 40, "overwritten"),
        (48, &[4], "PaddingBytesAfterCounters", 48, "header is damaged"),
        (80, &[1], "CounterPtr of record 0", data + 16, "overwritten"),
        (120, &[3], "ValueKindLast", 120, "another LLVM"),
        (header, &[200], "binary id", header, "overwritten"),
        (data + 64 + 48, &[0], "NumCounters of record 1", data + 64 + 48, "overwritten"),
        (data + 128 + 48, &[5], "CounterPtr of record 2", data + 128 + 16, "overwritten"),
        (counters + 7, &[9], "counter 0", counters, "never zeroed by the start-up code"),
        (names, &[99], "Names", names + 2, "overwritten"),
        (names + 15, &[1], "padding behind Names", names + 15, "overwritten"),
        (values, &[1], "TotalSize in the value data of record 0", values, "overwritten"),
        (values + 4, &[3], "NumValueKinds in the value data of record 0", values + 4, "overwritten"),
        (values + 8, &[1], "Kind in the value data of record 0", values + 8, "overwritten"),
        (values + 12, &[2], "NumValueSites in the value data of record 0", values + 12, "overwritten"),
        (values + 16, &[2], "Kind in the value data of record 0", values + 56, "overwritten"),
        (values + 17, &[2], "padding of SiteCountArray in the value data of record 0", values + 17, "overwritten"),
    ];
    for (at, new, field, offset, cause) in cases {
        let mut bytes = good.clone();
        bytes[*at..at + new.len()].copy_from_slice(new);
        if *at == 32 {
            bytes.extend([0; 8]);
        }
        let found = finding(&bytes);
        assert_eq!((found.0.as_str(), found.1), (*field, *offset), "{at}: {found:?}");
        assert!(found.4.contains(cause), "{at}: {found:?}");
    }
    let longer = [&good[..], b"garbage"].concat();
    let found = finding(&longer);
    assert_eq!((found.0.as_str(), found.1), ("bytes behind the profile", good.len()));
    let shifted = [&good[..], b"\0\0\0\0", &good].concat();
    assert_eq!(finding(&shifted).0, "Magic");
}

#[test]
fn records_of_another_version_are_a_mismatch() {
    let mut made = profile(RawVersion::V10, LITTLE);
    // 64 bytes a record, 4 records where version 8 sees 48 bytes each.
    made.data.bytes = profile(RawVersion::V10, LITTLE).data.bytes;
    made.version = 8 | 1 << 56;
    let found = finding(&made.write().unwrap());
    assert!(found.4.contains("look like raw version 10 (clang 19 to 22"), "{found:?}");
    assert!(found.4.contains("is for 8 (clang 14 to 17)"), "{found:?}");
}

#[test]
fn other_files_are_known() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"", "an empty file", "empties the file when the program starts"),
        (b"\xfflprofi\x81rest", "an indexed profile", "llvm-cov"),
        (b"\x1f\x8b\x08abc", "a gzip archive", "gunzip"),
        (b"PRFC\x01", "counters only", "profrt rebuild"),
        (b"~PAAAA\n", "packets", "profrt receive"),
        (b"# IR level Instrumentation Flag\n:ir\n", "text: `# IR level", "text profile"),
        (b"\x7fELF\x02\x01\x01", "an ELF file", "profrt rebuild"),
        (&[0; 100], "100 zero bytes", "full disk"),
        (b"\xc2\x81rforpl", "Latin-1 to UTF-8", "binary mode"),
        (b"adcg*04B", "counts of gcov", "llvm-cov gcov"),
        (b"\x81rfor", "the bytes 81 72 66 6f 72", "cut short"),
    ];
    for (bytes, found, cause) in cases {
        let finding = finding(bytes);
        assert!(finding.3.contains(found) && finding.4.contains(cause), "{bytes:?}: {finding:?}");
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
    assert_eq!(
        text,
        "good.profraw: ok: 3 functions, 7 counters, 5 not 0, 4 values (raw version 10, 64-bit little-endian, IR)\n"
    );
    let output = ended(profrt(dir.path()).args(["check", "torn.profraw", "good.profraw", "--salvage", "kept.profraw"]));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for line in [
        "torn.profraw: damaged",
        "  profile at offset 552 (0x228):",
        "  field:    BinaryIds",
        "  offset:   702 (0x2be)",
        "  found:    the end of the file, after 150 bytes of this profile",
        "  salvage:  1 whole profile (3 functions",
        "good.profraw: ok: ",
        "kept.profraw: written, 2 whole profiles",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert_eq!(std::fs::read(dir.path().join("kept.profraw")).unwrap(), [&good[..], &good].concat());
    let output = ended(profrt(dir.path()).args(["check", "absent.profraw"]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("absent.profraw cannot be read; is the path right?"));
    assert_eq!(output.status.code(), Some(2));
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let report = check(&bytes);
        prop_assert!(!report.is_whole());
    }

    #[test]
    fn no_change_is_too_much(
        version in 0usize..4,
        machine in 0usize..4,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), Just(0), Just(255)]), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let made = profile(RawVersion::ALL[version], encodings()[machine]).write().unwrap();
        let mut bytes = [&made[..], &made].concat();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let report = check(&bytes);
        // Whatever is kept is whole.
        prop_assert!(report.salvage.is_empty() || check(&report.salvage).is_whole());
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

#[test]
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
            for ours in [false, true] {
                if flags.contains(&"-m32") && (ours || !works(&clang, dir.path())) {
                    continue;
                }
                let what = format!("{name}, clang {}, {}", clang.version, if ours { "ours" } else { "official" });
                let (program, library) = (dir.path().join("main"), dir.path().join("libone.so"));
                let archive = ours.then(|| archive(&clang));
                let compile = |to: &Path, files: &[&Path], more: &[&str]| {
                    let mut command = Command::new(&clang.clang);
                    command.arg("-O1").args(*flags).args(files).args(more).args(&archive).arg("-o").arg(to);
                    run(&mut command);
                };
                compile(&library, &[&source], &["-shared", "-fPIC"]);
                compile(&program, &[&main, &library], &["-Wl,-rpath,$ORIGIN"]);
                let raw = dir.path().join("out.profraw");
                let _ = std::fs::remove_file(&raw);
                ended(Command::new(&program).current_dir(dir.path()).env("LLVM_PROFILE_FILE", "out.profraw"));
                let bytes = std::fs::read(&raw).unwrap_or_else(|error| panic!("{what}: {error}"));
                let report = check(&bytes);
                let indexed = dir.path().join("x.profdata");
                let merged = ended(Command::new(&clang.profdata).arg("merge").arg(&raw).arg("-o").arg(indexed));
                // Readers refuse what the runtime of LLVM 14 to 17 appends to byte counters, at an odd offset, and so do we.
                if !ours && clang.raw == 8 && name.ends_with("byte coverage") {
                    assert!(!merged.status.success() && !report.is_whole(), "{what}");
                    assert_eq!(check(&report.salvage).whole.len(), 2, "{what}");
                    continue;
                }
                assert!(merged.status.success(), "{what}: {merged:?}");
                assert_whole(&report, &what);
                assert_eq!(report.whole.len(), 2, "{what}: program and shared object");
                assert!(report.whole.iter().all(|whole| whole.counted > 0), "{what}: {report:?}");
            }
        }
    }
}

/// What else readers take: counters that do not begin where their part begins, as on Windows, and a `ValueKindLast` of tools that know
/// fewer kinds.
#[test]
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
            let counted = |report: &Report| (report.whole[0].counters, report.whole[0].counted);
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

#[test]
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
        let report = check(&std::fs::read(dir.path().join("out.profraw")).unwrap());
        assert_whole(&report, &format!("clang {}", clang.version));
        assert!(report.whole[0].counted > 0, "{report:?}");
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

/// Whether 32-bit programs can be linked and run here.
fn works(clang: &xtask::toolchain::Clang, dir: &Path) -> bool {
    let source = dir.join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }").unwrap();
    let program = dir.join("empty");
    let linked =
        ended(Command::new(&clang.clang).args(["-m32", "-fprofile-generate"]).arg(&source).arg("-o").arg(&program));
    let works = linked.status.success() && ended(Command::new(&program).current_dir(dir)).status.success();
    if !works {
        eprintln!("clang {} makes no 32-bit programs here: they are left out", clang.version);
    }
    works
}
