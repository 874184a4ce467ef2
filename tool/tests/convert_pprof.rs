//! `profrt convert --to pprof`: a naive reader sees what `profrt show` and `profrt cov` say, and Go's `pprof` opens it.

use crate::common;
use needs_macros::needs;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use serde_json::Value;

/// Returns the fields of a protobuf message: numbers, and bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let length = bytes.iter().position(|byte| *byte < 128).unwrap() + 1;
        let (own, rest) = bytes.split_at(length);
        *bytes = rest;
        own.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 127))
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let number = varint(&mut bytes);
        let (own, rest) = bytes.split_at(if key & 7 == 2 { number as usize } else { 0 });
        fields.push((key >> 3, number, own));
        bytes = rest;
    }
    fields
}

/// A function, its path, and a line.
type Frame = (String, String, u64);

/// Returns the samples of a profile of `pprof`: the names of functions, the innermost first, each with path and line; and the values.
fn samples(path: &Path) -> Vec<(Vec<Frame>, Vec<u64>)> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    let all = fields(&bytes);
    let of = |field: u64| all.iter().filter(move |found| found.0 == field).map(|found| found.2);
    let texts: Vec<&str> = of(6).map(|text| str::from_utf8(text).unwrap()).collect();
    let first =
        |message: &[u8], field: u64| fields(message).iter().find(|found| found.0 == field).map_or(0, |found| found.1);
    let text = |message: &[u8], field: u64| texts[first(message, field) as usize].to_owned();
    let functions: HashMap<u64, &[u8]> = of(5).map(|function| (first(function, 1), function)).collect();
    let locations: HashMap<u64, &[u8]> = of(4).map(|location| (first(location, 1), location)).collect();
    assert_eq!(
        (of(1).map(|kind| text(kind, 1)).collect::<Vec<_>>(), texts[0]),
        (["entries", "counts", "lines"].map(String::from).to_vec(), "")
    );
    let sample = |sample| {
        let lines = fields(locations[&first(sample, 1)]).into_iter().filter(|found| found.0 == 4).map(|found| {
            let function = functions[&first(found.2, 1)];
            (text(function, 2), text(function, 4), first(found.2, 2))
        });
        (lines.collect(), fields(sample).iter().filter(|found| found.0 == 2).map(|found| found.1).collect())
    };
    of(2).map(sample).collect()
}

const INLINED: &str = "\
static int work(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += i % 3 ? i : -i;
  return s;
}
static int middle(int n) {
  int s = 1;
  for (int i = 0; i < n; i++)
    s ^= work(i);
  return s;
}
int main(int argc, char **argv) {
  return middle(argc * 100) == 42;
}
";

/// Makes `app.pb.gz` of a program whose functions are inlined.
fn convert(dir: &Path) {
    let clang = common::newest();
    fs::write(dir.join("a.c"), INLINED).unwrap();
    let flags = ["-O2", "-g", "-fprofile-instr-generate", "-fcoverage-mapping", "a.c", "-o", "app"];
    common::run(Command::new(&clang.clang).current_dir(dir).args(flags));
    common::run(Command::new(dir.join("app")).env("LLVM_PROFILE_FILE", dir.join("app.profraw")));
    let arguments = ["convert", "app.profraw", "--to", "pprof", "--object", "app", "-o", "app.pb.gz"];
    common::run(common::profrt(dir).args(arguments));
}

#[needs("clang")]
fn pprof_has_functions_inlined_frames_and_lines() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    convert(dir);
    let all = samples(&dir.join("app.pb.gz"));
    let source = dir.canonicalize().unwrap().join("a.c").to_str().unwrap().to_owned();
    let (lines, functions): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, values)| values[1] == 0);
    let frame = |name: &str, line: u64| (name.to_owned(), source.clone(), line);

    let show = common::run(common::profrt(dir).args(["show", "app.profraw", "--all", "--json"]));
    let show: Value = serde_json::from_slice(&show).unwrap();
    let theirs = show["functions"].as_array().unwrap().iter().map(|function| {
        let symbol = function["symbol"].as_str().unwrap();
        (symbol.rsplit(':').next().unwrap().to_owned(), function["counts"].as_u64().unwrap())
    });
    let mine = functions.iter().map(|(frames, values)| (frames[0].0.clone(), values[1]));
    assert_eq!(mine.collect::<BTreeMap<_, _>>(), theirs.collect());
    let frames: BTreeMap<&str, (&[_], u64)> =
        functions.iter().map(|(frames, values)| (&*frames[0].0, (&frames[..], values[0]))).collect();
    let (main, middle, work) = (frame("main", 13), frame("middle", 7), frame("work", 1));
    let (in_main, in_middle) = (frame("main", 14), frame("middle", 10));
    assert_eq!(frames["main"], (&[main][..], 1));
    assert_eq!(frames["middle"], (&[middle, in_main.clone()][..], 1));
    assert_eq!(frames["work"], (&[work, in_middle, in_main][..], 100));

    let cov = common::run(common::profrt(dir).args(["cov", "app.profraw", "--object", "app", "--json", "-"]));
    let cov: Value = serde_json::from_slice(&cov).unwrap();
    let ran = cov["files"][0]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| [0, 1].map(|at: usize| line[at].as_u64().unwrap()));
    let mut mine: Vec<[u64; 2]> = lines.iter().map(|(frames, values)| [frames[0].2, values[2]]).collect();
    mine.sort();
    assert_eq!(mine, ran.filter(|[_, count]| *count > 0).collect::<Vec<_>>());
}

/// Go's own tool shows the same numbers.
#[test]
#[ignore = "cargo xtask test --all runs it"]
fn go_opens_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    convert(dir);
    let top = Command::new("go")
        .current_dir(dir)
        .env("HOME", dir)
        .args(["tool", "pprof", "-top", "-sample_index=entries", "app.pb.gz"])
        .output()
        .unwrap();
    let top = String::from_utf8(top.stdout).unwrap();
    for (name, flat, cum) in [("work", 100, 100), ("middle", 1, 101), ("main", 1, 102)] {
        let row = top.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{top}"));
        let numbers: Vec<&str> = row.split_whitespace().collect();
        assert_eq!((numbers[0], numbers[3]), (&*flat.to_string(), &*cum.to_string()), "{top}");
    }
}

#[test]
fn pprof_without_a_program_has_names() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("a.proftext"),
        ":ir\nsrc/a.c;_ZL3fooi\n7\n2\n3\n4\n\nidle\n7\n1\n0\n\nlarge\n7\n2\n18446744073709551600\n9\n",
    )
    .unwrap();
    common::run(common::profrt(dir).args(["convert", "a.proftext", "--to", "pprof", "-o", "a.pb.gz"]));
    let found = samples(&dir.join("a.pb.gz"));
    let frame = |name: &str, path: &str| vec![(name.to_owned(), path.to_owned(), 0)];
    let most = i64::MAX as u64;
    assert_eq!(found, [(frame("large", ""), vec![most, most, 0]), (frame("foo(int)", "src/a.c"), vec![3, 7, 0])]);
    let output = common::profiles::run_in(dir, &["convert", "a.proftext", "--to", "pprof", "--keep-names", "-o", "x"]);
    assert_eq!(output.status.code(), Some(2));
}
