//! `profrt check` of indexed, text and partial profiles, directories and archives: whole ones of all tools, each kind of damage, exit statuses.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::profiles::*;
use crate::common::profrt;
use profdata::read::indexed::Header;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};
use serde_json::Value;

const TEXT: &str = "\
:ir
main
7
3
10
600
0
2
0
1
1
_ZN3app4stepEv:70
1
1
1
8:30

_ZN3app4stepEv
12
1
290

never
14
2
0
0
";

/// Checks inputs; returns exit status, report and standard error.
fn json(directory: &Path, inputs: &[&str]) -> (i32, Value, String) {
    let output = run_in(directory, &[&["check", "--json"], inputs].concat());
    let error = String::from_utf8(output.stderr).unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {error}"));
    assert_eq!(report["schema"], "profrt-check-1");
    assert_eq!(report["status"], output.status.code().unwrap());
    (output.status.code().unwrap(), report, error)
}

fn lines(directory: &Path, inputs: &[&str]) -> (i32, String, String) {
    let output = run_in(directory, &[&["check"], inputs].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The verdict on bytes that a file has.
fn verdict(name: &str, bytes: &[u8]) -> Value {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(name), bytes).unwrap();
    let (status, report, _) = json(dir.path(), &[name]);
    let verdict = report["inputs"][0].clone();
    assert_eq!(status, i32::from(verdict["state"] != "ok"), "{verdict:#}");
    verdict
}

fn fields(verdict: &Value) -> Vec<&str> {
    verdict["damage"].as_array().unwrap().iter().map(|fault| fault["field"].as_str().unwrap()).collect()
}

/// [`TEXT`] as `profrt merge` writes it.
fn merged(arguments: &[&str]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), TEXT).unwrap();
    let output = run_in(dir.path(), &[&["merge", "a.proftext", "-o", "out"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(dir.path().join("out")).unwrap()
}

#[test]
fn all_formats_are_ok() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.proftext", TEXT.as_bytes().to_vec()),
        ("b.profpart", merged(&["--partial"])),
        ("c.profdata", merged(&[])),
        ("d.profdata", merged(&["--for", "clang-14"])),
        ("e.proftext", merged(&["--text"])),
    ] {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let (status, text, error) = lines(dir.path(), &["."]);
    assert_eq!((status, error.as_str()), (0, ""), "{text}");
    let what = "3 functions, 6 counters, 3 not 0, 2 values";
    for (line, format) in text.lines().zip([
        "a.proftext: ok: WHAT (text, IR)",
        "b.profpart: ok: WHAT (partial result, IR)",
        "c.profdata: ok: WHAT (indexed version 13, IR)",
        "d.profdata: ok: WHAT (indexed version 7, IR)",
        "e.proftext: ok: WHAT (text, IR)",
    ]) {
        assert_eq!(line, format!("./{}", format.replace("WHAT", what)));
    }
    let (_, report, _) = json(dir.path(), &["c.profdata"]);
    let input = &report["inputs"][0];
    assert_eq!((&input["functions"], &input["counters_not_0"], &input["values"]), (&3.into(), &3.into(), &2.into()));
    assert_eq!((&input["state"], &input["damage"]), (&"ok".into(), &Value::Array(Vec::new())));
}

/// What LLVM's tools write, with all sections, is whole, and ends where its last section ends.
#[needs("clangs")]
fn profiles_of_all_llvm_profdata_are_ok() {
    let dir = tempfile::tempdir().unwrap();
    let traces =
        "# Num Temporal Profile Traces:\n1\n# Temporal Profile Trace Stream Size:\n1\n# Weight:\n1\nmain,never\n";
    let (functions, header) = (TEXT.strip_prefix(":ir\n").unwrap(), ":ir\n:temporal_prof_traces\n");
    let context = format!(":csir\n{functions}\nmain\n{}\n1\n77\n", 1u64 << 60 | 9);
    let texts = [
        ("plain", TEXT.to_owned(), 0),
        ("fe", functions.to_owned(), 0),
        ("temporal", format!("{header}{traces}{functions}"), 17),
        ("cs", context, 0),
        ("pseudo", format!("{TEXT}\nhot\n5\n1\n{}\n", u64::MAX), 0),
        ("huge", format!("{TEXT}\nhuge\n5\n2\n{}\n{}\n", 1u64 << 63, 1u64 << 63), 0),
        ("fe with bit 60", format!("{functions}\nother\n{}\n1\n77\n", 1u64 << 60 | 9), 0),
        (
            "vtable",
            TEXT.replace("8:30\n", "8:30\n2\n1\n1\n_ZTV1A:9\n").replace("0\n2\n0\n1\n1\n", "0\n3\n0\n1\n1\n"),
            19,
        ),
    ];
    for version in [14, 16, 19, 22] {
        for (name, text, _) in texts.iter().filter(|(_, _, since)| *since <= version) {
            fs::write(dir.path().join("in.proftext"), text).unwrap();
            for sparse in [false, true] {
                let mut command = Command::new(format!("llvm-profdata-{version}"));
                command.current_dir(dir.path()).args(["merge", "in.proftext", "-o", "out.profdata"]);
                command.args(sparse.then_some("-sparse"));
                let output = command.output().unwrap();
                assert!(output.status.success(), "{name} {version}: {}", String::from_utf8_lossy(&output.stderr));
                let (status, text, _) = lines(dir.path(), &["out.profdata"]);
                assert_eq!(status, 0, "{name} of {version}: {text}");
                assert!(!text.contains("note:"), "{text}");
                // Bytes after the end are seen in each of them.
                let joined = [fs::read(dir.path().join("out.profdata")).unwrap(), b"end".to_vec()].concat();
                assert_eq!(fields(&verdict("a", &joined)), ["bytes after the profile"], "{name} {version}");
            }
        }
    }
}

#[test]
fn a_cut_indexed_profile_is_noticed_at_every_offset() {
    let good = merged(&[]);
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..good.len()).map(|cut| format!("{cut:05}.profdata")).collect();
    for (cut, name) in names.iter().enumerate() {
        fs::write(dir.path().join(name), &good[..cut]).unwrap();
    }
    let (status, report, _) = json(dir.path(), &["."]);
    assert_eq!(status, 1);
    assert_eq!(report["totals"]["damaged"], good.len());
    // Records before the cut can be salvaged, and the line says how.
    let last = good.len() - 16;
    let (_, text, _) = lines(dir.path(), &[&names[last]]);
    assert!(text.starts_with(&format!("{}: damaged\n  field:    ", names[last])), "{text}");
    assert!(text.contains(&format!(
        "  salvage:  3 functions, 6 counters, 3 not 0, 2 values; `profrt merge {} -o OUT`",
        names[last]
    )));
    assert!(text.contains("  lost:     the input ends 16 bytes too early\n"), "{text}");
}

