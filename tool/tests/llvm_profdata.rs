//! `profrt` called as `llvm-profdata`: the same command lines in equal directories for it and for LLVM 22's tool.

#[path = "llvm_profdata/inputs.rs"]
mod inputs;
#[path = "llvm_profdata/merge.rs"]
mod merge;
#[path = "llvm_profdata/order.rs"]
mod order;
#[path = "llvm_profdata/overlap.rs"]
mod overlap;
#[path = "llvm_profdata/show.rs"]
mod show;

use needs_macros::needs;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The name under which both are called: the tool prints it.
const NAME: &str = "llvm-profdata-22";

#[needs("clang-22")]
fn merge_does_the_same() {
    compare(merge::LINES, merge::RAW);
}

#[needs("clang-22")]
fn show_does_the_same() {
    let records = inputs::record_lines();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    compare(show::LINES, &[show::RAW, &records].concat());
}

#[needs("clang-22")]
fn overlap_does_the_same() {
    compare(overlap::LINES, overlap::RAW);
}

#[needs("clang-22")]
fn order_does_the_same() {
    compare(order::LINES, order::RAW);
}

#[test]
fn a_command_line_of_llvm_profdata_is_told_from_our_own() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.proftext"), ":ir\nmain\n1\n1\n5\n").unwrap();
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_profrt"));
        let output = command.args(line.split(' ')).current_dir(&directory).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for line in [
        "merge -sparse a.proftext -o out",
        "merge -output=out a.proftext",
        "show -all-functions a.proftext",
        "overlap a.proftext a.proftext",
    ] {
        let (code, error) = run(line);
        let command = line.split(' ').next().unwrap();
        assert!(code == Some(2) && error.contains(&format!("`profrt llvm-profdata {command} …`")), "{line}: {error}");
    }
    assert_eq!(run("merge -j2 a.proftext -oout").0, Some(0));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
}

/// What is different on purpose, and needs no other tool.
#[test]
fn the_differences_are_as_documented() {
    let directory = tempfile::tempdir().unwrap();
    let text = ":ir\nmain\n1\n1\n5\n";
    fs::write(directory.path().join("a.proftext"), text).unwrap();
    fs::write(directory.path().join("memprof.yaml"), "---\nHeapProfileRecords:\n").unwrap();
    fs::write(directory.path().join("memprof.profraw"), b"\x81rforpm\xff\x05\0\0\0\0\0\0\0").unwrap();
    let run = |line: &str, stdin: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_profrt"));
        command.arg("llvm-profdata").args(line.split(' ')).current_dir(&directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.code(), stdout, stderr)
    };
    // LLVM's tool takes standard input for an empty profile.
    let (status, from_stdin, _) = run("merge -text -", text);
    let (_, from_file, _) = run("merge -text a.proftext", "");
    assert_eq!((status, from_stdin), (Some(0), from_file));
    // Whatever else is not known, samples are not.
    let (status, _, error) = run("merge -sample -profile-isfs a.proftext", "");
    assert!(status == Some(1) && error.contains("sample profiles are not supported by this tool"), "{error}");
    // LLVM's tool cannot write to a pipe.
    let (status, stdout, _) = run("merge a.proftext", "");
    assert!(status == Some(0) && stdout.contains("lprofi"));
    for (line, words) in [
        ("merge -sample -o out a.proftext", "sample profiles are not supported"),
        ("merge -supplement-instr-with-sample=s -o out a.proftext", "-supplement-instr-with-sample is not supported"),
        ("merge -debuginfod -o out a.proftext", "-debuginfod is not supported"),
        ("merge -o out memprof.yaml", "MemProf profiles as YAML are not supported"),
        ("merge -o out -failure-mode=all memprof.profraw a.proftext", "raw MemProf profiles are not supported"),
        ("show -sample a.proftext", "sample and MemProf profiles are not supported"),
        ("show -memory a.proftext", "sample and MemProf profiles are not supported"),
        ("overlap -sample a.proftext a.proftext", "sample profiles are not supported"),
    ] {
        let (status, stdout, stderr) = run(line, "");
        assert!(
            status == Some(1) && stdout.is_empty() && stderr.contains(words),
            "{line}: {status:?} {stdout} {stderr}"
        );
        assert!(!directory.path().join("out").exists(), "{line}");
    }
    for line in ["--help", "--version", "merge --help", "show -h", "order -help-list", "overlap --version"] {
        let (status, stdout, stderr) = run(line, "");
        assert!(status == Some(0) && !stdout.is_empty() && stderr.is_empty(), "{line}: {status:?} {stderr}");
    }
}

