//! `profrt merge` next to the installed `llvm-profdata`s: `--compat` gives their bytes, and each reads what `--for` writes for it.

use needs_macros::needs;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::profiles::*;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};

/// The tools, with their releases.
fn tools() -> [(u32, String); 4] {
    [14, 16, 19, 22].map(|release| (release, format!("llvm-profdata-{release}")))
}

/// A random text profile of what all releases know: several hashes for a name, values, and counters that do not match.
fn random(seed: u64, kind: &str) -> String {
    let mut numbers = fastrand::Rng::with_seed(seed);
    let mut text = String::from(kind);
    for function in 0..60 {
        let hashes = if numbers.u64(..5) == 0 { 1 + numbers.u64(..4) } else { u64::from(numbers.u64(..4) > 0) };
        for hash in 0..hashes {
            let counters = 1 + (function + u64::from(numbers.u64(..30) == 0)) % 4;
            write!(text, "name{function}\n{}\n{counters}\n", function * 1000 + hash).unwrap();
            for _ in 0..counters {
                let is_dead = numbers.u64(..3) == 0;
                writeln!(text, "{}", if is_dead { 0 } else { numbers.u64(..1 << 30) }).unwrap();
            }
            if numbers.u64(..3) == 0 {
                let values = numbers.u64(..6);
                write!(text, "1\n1\n1\n{values}\n").unwrap();
                (0..values).for_each(|value| writeln!(text, "{}:{}", value * 8, 1 + numbers.u64(..3)).unwrap());
            }
            text.push('\n');
        }
    }
    text
}