/// A flipped bit is noticed in the summary, in names, lengths and counters. Nothing in the format checks function hashes and values.
#[test]
fn a_changed_indexed_profile_is_noticed() {
    let good = merged(&["--for", "indexed-12"]);
    let header = Header::parse(&good).unwrap();
    let (payload, table) = (header.size() + 448, header.hash_offset as usize);
    let rows = payload - 16 * 24;
    let mut places: Vec<usize> = (0..16).chain(24..40).chain(header.size()..payload).collect();
    // One flag is as good as another, and the upper halves of cutoffs are not read.
    places.retain(|at| *at != 15 && (*at < rows || !(4..8).contains(&((at - rows) % 24))));
    for (name, counters) in [("main", 3), ("_ZN3app4stepEv", 1), ("never", 2)] {
        let is_key = |at: &usize| good[*at..].starts_with(name.as_bytes()) && good[at - 16] == name.len() as u8;
        let key = (payload..table).find(is_key).unwrap();
        let data = key + name.len();
        // Hash of the name, lengths, name; number of counters, counters.
        places.extend(key - 24..data);
        places.extend(data + 8..data + 16 + counters * 8);
    }
    let dir = tempfile::tempdir().unwrap();
    for at in &places {
        let mut bytes = good.clone();
        bytes[*at] ^= 0x10;
        fs::write(dir.path().join(format!("{at:05}.profdata")), bytes).unwrap();
    }
    let (_, report, _) = json(dir.path(), &["."]);
    let inputs = report["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), places.len());
    let missed: Vec<_> = inputs.iter().filter(|input| input["state"] == "ok").map(|input| &input["name"]).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn each_kind_of_damage_of_an_indexed_profile_is_named() {
    let good = merged(&[]);
    let header = Header::parse(&good).unwrap();
    let (size, table) = (header.size(), header.hash_offset as usize);
    let changed = |at: usize, new: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        verdict("a.profdata", &bytes)
    };
    for (at, new, field) in [
        (0, &[0u8][..], "Magic"),
        (8, &[99], "Version"),
        (24, &[1], "HashType"),
        (32, &[0xff; 7], "HashOffset"),
        (size, &[0xff; 8], "NumSummaryFields"),
        (size + 16, &[9], "summary"),
        (size + 16 + 6 * 8 + 8, &[0xee; 4], "summary"),
        (table, &[3], "NumBuckets"),
        (table + 8, &[9], "NumEntries"),
    ] {
        let found = changed(at, new);
        assert_eq!(found["state"], "damaged");
        assert_eq!(fields(&found), [field], "{found:#}");
    }
    // A counter that has changed, and nothing else.
    let counter = good[..table].windows(8).rposition(|bytes| bytes == 290u64.to_le_bytes()).unwrap();
    let found = changed(counter, &[0x23]);
    assert_eq!(fields(&found), ["summary"]);
    assert_eq!(found["damage"][0]["expected"], "3 functions, 6 counters, counts of 901, the largest 600");
    // The name of a function.
    let name = good.windows(5).position(|bytes| bytes == b"never").unwrap();
    let found = changed(name, b"l");
    assert_eq!(found["lost"][0], "left out: its record is damaged", "{found:#}");
    // Two profiles in one file.
    let found = verdict("a.profdata", &[&good[..], &good].concat());
    assert_eq!(fields(&found), ["bytes after the profile"]);
    assert_eq!(found["damage"][0]["found"], "an indexed profile");
    let found = verdict("a.profdata", &[&good[..], &[0; 9]].concat());
    assert_eq!((&found["state"], &found["notes"][0]), (&"ok".into(), &"9 zero bytes after its end".into()));
    // The file got its length and no content; it got no length.
    assert_eq!(verdict("a.profdata", &[0; 500])["damage"][0]["found"], "500 zero bytes");
    assert_eq!(verdict("a.profdata", &[])["damage"][0]["found"], "an empty file");
}

#[test]
fn damaged_text() {
    let cut = TEXT.rfind("2\n0\n0\n").unwrap();
    let found = verdict("a.proftext", &TEXT.as_bytes()[..cut]);
    assert_eq!((&found["state"], &found["damage"][0]["offset"]), (&"damaged".into(), &cut.into()), "{found:#}");
    assert_eq!(found["functions"], 2);
    assert!(found["lost"][0].as_str().unwrap().ends_with(": left out: its record is damaged"), "{found:#}");
    let found = verdict("a.proftext", TEXT.replace("290", "2x0").as_bytes());
    assert_eq!(found["damage"][0]["found"], "\"2x0\" on line 21", "{found:#}");
    let found = verdict("a.proftext", TEXT.trim_end().as_bytes());
    assert!(found["state"] == "ok" && found["notes"][0].as_str().unwrap().contains("has no end"), "{found:#}");
    for page in ["<html>\n<body>404</body>\n", "just a log\nof something\n"] {
        let found = verdict("a.proftext", page.as_bytes());
        assert!(found["damage"][0]["cause"].as_str().unwrap().contains("error page"), "{found:#}");
        assert_eq!((&found["salvage"], &found["lost"]), (&Value::Array(Vec::new()), &Value::Array(Vec::new())));
    }
    assert_eq!(verdict("a.proftext", b":ir\n")["notes"][0], "it has no functions");
}

#[test]
fn damaged_partial_results() {
    let good = merged(&["--partial"]);
    for cut in [8, 12, 20, good.len() / 2, good.len() - 1] {
        assert_eq!(verdict("a.profpart", &good[..cut])["state"], "damaged", "cut to {cut}");
    }
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        assert_eq!(verdict("a.profpart", &bytes)["state"], "damaged", "byte {at}");
    }
    // A torn input of a partial result is no damage of the result.
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("torn.proftext"), format!("{TEXT}\ncut\n5\n")).unwrap();
    fs::write(dir.path().join("a.proftext"), TEXT).unwrap();
    run_in(dir.path(), &["merge", "torn.proftext", "a.proftext", "--partial", "-o", "out.profpart"]);
    let (status, text, _) = lines(dir.path(), &["out.profpart"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("  note:     1 of its 2 inputs were damaged when it was made\n"), "{text}");
}