/// LLVM's tool loses MemProf sections without a word.
#[needs("clang-22")]
fn a_lost_memprof_section_is_named() {
    let pair = Pair::new();
    let run = Run::of("merge -o out ir.proftext heapir.profdata", &pair.ours);
    assert_eq!(run.status, Some(0));
    assert_eq!(run.stderr, "warning: heapir.profdata: its MemProf section is lost, as with llvm-profdata\n");
}

/// A build with profiles, driven by make: train a program, merge, compile again. Both tools lead to the same program.
#[needs("clang-22", "make")]
fn a_makefile_builds_with_it() {
    const MAKEFILE: &str = "
PROFDATA = llvm-profdata
app: app.c app.profdata
\t$(CC) -O2 -fprofile-use=app.profdata -S -o $@ app.c
app.profdata: trained
\t$(PROFDATA) merge --sparse -o $@ raw/*.profraw
trained: app.c
\t$(CC) -O2 -fprofile-generate=raw -o trained app.c
\t./trained && ./trained 9
";
    let pair = Pair::new();
    let build = |(tool, directory): &(PathBuf, PathBuf)| {
        let directory = directory.join("build");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("Makefile"), MAKEFILE).unwrap();
        fs::copy(directory.join("../program.c"), directory.join("app.c")).unwrap();
        let mut make = Command::new("make");
        make.arg("CC=clang-22").arg(format!("PROFDATA={}", tool.display())).current_dir(&directory);
        let output = make.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(directory.join("app")).unwrap()
    };
    let (theirs, ours) = (build(&pair.theirs), build(&pair.ours));
    assert!(theirs == ours && !ours.is_empty());
}

/// cargo-llvm-cov finds the tool by an environment variable. Its report is the same as with LLVM's tool.
#[test]
#[ignore = "cargo xtask test --all runs it"]
fn cargo_llvm_cov_runs_with_it() {
    const SOURCE: &str = "pub fn sign(x: i32) -> i32 { if x > 0 { 1 } else if x < 0 { -1 } else { 0 } }
#[test]
fn signs() { assert_eq!((sign(3), sign(0)), (1, 0)); }
";
    let pair = Pair::new();
    let project = pair.ours.1.join("covered");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("Cargo.toml"), "[package]\nname = \"covered\"\nedition = \"2021\"\n[workspace]\n").unwrap();
    fs::write(project.join("src/lib.rs"), SOURCE).unwrap();
    let report = |tool: &Path| {
        let mut command = Command::new("cargo");
        command.args(["llvm-cov", "--text", "--offline"]).current_dir(&project);
        command.env("LLVM_PROFDATA", tool).env("LLVM_COV", "llvm-cov-22").env_remove("CARGO_TARGET_DIR");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = String::from_utf8(output.stdout).unwrap();
        let lines = report.lines().filter(|line| line.contains('|')).map(str::to_string);
        lines.collect::<Vec<_>>()
    };
    let (theirs, ours) = (report(&pair.theirs.0), report(&pair.ours.0));
    assert!(theirs == ours && ours.len() > 2, "{theirs:#?}\n{ours:#?}");
}

/// A failed command leaves an output of before as it was.
#[test]
fn an_output_is_replaced_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    fs::write(directory.path().join("a.proftext"), ":ir\nmain\n1\n1\n5\n").unwrap();
    fs::write(directory.path().join("bad.proftext"), ":ir\nmain\n1\n").unwrap();
    fs::write(&out, "before").unwrap();
    let merge = |input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_profrt"));
        command.args(["llvm-profdata", "merge", "-o", "out", input]).current_dir(&directory);
        command.output().unwrap().status.success()
    };
    assert!(!merge("bad.proftext"));
    assert_eq!(fs::read(&out).unwrap(), b"before");
    assert!(merge("a.proftext"));
    assert!(fs::read(&out).unwrap().starts_with(b"\xfflprofi\x81"));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 3);
}

/// Equal inputs for both tools.
struct Pair {
    // Removed in the end.
    _directory: TempDir,
    theirs: (PathBuf, PathBuf),
    ours: (PathBuf, PathBuf),
}

impl Pair {
    fn new() -> Pair {
        let tool = testkit::paths::find_program(NAME).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let [theirs, ours, names] = ["theirs", "ours", "names"].map(|name| directory.path().join(name));
        fs::create_dir_all(&theirs).unwrap();
        fs::create_dir_all(&names).unwrap();
        inputs::make(&theirs, &tool);
        copy(&theirs, &ours);
        let name = names.join(NAME);
        fs::hard_link(env!("CARGO_BIN_EXE_profrt"), &name)
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_profrt"), &name).map(|_| ()))
            .unwrap();
        Pair { _directory: directory, theirs: (tool, theirs), ours: (name, ours) }
    }
}

/// Runs command lines, and fails with all differences.
fn compare(lines: &[&str], raw: &[&str]) {
    let pair = Pair::new();
    let filter = std::env::var("PROFRT_LINE").unwrap_or_default();
    let mut differences = String::new();
    let (mut all, mut different) = (0, 0);
    for line in lines.iter().chain(raw).filter(|line| line.contains(&filter)) {
        let (theirs, ours) = (Run::of(line, &pair.theirs), Run::of(line, &pair.ours));
        all += 1;
        if let Some(difference) = theirs.difference(&ours) {
            different += 1;
            writeln!(differences, "--- {NAME} {line}\n{difference}").unwrap();
        }
    }
    println!("{all} command lines, {different} differ");
    assert!(differences.is_empty(), "{different} of {all} differ\n{differences}");
}

/// What one tool did.
struct Run {
    status: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
    output: Option<Vec<u8>>,
}

impl Run {
    /// Runs a command line. A run that never ends or that a signal ends is repeated: where two threads of LLVM's tool find an error, both
    /// call `exit`, which may wait for itself.
    fn of(line: &str, tool: &(PathBuf, PathBuf)) -> Run {
        // `timeout` kills itself too, or says that it has killed.
        let has_ended = |run: &Run| run.status.is_some_and(|status| status != 128 + 9);
        (0..4).map(|_| Run::once(line, tool)).find(has_ended).unwrap_or_else(|| Run::once(line, tool))
    }

    fn once(line: &str, (program, directory): &(PathBuf, PathBuf)) -> Run {
        let (line, stdin) = line.split_once(" < ").unwrap_or((line, ""));
        let arguments = line.split_whitespace().map(|word| if word == "''" { "" } else { word });
        let stdin = if stdin.is_empty() { Stdio::null() } else { File::open(directory.join(stdin)).unwrap().into() };
        // LLVM's tool needs a standard output that can seek.
        let stdout = directory.with_extension("stdout");
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "60"]).arg(program).args(arguments).current_dir(directory).stdin(stdin);
        let output = command.stdout(File::create(&stdout).unwrap()).stderr(Stdio::piped()).spawn().unwrap();
        let output = output.wait_with_output().unwrap();
        let path = directory.join("out");
        let run = Run {
            status: output.status.code(),
            stdout: fs::read(stdout).unwrap(),
            // LLVM's tool prints the path by which it was called.
            stderr: String::from_utf8_lossy(&output.stderr).replace(&*program.to_string_lossy(), NAME),
            output: fs::read(&path).ok(),
        };
        if run.output.is_some() {
            fs::remove_file(path).unwrap();
        }
        run
    }

    /// Returns what this tool, LLVM's, did and the other did not.
    fn difference(&self, ours: &Run) -> Option<String> {
        let mut text = String::new();
        if self.status != ours.status {
            writeln!(text, "exit status {:?}, ours {:?}", self.status, ours.status).unwrap();
        }
        if self.stdout != ours.stdout {
            writeln!(text, "stdout:\n{}", lines_of(&self.stdout, &ours.stdout)).unwrap();
        }
        // Of a failed command LLVM's tool may leave the output empty; ours leaves it as it was.
        let failed = self.status != Some(0) && ours.output.is_none();
        if self.output != ours.output && !failed {
            let [theirs, ours] = [self, ours].map(|run| run.output.clone().unwrap_or_else(|| b"(no file)".to_vec()));
            writeln!(text, "output:\n{}", lines_of(&theirs, &ours)).unwrap();
        }
        let words = self.stderr.lines().filter(|line| !line.contains("Did you mean"));
        let missing: Vec<_> = words.filter(|line| !ours.stderr.lines().any(|other| other.contains(line))).collect();
        if !missing.is_empty() {
            writeln!(text, "stderr lacks:\n{}\nit is:\n{}", missing.join("\n"), ours.stderr).unwrap();
        }
        if text.is_empty() { None } else { Some(text) }
    }
}

/// Returns the first lines in which two texts differ.
fn lines_of(theirs: &[u8], ours: &[u8]) -> String {
    let (theirs, ours): (Vec<_>, Vec<_>) =
        (theirs.split(|byte| *byte == b'\n').collect(), ours.split(|byte| *byte == b'\n').collect());
    let equal = theirs.iter().zip(&ours).take_while(|(a, b)| a == b).count();
    let shown = |lines: &[&[u8]]| {
        let lines =
            lines.iter().skip(equal).take(4).map(|line| format!("  {}", line[..line.len().min(200)].escape_ascii()));
        lines.collect::<Vec<_>>().join("\n")
    };
    format!("from line {}:\n{}\nours:\n{}", equal + 1, shown(&theirs), shown(&ours))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), &to).map(|_| ()).unwrap()
        }
    }
}
