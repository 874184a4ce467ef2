//! What outputs and reports replace: never something whose contents would be gone.

use needs_macros::needs;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::profiles::*;
use crate::common::*;
use profrt_format::{Encoding, RawVersion};

fn status(output: &Output) -> (i32, String) {
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn run_line(directory: &Path, line: &str) -> (i32, String) {
    status(&run_in(directory, &line.split(' ').collect::<Vec<_>>()))
}

/// Returns a directory with a text profile, the directory `d` with files that are no profiles, and an archive.
fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("d")).unwrap();
    let raw = named(RawVersion::V10, Encoding::NATIVE).write().unwrap();
    fs::write(path("a.proftext"), text(&[("main", 5)])).unwrap();
    fs::write(path("torn.profraw"), &raw[..raw.len() - 20]).unwrap();
    fs::write(path("d/a.profraw"), &raw).unwrap();
    // The beginning of this one is damaged.
    fs::write(path("d/zeros.profraw"), [&[0; 4096][..], &raw].concat()).unwrap();
    fs::write(path("d/notes.txt"), "my notes\n").unwrap();
    fs::write(path("d/a.c"), "int main() {}\n").unwrap();
    fs::write(path("d/program"), b"\x7fELF\x02\x01\x01").unwrap();
    fs::write(path("d/default.profraw.corrupt-12"), &raw).unwrap();
    fs::copy(path("d/program"), path("program")).unwrap();
    run(Command::new("tar").current_dir(&dir).args(["-cf", "t.tar", "d/a.c", "a.proftext"]));
    dir
}

#[test]
fn nothing_is_replaced_but_results_and_reports() {
    let dir = place();
    let files = ["d/zeros.profraw", "d/notes.txt", "d/a.c", "d/program", "d/default.profraw.corrupt-12"];
    let mut lines: Vec<String> = Vec::new();
    for file in files {
        lines.push(format!("merge d -o {file}"));
        lines.push(format!("merge d -o out --json {file}"));
        lines.push(format!("merge a.proftext -o out --json {file}"));
        lines.push(format!("convert d --to text -o {file}"));
    }
    // What is not in the result: a program by mistake, an archive with other files, a torn input.
    lines.push("merge a.proftext program -o program".into());
    lines.push("merge t.tar -o t.tar".into());
    lines.push("merge a.proftext torn.profraw -o torn.profraw".into());
    let all = files.into_iter().chain(["program", "t.tar", "torn.profraw"]);
    let before: Vec<_> = all.map(|name| (name, fs::read(dir.path().join(name)).unwrap())).collect();
    for line in &lines {
        let (code, error) = run_line(dir.path(), line);
        assert!(code == 2 && error.contains("would replace"), "{line}: {code}: {error}");
        for (name, before) in &before {
            assert_eq!(&fs::read(dir.path().join(name)).unwrap(), before, "{line}: {name}");
        }
        assert!(!dir.path().join("out").exists(), "{line}");
    }
}

#[test]
fn an_input_is_replaced_by_a_result_that_contains_it() {
    let dir = place();
    assert_eq!(run_line(dir.path(), "merge a.proftext -o sum.profdata").0, 0);
    for round in 1..=3 {
        for more in ["", " --for clang-16", " -j 2"] {
            let (code, error) = run_line(dir.path(), &format!("merge a.proftext sum.profdata -o sum.profdata{more}"));
            assert_eq!(code, 0, "{round}: {error}");
        }
        assert_eq!(counters(&dir.path().join("sum.profdata"))[0].1, [5 + 15 * round]);
    }
    // A torn file beside it is in the account, and does not hinder.
    let (code, error) = run_line(dir.path(), "merge sum.profdata torn.profraw -o sum.profdata");
    assert_eq!(code, 1, "{error}");
    // Nor does a file of a merge, or a report, that stands there already.
    fs::remove_file(dir.path().join("d/zeros.profraw")).unwrap();
    for name in ["d/out.profdata", "d/out.proftext --text", "d/out.profpart --partial"] {
        for _ in 0..2 {
            let (code, error) = run_line(dir.path(), &format!("merge d/a.profraw d -o {name} --json d/report.json"));
            assert_eq!(code, 0, "{name}: {error}");
        }
    }
}

