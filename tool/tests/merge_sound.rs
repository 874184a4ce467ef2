//! `profrt merge` of inputs that could count wrongly without a word: functions with two names, equal files with two weights, members with one
//! name, archives with any number of members.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::common;
use crate::common::profiles::*;
use crate::common::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

fn write_all(directory: &Path, files: &[(&str, String)]) {
    files.iter().for_each(|(name, content)| fs::write(directory.join(name), content).unwrap());
}

fn output(directory: &Path) -> Vec<u8> {
    fs::read(directory.join("out.profdata")).unwrap()
}

/// A function with these counters.
fn function(name: &str, counters: &[u64]) -> String {
    let lines: String = counters.iter().map(|count| format!("{count}\n")).collect();
    format!(":ir\n{name}\n7\n{}\n{lines}", counters.len())
}

#[test]
fn inputs_with_both_names_of_a_function_vote_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let old = ["o1.proftext", "o2.proftext", "o3.proftext"];
    old.iter().for_each(|name| write_all(dir.path(), &[(name, function("a.c:f", &[10, 2]))]));
    // Another size, under the other name, in one input.
    write_all(dir.path(), &[("n.proftext", function("a.c;f", &[1, 1, 1]))]);
    for (target, name) in [(&["--for", "clang-22"][..], "a.c;f"), (&["--for", "clang-16"], "a.c:f"), (&[], "a.c;f")] {
        let (report, error) = merge(dir.path(), &[&old[..], &["n.proftext"], target].concat());
        let found = counters(&dir.path().join("out.profdata"));
        assert_eq!(found, [(name.to_owned(), vec![30, 6])], "{target:?} {error}");
        assert_eq!((&report["totals"]["counts_lost"], &report["renamed"]), (&json!(3), &json!(1)), "{error}");
        let finding = &report["findings"][0];
        assert_eq!(
            (&finding["input"], &finding["kind"], &finding["function"]["name"]),
            (&json!("n.proftext"), &json!("counter-mismatch"), &json!(name))
        );
        let expected = output(dir.path());
        // Groups of any size, which have names as they are.
        for split in 1..4 {
            let all = [&old[..], &["n.proftext"]].concat();
            let (first, second) = all.split_at(split);
            for (group, inputs) in [("1.profpart", first), ("2.profpart", second)] {
                let arguments = [&["merge", "--partial", "-q", "-o", group], inputs].concat();
                run(profrt(dir.path()).args(arguments));
            }
            merge(dir.path(), &[&["2.profpart", "1.profpart"], target].concat());
            assert!(output(dir.path()) == expected, "{target:?} {split}");
        }
    }
    let partial = [&["merge", "--partial", "-q", "-o", "all.profpart"], &old[..], &["n.proftext"]].concat();
    run(profrt(dir.path()).args(partial));
    ended(profrt(dir.path()).args(["convert", "all.profpart", "--to", "clang-22", "-o", "c.profdata"]));
    assert_eq!(counters(&dir.path().join("c.profdata")), [("a.c;f".to_owned(), vec![30, 6])]);
}

/// Their version says that clang 16 made them, which looks for `:`, whichever names they have.
#[test]
fn without_a_compiler_names_are_those_of_the_inputs_version() {
    let dir = tempfile::tempdir().unwrap();
    for (input, name) in [("1", "a.c:f"), ("2", "a.c:f"), ("3", "a.c;f")] {
        let counters: &[u64] = if name == "a.c;f" { &[1, 1, 1] } else { &[10, 2] };
        write_all(dir.path(), &[("t.proftext", function(name, counters))]);
        let more = ["--for", "clang-16", "--keep-names", "-q", "-o", &format!("{input}.profdata")];
        run(profrt(dir.path()).args(["merge", "t.proftext"]).args(more));
    }
    for inputs in
        [&["1.profdata", "2.profdata", "3.profdata"][..], &["3.profdata", "2.profdata", "1.profdata", "-j", "3"]]
    {
        let (report, error) = merge(dir.path(), inputs);
        assert_eq!(counters(&dir.path().join("out.profdata")), [("a.c:f".to_owned(), vec![20, 4])], "{error}");
        assert_eq!(report["output"]["version"], 9, "{error}");
    }
}