#[test]
fn other_kinds_of_profiles_are_known() {
    let found = verdict("a.profdata", b"main:184019:0\n 4: 534\n");
    assert!(found["damage"][0]["remedy"].as_str().unwrap().contains("llvm-profdata"), "{found:#}");
    let found = verdict("a.profraw", b"\x7fELF\x02\x01\x01");
    assert_eq!(found["damage"][0]["found"], "an ELF file");
}

/// Raw version 7 has the layout of 8.
#[test]
fn raw_version_7_is_known() {
    let little = Encoding { word: WordSize::W64, endian: Endian::Little };
    let mut bytes = common::profile(RawVersion::V8, little);
    bytes.sections.data.bytes.clear();
    bytes.sections.counters.bytes.clear();
    bytes.sections.names.bytes.clear();
    bytes.values.clear();
    let mut bytes = bytes.write().unwrap();
    bytes[8] = 7;
    let found = verdict("a.profraw", &bytes);
    assert_eq!((&found["state"], &found["format"]), (&"ok".into(), &"raw version 7, IR".into()), "{found:#}");
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let night = dir.path().join("night");
    fs::create_dir(&night).unwrap();
    let good = merged(&[]);
    fs::write(night.join("a.profdata"), &good).unwrap();
    fs::write(night.join("b.profdata"), &good[..200]).unwrap();
    fs::write(night.join("c.proftext"), TEXT).unwrap();
    fs::write(night.join("readme.md"), "nothing").unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    for name in ["a.profdata", "b.profdata", "c.proftext", "readme.md"] {
        tar.append_path_with_name(night.join(name), name).unwrap();
    }
    let mut tar = tar.into_inner().unwrap();
    fs::write(dir.path().join("night.tar"), &tar).unwrap();
    tar.truncate(tar.len() / 2);
    fs::write(dir.path().join("torn.tar"), &tar).unwrap();
    dir
}