#[test]
fn pipes_are_written() {
    let dir = place();
    run(Command::new("mkfifo").current_dir(&dir).arg("pipe"));
    assert!(run_in(dir.path(), &["merge", "a.proftext", "-o", "out"]).status.success());
    let expected = fs::read(dir.path().join("out")).unwrap();
    for (line, name) in [
        ("cat pipe > got & timeout 20 \"$0\" merge a.proftext -o pipe && wait", "got"),
        ("timeout 20 \"$0\" merge a.proftext -o /dev/stdout | cat > got", "got"),
        ("cat pipe > report & timeout 20 \"$0\" merge a.proftext -o got --json pipe && wait", "got"),
    ] {
        let _ = fs::remove_file(dir.path().join("got"));
        let mut shell = Command::new("sh");
        run(shell.current_dir(&dir).args(["-c", line, env!("CARGO_BIN_EXE_profrt")]).stdin(Stdio::null()));
        assert!(fs::read(dir.path().join(name)).unwrap() == expected, "{line}");
    }
    assert!(fs::read(dir.path().join("report")).unwrap().starts_with(b"{"));
}

/// A shell has opened a file, to which others write too.
#[test]
fn what_others_write_to_an_open_file_stays() {
    let dir = place();
    for to in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
        symlink("/dev/stdout", dir.path().join("link")).unwrap();
        for command in [
            "merge a.proftext --text -o",
            "convert a.proftext --to text -o",
            "llvm-profdata merge a.proftext --text -o",
        ] {
            fs::write(dir.path().join("log"), "before\n").unwrap();
            let line = format!("{{ echo one; \"$0\" {command} {to}; echo two; }} >> log");
            run(Command::new("sh").current_dir(&dir).args(["-c", &line, env!("CARGO_BIN_EXE_profrt")]));
            let log = fs::read_to_string(dir.path().join("log")).unwrap();
            assert!(log.starts_with("before\none\n") && log.ends_with("two\n"), "{line}: {log}");
            assert!(log.contains("main\n"), "{line}: {log}");
        }
        fs::remove_file(dir.path().join("link")).unwrap();
    }
}

/// The kernel does not follow such links when a program opens them.
#[needs("root")]
fn links_of_strangers_in_shared_directories_are_not_followed() {
    let dir = place();
    let shared = dir.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(dir.path().join("precious"), "precious").unwrap();
    for (name, to) in [("x", "../precious"), ("new", "../made"), ("y", "../precious"), (".y.lock", "../made")] {
        symlink(to, shared.join(name)).unwrap();
        std::os::unix::fs::lchown(shared.join(name), Some(65534), Some(65534)).unwrap();
    }
    fs::create_dir(dir.path().join("in")).unwrap();
    for line in [
        "merge a.proftext -o shared/x",
        "merge a.proftext -o shared/new",
        "merge a.proftext -o out --json shared/new",
        "convert a.proftext --to text -o shared/x",
        "llvm-profdata merge a.proftext -o shared/x",
        "watch in -o shared/x --once",
        "watch in -o out --once --json shared/new",
    ] {
        let (code, error) = run_line(dir.path(), line);
        assert!(code > 0 && error.contains("link of another user"), "{line}: {code}: {error}");
        assert_eq!(fs::read(dir.path().join("precious")).unwrap(), b"precious", "{line}");
        assert!(!dir.path().join("made").exists() && !dir.path().join("out").exists(), "{line}");
    }
    fs::remove_file(shared.join("y")).unwrap();
    assert_eq!(run_line(dir.path(), "watch in -o shared/y --once").0, 2);
    assert!(!dir.path().join("made").exists());
    // The owner of the directory may make links for all.
    std::os::unix::fs::lchown(shared.join("x"), Some(0), Some(0)).unwrap();
    assert_eq!(run_line(dir.path(), "merge a.proftext -o shared/x").0, 0);
}

/// The output cannot get its name: another user's file has it, in a directory with the sticky bit.
#[needs("root")]
fn a_report_does_not_promise_what_is_not_there() {
    let dir = place();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(dir.path().join("out"), "root's").unwrap();
    let mut user = Command::new("setpriv");
    user.args(["--reuid=65534", "--clear-groups", env!("CARGO_BIN_EXE_profrt")]).current_dir(&dir);
    user.args(["merge", "a.proftext", "-o", "out", "--json", "report"]);
    let (code, error) = status(&user.output().unwrap());
    assert_eq!(code, 2, "{error}");
    let report: serde_json::Value = serde_json::from_slice(&fs::read(dir.path().join("report")).unwrap()).unwrap();
    assert_eq!((&report["status"], &report["output"]), (&2.into(), &serde_json::Value::Null));
    assert_eq!(fs::read(dir.path().join("out")).unwrap(), b"root's");
}