#[test]
fn values_of_both_names_are_added_before_sites_are_cut() {
    let dir = tempfile::tempdir().unwrap();
    let with = |delimiter: char, own: std::ops::Range<u64>| {
        let mut text = format!(":ir\na.c{delimiter}f\n7\n1\n10\n1\n1\n1\n{}\n", own.clone().count() + 1);
        own.for_each(|value| writeln!(text, "{value}:100").unwrap());
        writeln!(text, "9999:99").unwrap();
        text
    };
    write_all(dir.path(), &[("v1.proftext", with(':', 0..255)), ("v2.proftext", with(';', 1000..1255))]);
    merge(dir.path(), &["v1.proftext", "v2.proftext", "--for", "clang-22"]);
    let out = load(&dir.path().join("out.profdata"));
    let values = out.records().next().unwrap().values.unwrap().kinds[1].values().to_vec();
    assert_eq!((values.len(), values[0].value, values[0].count), (255, 9999, 198));
}

#[test]
fn of_equal_inputs_the_first_counts() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 151)])), ("b.proftext", text(&[("main", 151)]))]);
    for more in [&[][..], &["-j", "3"], &["--normalize"]] {
        let arguments = ["b.proftext", "a.proftext", "--drop-equal", "--weight", "b*=100"];
        let (report, error) = merge(dir.path(), &[&arguments[..], more].concat());
        let duplicates = json!([{"input": "a.proftext", "same_as": "b.proftext"}]);
        assert_eq!((&report["duplicates"], &report["totals"]["inputs"]), (&duplicates, &json!(1)), "{error}");
        assert_eq!(counters(&dir.path().join("out.profdata"))[0].1, [15_100]);
    }
    let (report, _) = merge(dir.path(), &["a.proftext", "b.proftext", "--weight", "b*=100"]);
    assert_eq!(report["equal"], json!([{"input": "b.proftext", "same_as": "a.proftext"}]));
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// An archive of empty files.
fn many(number: usize, name: &str) -> Vec<u8> {
    let mut archive = GzEncoder::new(Vec::new(), Compression::best());
    let mut member = tar(&[(name, b"")]);
    member.truncate(512);
    (0..number).for_each(|_| archive.write_all(&member).unwrap());
    archive.write_all(&[0; 1024]).unwrap();
    archive.finish().unwrap()
}

#[test]
fn the_number_of_members_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("many.tar.gz"), many(80_000, "a.profraw")).unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 1)]))]);
    let (report, error) = merge(dir.path(), &["many.tar.gz", "a.proftext"]);
    let refused = input(&report, "many.tar.gz");
    assert_eq!((&refused["outcome"], &refused["error"]["class"]), (&json!("refused"), &json!("too-large")), "{error}");
    assert!(refused["error"]["remedy"].as_str().unwrap().starts_with("unpack the archive"));
    let inputs = report["totals"]["inputs"].as_u64().unwrap();
    assert!((60_000..75_000).contains(&inputs), "{inputs}");
}

#[test]
fn encrypted_members_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("a.proftext", zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(text(&[("main", 1)]).as_bytes()).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    // The flag of each header.
    let central = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
    bytes[6] |= 1;
    bytes[central + 8] |= 1;
    fs::write(dir.path().join("e.zip"), bytes).unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 1)]))]);
    let (report, _) = merge(dir.path(), &["e.zip", "a.proftext"]);
    let error = &input(&report, "e.zip:a.proftext")["error"];
    assert_eq!(error["cause"], "it is encrypted", "{error}");
    assert!(error["remedy"].as_str().unwrap().starts_with("unpack"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_given_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    run(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")));
    let arguments = ["merge", "pipe", "./pipe", "--json", "report.json", "-o", "out.profdata"];
    let child = profrt(dir.path()).args(arguments).spawn().unwrap();
    fs::write(dir.path().join("pipe"), text(&[("main", 5)])).unwrap();
    assert!(common::end(child, "a merge that waits for the pipe once more, which").status.success());
    let report: Value = serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["duplicates"], json!([{"input": "./pipe", "same_as": "pipe"}]));
}