/// Runs both, and compares what they write, if LLVM's tool writes anything.
fn compare(dir: &Path, (release, tool): &(u32, String), theirs: &[String], ours: &[String]) -> bool {
    for name in ["theirs", "ours"] {
        let _ = fs::remove_file(dir.join(name));
    }
    let command = Command::new(tool)
        .current_dir(dir)
        .args(["merge", "-num-threads=1", "-o", "theirs"])
        .args(theirs)
        .output()
        .unwrap();
    let target = format!("clang-{release}");
    let mut arguments = vec!["merge", "--compat", "--for", &target, "-o", "ours"];
    arguments.extend(ours.iter().map(String::as_str));
    let output = run_in(dir, &arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(command.status.success(), output.status.code() != Some(2), "{theirs:?}: {command:?} {error}");
    let (theirs_bytes, ours_bytes) = (fs::read(dir.join("theirs")).ok(), fs::read(dir.join("ours")).ok());
    assert!(theirs_bytes == ours_bytes, "{tool} merge {}: {error}", theirs.join(" "));
    ours_bytes.is_some()
}

#[needs("clangs")]
fn compat_is_llvm_profdata_byte_for_byte() {
    let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for tool in tools() {
        let dir = tempfile::tempdir().unwrap();
        let mut equal = 0;
        for (seed, kind) in (0u64..).zip([":ir\n", ":fe\n", "", ":csir\n", ":ir\n", ":ir\n"]) {
            let names = ["a.proftext", "b.proftext", "c.proftext"];
            for (index, name) in (0..).zip(names) {
                fs::write(dir.path().join(name), random(seed * 10 + index, kind)).unwrap();
            }
            for (theirs, ours) in [
                (strings(&names), strings(&names)),
                (strings(&["-sparse", "c.proftext", "a.proftext"]), strings(&["--sparse", "c.proftext", "a.proftext"])),
                (strings(&["-text", "a.proftext", "b.proftext"]), strings(&["--text", "a.proftext", "b.proftext"])),
                // Equal inputs count each time.
                (strings(&["a.proftext", "b.proftext", "c.proftext", "c.proftext"]), Vec::new()),
                (
                    strings(&["-weighted-input=3,a.proftext", "b.proftext"]),
                    strings(&["b.proftext", "a.proftext", "--weight", "a.*=3"]),
                ),
            ] {
                // LLVM's tool takes weighted inputs after the others, and a file twice.
                let ours = if ours.is_empty() {
                    fs::copy(dir.path().join("c.proftext"), dir.path().join("d.proftext")).unwrap();
                    strings(&["a.proftext", "b.proftext", "c.proftext", "d.proftext"])
                } else {
                    ours
                };
                equal += usize::from(compare(dir.path(), &tool, &theirs, &ours));
            }
        }
        assert!(equal >= 25, "{} of 30 merges succeeded", equal);
    }
}

#[needs("clangs")]
fn compat_reads_and_fails_as_the_release_does() {
    let versions = [(14, RawVersion::V8), (16, RawVersion::V8), (19, RawVersion::V10), (22, RawVersion::V10)];
    let encoding = Encoding { word: WordSize::W64, endian: Endian::Little };
    for tool in tools() {
        let dir = tempfile::tempdir().unwrap();
        for version in [RawVersion::V8, RawVersion::V9, RawVersion::V10] {
            let is_own = versions.contains(&(tool.0, version));
            let bytes = named(version, encoding).write().unwrap();
            fs::write(dir.path().join("a.profraw"), &bytes).unwrap();
            fs::write(dir.path().join("cut.profraw"), &bytes[..bytes.len() / 2]).unwrap();
            let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            for (names, succeeds) in [(&["a.profraw"][..], is_own), (&["a.profraw", "cut.profraw"], false)] {
                let names = strings(names);
                assert_eq!(compare(dir.path(), &tool, &names, &names), succeeds, "{tool:?} {version:?} {names:?}");
            }
        }
    }
}

/// Each release reads what is written for it, and finds the same counts there; the older ones refuse what is written for the newest.
#[needs("clangs")]
fn each_release_reads_what_is_written_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let encoding = Encoding { word: WordSize::W64, endian: Endian::Little };
    for (name, version) in
        [("8", RawVersion::V8), ("9", RawVersion::V9), ("10", RawVersion::V10), ("11", RawVersion::V11)]
    {
        fs::write(dir.path().join(format!("{name}.profraw")), named(version, encoding).write().unwrap()).unwrap();
    }
    let targets = [
        (14, &["clang-14", "clang-13", "rustc-1.60", "indexed-7"][..]),
        (16, &["clang-16", "rustc-1.70", "indexed-9", "clang-14"]),
        (19, &["clang-19", "rustc-1.85", "indexed-12", "clang-16"]),
        (22, &["clang-22", "indexed-13", "clang-19", "clang-14"]),
    ];
    for (release, tool) in tools() {
        let own = targets.iter().find(|(number, _)| *number == release).map_or(&[][..], |(_, names)| *names);
        for target in own {
            let (report, error) =
                merge(dir.path(), &["8.profraw", "9.profraw", "10.profraw", "11.profraw", "--for", target]);
            assert_eq!(report["status"], 0, "{error}");
            let shown = Command::new(&tool)
                .current_dir(dir.path())
                .args(["show", "--all-functions", "--counts", "out.profdata"])
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&shown.stdout);
            assert!(
                shown.status.success(),
                "{tool} does not read {target}: {}",
                String::from_utf8_lossy(&shown.stderr)
            );
            assert!(text.contains("Total functions: 3"), "{text}");
            assert!(text.contains("  three:\n    Hash: 0x00000000000003ed\n    Counters: 4\n"), "{text}");
            assert!(text.contains(&format!("Block counts: [{}, 0, 4, 12]", 4u64 << 40)), "{text}");
        }
        if release < 22 {
            merge(dir.path(), &["8.profraw", "--for", "clang-23"]);
            let shown = Command::new(&tool).current_dir(dir.path()).args(["show", "out.profdata"]).output().unwrap();
            assert!(!shown.status.success());
        }
    }
}

