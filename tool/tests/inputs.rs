//! Inputs of `profrt merge`: directories, lists, archives, standard input, duplicates.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::common;
use crate::common::profiles::*;
use crate::common::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// A night of three workloads.
fn night(directory: &Path) {
    fs::create_dir_all(directory.join("night/db")).unwrap();
    fs::write(directory.join("night/web-1.proftext"), text(&[("main", 1), ("serve", 100)])).unwrap();
    fs::write(directory.join("night/web-2.proftext"), text(&[("main", 2), ("serve", 50)])).unwrap();
    fs::write(directory.join("night/db/1.proftext"), text(&[("main", 4), ("query", 7)])).unwrap();
    fs::write(directory.join("night/readme.txt"), "no profile").unwrap();
}

const NIGHT: [(&str, u64); 3] = [("main", 7), ("query", 7), ("serve", 150)];

fn sums(directory: &Path) -> Vec<(String, u64)> {
    counters(&directory.join("out.profdata")).into_iter().map(|(name, counters)| (name, counters[0])).collect()
}

fn expected(sums: &[(&str, u64)]) -> Vec<(String, u64)> {
    sums.iter().map(|(name, sum)| ((*name).to_owned(), *sum)).collect()
}

fn names(report: &Value) -> Vec<&str> {
    report["inputs"].as_array().unwrap().iter().map(|input| input["name"].as_str().unwrap()).collect()
}

fn tar(directory: &Path) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_dir_all("night", directory.join("night")).unwrap();
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn zip(directory: &Path) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["night/web-1.proftext", "night/web-2.proftext", "night/db/1.proftext", "night/readme.txt"] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&fs::read(directory.join(name)).unwrap()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn directories_are_walked_in_a_stable_order() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    // A profile by its first bytes, and an empty one by its name.
    fs::write(dir.path().join("night/unnamed"), b"\x81rforpl\xff").unwrap();
    fs::write(dir.path().join("night/zero.profraw"), b"").unwrap();
    let (report, _) = merge(dir.path(), &["night"]);
    let order =
        ["night/db/1.proftext", "night/unnamed", "night/web-1.proftext", "night/web-2.proftext", "night/zero.profraw"];
    assert_eq!(names(&report), order);
    assert_eq!(report["ignored"], serde_json::json!(["night/readme.txt"]));
    assert_eq!(report["totals"]["empty"], 1);
    assert_eq!(report["totals"]["refused"], 1);
    assert_eq!(sums(dir.path()), expected(&NIGHT));
}

#[test]
fn every_archive_is_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    let (report, _) = merge(dir.path(), &["night"]);
    assert_eq!(report["status"], 0);
    let whole = fs::read(dir.path().join("out.profdata")).unwrap();
    let tar = tar(dir.path());
    let zip = zip(dir.path());
    // Two frames, as parallel compressors write them, and one that decoders skip.
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    let frames = [zstd(&tar[..700]), skipped, zstd(&tar[700..])].concat();
    let archives = [
        ("a.tar", tar.clone()),
        ("a.tar.gz", gzip(&tar)),
        ("a.tar.zst", zstd(&tar)),
        ("frames.tar.zst", frames),
        ("a.zip", zip.clone()),
        ("a.zip.gz", gzip(&zip)),
        ("not-named-so", gzip(&tar)),
    ];
    for (name, bytes) in &archives {
        fs::write(dir.path().join(name), bytes).unwrap();
        let (report, error) = merge(dir.path(), &[name]);
        assert_eq!(report["status"], 0, "{name}: {error}");
        assert_eq!(report["totals"]["inputs"], 3, "{name}");
        assert!(names(&report).contains(&format!("{name}:night/db/1.proftext").as_str()), "{name}: {report:#}");
        assert_eq!(report["totals"]["ignored"], 1, "{name}");
        assert!(fs::read(dir.path().join("out.profdata")).unwrap() == whole, "{name}");
    }
    // One compressed file.
    fs::write(dir.path().join("one.proftext.zst"), zstd(&fs::read(dir.path().join("night/web-1.proftext")).unwrap()))
        .unwrap();
    let (report, _) = merge(dir.path(), &["one.proftext.zst"]);
    assert_eq!((names(&report), &report["status"]), (vec!["one.proftext.zst"], &Value::from(0)));
}