#[test]
fn directories_archives_and_the_exit_status() {
    let dir = directory();
    let (status, text, error) = lines(dir.path(), &["night"]);
    assert_eq!(status, 1);
    let heads = |text: &str| -> Vec<String> {
        let head = |line: &str| line.split(": ").take(2).collect::<Vec<_>>().join(": ");
        text.lines().filter(|line| !line.starts_with(' ') && !line.contains(" inputs: ")).map(head).collect()
    };
    assert_eq!(heads(&text), ["night/a.profdata: ok", "night/b.profdata: damaged", "night/c.proftext: ok"]);
    assert!(error.contains("not checked: 1 file in directories"), "{error}");
    let (status, text, _) = lines(dir.path(), &["night.tar"]);
    assert_eq!(status, 1);
    assert_eq!(heads(&text), ["night.tar:a.profdata: ok", "night.tar:b.profdata: damaged", "night.tar:c.proftext: ok"]);
    let (status, report, _) = json(dir.path(), &["night.tar", "night.tar"]);
    assert_eq!((status, &report["duplicates"][0]["same_as"]), (1, &"night.tar".into()));
    assert_eq!(report["ignored"], serde_json::json!(["night.tar:readme.md"]));
    assert_eq!(report["totals"], serde_json::json!({"inputs": 3, "ok": 2, "damaged": 1, "unreadable": 0}));
    let (status, text, _) = lines(dir.path(), &["torn.tar"]);
    assert_eq!(status, 1);
    assert!(text.contains("torn.tar") && text.contains("damaged"), "{text}");

    // What cannot be read counts more than damage, and stops nothing.
    let (status, text, error) = lines(dir.path(), &["absent.profdata", "night/a.profdata"]);
    assert_eq!((status, heads(&text)), (2, vec!["night/a.profdata: ok".to_owned()]));
    assert!(error.contains("absent.profdata cannot be read"), "{error}");
    let (status, report, _) = json(dir.path(), &["absent.profdata", "night"]);
    assert_eq!((status, &report["inputs"][0]["state"]), (2, &"unreadable".into()));
    assert_eq!(lines(dir.path(), &["night/a.profdata"]).0, 0);
    fs::create_dir(dir.path().join("empty")).unwrap();
    let (status, _, error) = lines(dir.path(), &["empty"]);
    assert_eq!(status, 2);
    assert!(error.contains("no profile is in empty"), "{error}");
}

#[test]
fn standard_input() {
    use std::io::Write as _;
    let dir = tempfile::tempdir().unwrap();
    for (bytes, status, words) in [
        (merged(&[]), 0, "-: ok: 3 functions"),
        (merged(&[])[..99].to_vec(), 1, "-: damaged"),
        (Vec::new(), 1, "an empty file"),
    ] {
        let mut command = profrt(dir.path());
        command.args(["check", "-"]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = common::end(child, "profrt check with standard input");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert!(text.contains(words), "{text}");
    }
    assert!(lines(dir.path(), &["--help"]).1.contains("profrt check night/ app.profdata"));
}

#[test]
fn a_function_without_a_name_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let encoding = Encoding { word: WordSize::W64, endian: Endian::Little };
    let mut profile = named(RawVersion::V10, encoding);
    let good = profile.write().unwrap();
    profile.sections.data.bytes[0] ^= 1;
    let bad = profile.write().unwrap();
    profile.sections.names.bytes.clear();
    let elsewhere = profile.write().unwrap();
    // The name of a function may be in another profile of the file.
    for (bytes, status) in [(&good, 0), (&bad, 1), (&elsewhere, 0)] {
        fs::write(dir.path().join("a.profraw"), bytes).unwrap();
        let (found, text, _) = lines(dir.path(), &["a.profraw"]);
        assert_eq!(found, status, "{text}");
    }
    fs::write(dir.path().join("a.profraw"), &bad).unwrap();
    let text = lines(dir.path(), &["a.profraw"]).1;
    assert!(text.contains("left out: no input has its name") && text.contains("salvage:  2 functions"), "{text}");
    let (_, error) = merge(dir.path(), &["a.profraw"]);
    assert!(error.replace(',', "").contains(" 5 "), "{error}");
}