/// A local function of a program that a newer clang has compiled gets its counts from an older one, and the other way round.
#[needs("clangs")]
fn another_clang_uses_the_counts_of_local_functions() {
    const SOURCE: &str = "static __attribute__((noinline)) int helper(int x) { return x * 2; }\n\
        int main(int argc, char **argv) { (void)argv; return helper(argc) > 100; }\n";
    for (newer, older) in [("clang-19", "clang-16"), ("clang-22", "clang-14"), ("clang-14", "clang-22")] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.c"), SOURCE).unwrap();
        let run = |command: &str, arguments: &[&str]| {
            let output = Command::new(command)
                .current_dir(dir.path())
                .env("LLVM_PROFILE_FILE", "a.profraw")
                .args(arguments)
                .output()
                .unwrap();
            assert!(output.status.success(), "{command} {arguments:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        run(newer, &["-O1", "-fprofile-generate", "a.c", "-o", "a"]);
        run(dir.path().join("a").to_str().unwrap(), &[]);
        let used = |more: &[&str]| {
            let (report, error) = merge(dir.path(), &[&["a.profraw", "--for", older], more].concat());
            assert_eq!(report["status"], 0, "{error}");
            let ir = run(older, &["-O1", "-fprofile-use=out.profdata", "-S", "-emit-llvm", "a.c", "-o", "-"]);
            let helper =
                ir.lines().find(|line| line.starts_with("define") && line.contains("@helper")).unwrap().to_owned();
            helper.contains("!prof")
        };
        assert!(used(&[]), "{newer} {older}");
        // An older compiler does not find the name of a newer one.
        assert_eq!(used(&["--keep-names"]), newer == "clang-14", "{newer} {older}");
    }
}

/// The program has the names that a torn profile lacks, and with correlation all records.
#[needs("clangs")]
fn the_program_has_what_the_profile_lacks() {
    const SOURCE: &str = "int helper(int x) { return x * 2; }\nint main(int argc, char **argv) { (void)argv; return helper(argc) > 100; }\n";
    for clang in ["clang-14", "clang-19", "clang-22"] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.c"), SOURCE).unwrap();
        let profile = |flags: &[&str]| {
            let built = Command::new(clang)
                .current_dir(dir.path())
                .args(["-O0", "-fprofile-generate", "-Wl,--build-id", "a.c", "-o", "a"])
                .args(flags)
                .status()
                .unwrap();
            assert!(built.success());
            let ran =
                Command::new(dir.path().join("a")).env("LLVM_PROFILE_FILE", dir.path().join("a.profraw")).status();
            assert!(ran.unwrap().success());
        };
        let names = |report: &serde_json::Value| {
            let names = counters(&dir.path().join("out.profdata")).into_iter().map(|(name, _)| name);
            (names.collect::<Vec<_>>(), report["totals"]["counts_lost"].as_u64().unwrap())
        };
        profile(&[]);
        let bytes = fs::read(dir.path().join("a.profraw")).unwrap();
        let file = profdata::read::raw::RawFile::parse(&bytes, 0).unwrap();
        let start = file.plan().chunk(profrt_format::layout::Part::Names).offset as usize;
        fs::write(dir.path().join("cut.profraw"), &bytes[..start + 4]).unwrap();
        let alone = run_in(dir.path(), &["merge", "cut.profraw", "--json", "alone.json", "-o", "out.profdata"]);
        assert!(alone.status.code() == Some(2) && !dir.path().join("out.profdata").exists(), "{clang}");
        assert!(String::from_utf8_lossy(&alone.stderr).contains("name the program with --object"));
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(dir.path().join("alone.json")).unwrap()).unwrap();
        assert_eq!((&report["totals"]["counts_lost"], &report["output"]), (&2.into(), &serde_json::Value::Null));
        for more in [&[][..], &["--normalize"]] {
            let (report, error) = merge(dir.path(), &[&["cut.profraw", "--object", "a"], more].concat());
            assert_eq!(names(&report), (vec!["helper".into(), "main".into()], 0), "{clang}: {error}");
            assert_eq!(report["status"], 1);
        }
        if clang == "clang-14" {
            continue;
        }
        for kind in ["binary", "debug-info"] {
            profile(&["-g", "-mllvm", &format!("-profile-correlate={kind}")]);
            let output = run_in(dir.path(), &["merge", "a.profraw", "-o", "out"]);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && error.contains("with --object"), "{error}");
            for more in [&[][..], &["--normalize"]] {
                let (report, error) = merge(dir.path(), &[&["a.profraw", "--object", "a"], more].concat());
                assert_eq!((&report["status"], names(&report).0.len()), (&0.into(), 2), "{clang} {kind}: {error}");
            }
        }
    }
}