#[test]
fn standard_input_may_be_a_profile_an_archive_or_a_list() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    let merged = |arguments: &[&str], stdin: &[u8]| {
        let mut command = profrt(dir.path());
        command.args(["merge", "-o", "out.profdata", "--quiet"]).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        let output = common::end(child, "profrt merge with standard input");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        sums(dir.path())
    };
    assert_eq!(merged(&["-"], text(&[("main", 3)]).as_bytes()), expected(&[("main", 3)]));
    assert_eq!(merged(&["-"], &gzip(&tar(dir.path()))), expected(&NIGHT));
    assert_eq!(merged(&["-"], &zip(dir.path())), expected(&NIGHT));
    let list = "# three\nnight/web-1.proftext\n\nnight/web-2.proftext\r\nnight/db\n";
    assert_eq!(merged(&["-f", "-"], list.as_bytes()), expected(&NIGHT));
    fs::write(dir.path().join("list"), "night/web-1.proftext\0night/web-2.proftext\0night/db\0").unwrap();
    assert_eq!(merged(&["-f", "list"], b""), expected(&NIGHT));
    let output = run_in(dir.path(), &["merge", "-f", "-", "-", "-o", "out.profdata"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A second merge of a directory does not add the result of the first, nor what a killed one or a killed program has left, nor what
/// was put aside.
#[test]
fn a_directory_merges_to_the_same_again() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    let whole = |name: &str| fs::read(dir.path().join(name)).unwrap();
    for round in 0..3 {
        let output = run_in(dir.path(), &["merge", "night", "-o", "night/all.profdata"]);
        assert_eq!(output.status.code(), Some(0), "{round}: {output:?}");
        let sums: Vec<u64> = counters(&dir.path().join("night/all.profdata")).iter().map(|(_, sum)| sum[0]).collect();
        assert_eq!(sums, NIGHT.map(|(_, sum)| sum), "{round}");
        fs::write(dir.path().join("night/.profrt-aB3dE6.tmp"), whole("night/all.profdata")).unwrap();
        for name in ["web.profraw.corrupt-123", ".web.profraw.profrt", ".web.profraw.profrt-123"] {
            fs::write(dir.path().join("night").join(name), whole("night/all.profdata")).unwrap();
        }
    }
    // Where it is named it counts: sums grow.
    let grow = ["merge", "night/all.profdata", "night/web-1.proftext", "-o", "night/all.profdata", "-q"];
    assert_eq!(run_in(dir.path(), &grow).status.code(), Some(0));
    assert_eq!(counters(&dir.path().join("night/all.profdata"))[0], ("main".to_owned(), vec![8]));
}

#[cfg(unix)]
#[test]
fn one_file_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    fs::hard_link(dir.path().join("night/web-1.proftext"), dir.path().join("hard.proftext")).unwrap();
    std::os::unix::fs::symlink("web-2.proftext", dir.path().join("night/link.proftext")).unwrap();
    std::os::unix::fs::symlink("..", dir.path().join("night/loop")).unwrap();
    fs::copy(dir.path().join("night/db/1.proftext"), dir.path().join("copy.proftext")).unwrap();
    let arguments = ["hard.proftext", "night", "night/web-1.proftext", "copy.proftext"];
    for threads in ["1", "2", "7"] {
        let (report, error) = merge(dir.path(), &[&arguments[..], &["-j", threads]].concat());
        assert_eq!(report["status"], 0, "{error}");
        let duplicates = serde_json::json!([
            {"input": "night/web-1.proftext", "same_as": "hard.proftext"},
            {"input": "night/web-2.proftext", "same_as": "night/link.proftext"},
            {"input": "night/web-1.proftext", "same_as": "hard.proftext"},
        ]);
        let equal = serde_json::json!([{"input": "copy.proftext", "same_as": "night/db/1.proftext"}]);
        assert_eq!((&report["duplicates"], &report["equal"]), (&duplicates, &equal));
        let totals = &report["totals"];
        assert_eq!((&totals["inputs"], &totals["duplicates"], &totals["equal"]), (&4.into(), &3.into(), &1.into()));
        // Equal bytes may be those of two runs.
        assert_eq!(sums(dir.path()), expected(&[("main", 11), ("query", 14), ("serve", 150)]));
        assert!(error.contains("note: copy.proftext: the same bytes as night/db/1.proftext"), "{error}");
        assert!(error.contains("--drop-equal"), "{error}");

        let (report, error) = merge(dir.path(), &[&arguments[..], &["-j", threads, "--drop-equal"]].concat());
        let totals = &report["totals"];
        assert_eq!((&totals["inputs"], &totals["duplicates"], &totals["equal"]), (&3.into(), &4.into(), &0.into()));
        assert_eq!(sums(dir.path()), expected(&NIGHT));
        assert!(error.contains("copy.proftext: left out: the same as night/db/1.proftext"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    let (report, error) = merge(dir.path(), &["night", "absent.profraw"]);
    assert_eq!((&report["status"], &input(&report, "absent.profraw")["outcome"]), (&1.into(), &"refused".into()));
    assert!(error.contains("absent.profraw: refused: file: cannot be read or written"), "{error}");
    let output = run_in(dir.path(), &["merge", "-f", "absent", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    fs::create_dir(dir.path().join("nothing")).unwrap();
    let output = run_in(dir.path(), &["merge", "nothing", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!dir.path().join("out").exists());
}

/// A torn upload: the members before the cut count, the one that is cut is salvaged, and the archive is an input that is refused.
#[test]
fn of_a_torn_archive_all_before_the_cut_counts() {
    let dir = tempfile::tempdir().unwrap();
    night(dir.path());
    let tar = tar(dir.path());
    let place = |text: &str| tar.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    // In the counters of the member that comes last.
    let last =
        ["night/web-1.proftext", "night/web-2.proftext", "night/db/1.proftext"].map(place).into_iter().max().unwrap();
    let cut = &tar[..last + 512 + ":ir\nmain\n7\n1\n1\nq".len()];
    for (name, bytes) in [("cut.tar", cut.to_vec()), ("cut.tar.gz", gzip(cut))] {
        fs::write(dir.path().join(name), bytes).unwrap();
        let (report, error) = merge(dir.path(), &[name]);
        assert_eq!(report["status"], 1, "{error}");
        let totals = &report["totals"];
        assert_eq!((&totals["whole"], &totals["salvaged"], &totals["refused"]), (&2.into(), &1.into(), &1.into()));
        assert_eq!(input(&report, name)["error"]["class"], "truncated", "{report:#}");
        assert!(error.contains("cause:"), "{error}");
    }
}

/// Three runs of a program that is always at the same addresses: `show` and `--compat` count them as a merge does.
#[test]
fn runs_that_counted_the_same_are_several_runs() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["1.proftext", "2.proftext", "3.proftext"] {
        fs::write(dir.path().join(name), text(&[("main", 5)])).unwrap();
    }
    let arguments = ["1.proftext", "2.proftext", "3.proftext"];
    for options in [&[][..], &["--compat", "--for", "llvm-19"]] {
        let (report, error) = merge(dir.path(), &[&arguments[..], options].concat());
        assert_eq!((&report["status"], &report["totals"]["inputs"]), (&0.into(), &3.into()), "{error}");
        assert_eq!(sums(dir.path()), expected(&[("main", 15)]));
    }
    let output = run_in(dir.path(), &[&["show", "--json"][..], &arguments].concat());
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["summary"]["counts"], 15, "{shown:#}");
}
