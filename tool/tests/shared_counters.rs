//! Records of a function that share its counters, as linkers leave them, count once.

use std::fs;
use std::process::Command;

use crate::common::profiles::*;
use crate::common::{COUNTERS, DATA, Fields, newest, profile, profrt, record, run};
use needs_macros::needs;
use profdata::name::name_hash;
use profrt_format::{Encoding, Endian, RawVersion, RecordShape, WordSize};

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

#[test]
fn records_at_one_place_are_one_and_at_two_places_two() {
    let dir = tempfile::tempdir().unwrap();
    let (mut made, shape) = (profile(RawVersion::V10, LITTLE), RecordShape::of(RawVersion::V10, WordSize::W64));
    made.sections.data.bytes.clear();
    // The second one is the first one again; the third has counters of its own.
    for (index, at) in [0, 0, 16].into_iter().enumerate() {
        let counter_ptr = (COUNTERS + at).wrapping_sub(DATA + index as u64 * shape.size);
        let mut bytes =
            record(RawVersion::V10, LITTLE, Fields { counter_ptr, counters: 2, sites: [0, 1, 0], ..Fields::default() });
        bytes[shape.name_ref..][..8].copy_from_slice(&LITTLE.u64_bytes(name_hash(b"one")));
        made.sections.data.bytes.extend(bytes);
    }
    made.sections.counters.bytes = [5, 1, 70, 20].iter().flat_map(|count| LITTLE.u64_bytes(*count)).collect();
    // Each has values of its own.
    made.values = vec![(0, vec![vec![(8, 1)]]), (1, vec![vec![(8, 10)]]), (2, vec![vec![(8, 100)]])];
    fs::write(dir.path().join("a.profraw"), made.write().unwrap()).unwrap();
    let out = dir.path().join("out.profdata");
    for (more, factor) in [(&[][..], 1), (&["-j", "2", "a.profraw"], 1), (&["--compat", "--for", "llvm-22"], 2)] {
        let output = run_in(dir.path(), &[&["merge", "a.profraw", "-o", "out.profdata"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(counters(&out), [("one".to_owned(), vec![70 + 5 * factor, 20 + factor])], "{more:?}");
        let merged = load(&out);
        let values = merged.record(0).unwrap().values.unwrap().kinds[1].values();
        assert_eq!((values.len(), values[0].count), (1, 111), "{more:?}");
    }
}

#[needs("clang")]
fn weak_functions_of_two_units_count_once() {
    let (dir, clang) = (tempfile::tempdir().unwrap(), newest());
    let hook = "__attribute__((weak, noinline)) int hook(void) { return 1; }\n";
    fs::write(
        dir.path().join("a.c"),
        format!("{hook}int test(void); int main(void) {{ return hook() + test() - 2; }}"),
    )
    .unwrap();
    fs::write(dir.path().join("b.c"), format!("{hook}int test(void) {{ return hook(); }}")).unwrap();
    let build = ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "a.c", "b.c", "-o", "app"];
    run(Command::new(&clang.clang).current_dir(dir.path()).args(build));
    run(Command::new(dir.path().join("app")).env("LLVM_PROFILE_FILE", dir.path().join("a.profraw")));
    let (report, error) = merge(dir.path(), &["a.profraw"]);
    assert_eq!(report["totals"]["counts"], 4, "{error}");
    let lcov = run(profrt(dir.path()).args(["cov", "a.profraw", "--object", "app", "--lcov", "-"]));
    assert!(String::from_utf8(lcov).unwrap().contains("FNDA:2,hook\n"));
    let json = run(profrt(dir.path()).args(["show", "a.profraw", "--function", "hook", "--json"]));
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["functions"][0]["details"]["counters"], serde_json::json!([2]), "{json:#}");
}
