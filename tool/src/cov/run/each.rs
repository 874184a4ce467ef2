//! The tests of a command: their names, and the command that runs one of them alone. Of ctest, cargo, nextest, pytest and GoogleTest.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::inputs::display;

/// What runs tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Runner {
    Ctest,
    Cargo,
    Nextest,
    Pytest,
    GoogleTest,
}

/// A test's name, and what has it: of cargo a package and the path of its binary, of nextest a binary's id.
type Test = (String, String);

/// What starts the binaries of cargo: it prints which one before its tests, and starts no other than `$0`.
const LIST: &str = r#"echo "profrt: $CARGO_PKG_NAME $1"; exec "$@""#;
const ONE: &str = r#"[ "$0" != "$1" ] || exec "$@""#;

/// The option of [`PLUGIN`].
pub(super) const OF_PLUGIN: &str = "--profrt-test";

/// A plugin of pytest that keeps one test: paths before a test's name would choose more.
pub(super) const PLUGIN: &str = r#"def pytest_addoption(parser):
    parser.addoption("--profrt-test")

def pytest_collection_modifyitems(config, items):
    items[:] = [item for item in items if item.nodeid == config.getoption("--profrt-test")]
"#;

impl Runner {
    fn of(command: &[OsString]) -> Runner {
        let words: Vec<_> = command.iter().filter_map(|word| word.to_str()).collect();
        match (words.first().and_then(|program| Path::new(program).file_name()?.to_str()), words.get(1..3)) {
            (Some("ctest"), _) => Runner::Ctest,
            (Some("cargo"), Some(["nextest", _])) => Runner::Nextest,
            (Some("cargo"), _) => Runner::Cargo,
            (Some("pytest"), _) | (_, Some(["-m", "pytest"])) => Runner::Pytest,
            _ => Runner::GoogleTest,
        }
    }

    /// Returns the command that lists the tests.
    fn list(self, command: &[OsString]) -> Vec<OsString> {
        match self {
            Runner::Ctest => with(command, &[], &["--show-only=json-v1"]),
            Runner::Cargo => with(command, &["--config", &started(LIST, ""), "--"], &["--list", "--format=terse"]),
            Runner::Nextest => {
                let mut list = with(command, &["--message-format=oneline", "--"], &[]);
                list.get_mut(2).into_iter().for_each(|run| *run = "list".into());
                list
            }
            Runner::Pytest => with(command, &[], &["--collect-only", "-q"]),
            Runner::GoogleTest => with(command, &[], &["--gtest_list_tests"]),
        }
    }

    /// Returns the command that runs one test.
    fn one(self, command: &[OsString], (test, of): &Test) -> Vec<OsString> {
        let path = of.split_once(' ').map_or("", |(_, path)| path);
        match self {
            Runner::Ctest => with(command, &[], &["-R", &format!("^{}$", regex::escape(test))]),
            Runner::Cargo => with(command, &["--config", &started(ONE, path), "--"], &["--exact", test]),
            Runner::Nextest => with(command, &["-E", &format!("binary_id(={of}) & test(={test})"), "--"], &[]),
            Runner::Pytest => with(command, &[], &["-p", "profrt_test", OF_PLUGIN, test]),
            Runner::GoogleTest => with(command, &[], &[&format!("--gtest_filter={test}")]),
        }
    }

    /// Returns the tests in a list. Errors: it is none.
    fn tests(self, list: &str) -> Result<Vec<Test>> {
        let (mut of, mut tests) = ("", Vec::new());
        if self == Runner::Ctest {
            let list: Value = serde_json::from_str(list)?;
            let all = list.get("tests").and_then(Value::as_array).into_iter().flatten();
            tests.extend(all.filter_map(|test| Some((test.get("name")?.as_str()?.to_owned(), String::new()))));
        }
        for line in list.lines() {
            let test = match self {
                Runner::Cargo => {
                    of = line.strip_prefix("profrt: ").unwrap_or(of);
                    line.strip_suffix(": test").map(str::to_owned)
                }
                Runner::Nextest => line.split_once(' ').map(|(binary, test)| {
                    of = binary;
                    test.to_owned()
                }),
                Runner::Ctest => None,
                Runner::Pytest => line.contains("::").then(|| line.to_owned()),
                Runner::GoogleTest => {
                    // `Suite.`, and below it, indented, `Test  # GetParam() = 3`.
                    let line = line.split('#').next().unwrap_or(line).trim_end();
                    of = if line.starts_with(' ') { of } else { line };
                    line.strip_prefix("  ").map(|test| format!("{of}{test}"))
                }
            };
            tests.extend(test.map(|test| (test, of.to_owned())));
        }
        tests.sort();
        tests.dedup();
        Ok(tests)
    }
}

/// Returns a command with more words: some that are none of a binary's, and others at the end.
fn with(command: &[OsString], own: &[&str], more: &[&str]) -> Vec<OsString> {
    let end = command.iter().position(|word| word == "--" && !own.is_empty()).unwrap_or(command.len());
    let of_binary = command.iter().skip(end + 1).cloned();
    let (own, more) = (own.iter().map(OsString::from), more.iter().map(OsString::from));
    command.iter().take(end).cloned().chain(own).chain(of_binary).chain(more).collect()
}

/// Returns the setting of cargo by which a script starts binaries.
fn started(script: &str, path: &str) -> String {
    format!("target.'cfg(all())'.runner={}", serde_json::json!(["sh", "-c", script, path]))
}

/// Returns what has a test as nextest names it: a package, and in it a binary of another name.
fn id(of: &str) -> String {
    let Some((package, path)) = of.split_once(' ') else { return of.to_owned() };
    let file = path.rsplit('/').next().unwrap_or(path);
    match file.rsplit_once('-').map_or(file, |(name, _)| name) {
        name if name == package.replace('-', "_") => package.to_owned(),
        name => format!("{package}::{name}"),
    }
}

/// Returns each test of a command, with the command that runs it alone. `prepare` is done to what lists them.
///
/// Errors: it cannot be started, or lists none.
pub(super) fn of(
    command: &[OsString],
    prepare: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<Vec<(String, Vec<OsString>)>> {
    let (program, _) = command.split_first().context("no command")?;
    let runner = Runner::of(command);
    let list = runner.list(command);
    let mut child = Command::new(program);
    child.args(list.iter().skip(1)).stderr(std::process::Stdio::inherit());
    prepare(&mut child)?;
    let output = child.output().with_context(|| format!("{} cannot be started", display(program.as_ref())))?;
    let list_of = |output: &[u8]| runner.tests(&String::from_utf8_lossy(output)).unwrap_or_default();
    let tests = if output.status.success() { list_of(&output.stdout) } else { Vec::new() };
    ensure!(
        !tests.is_empty(),
        "{} lists no tests\n  remedy: --each-test runs tests of ctest, cargo test, nextest, pytest, and programs of GoogleTest",
        list.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    );
    let mut once = HashSet::new();
    let twice: HashSet<&String> = tests.iter().map(|(name, _)| name).filter(|name| !once.insert(*name)).collect();
    let one = |test: &Test| {
        let name = if twice.contains(&test.0) { format!("{} {}", id(&test.1), test.0) } else { test.0.clone() };
        (name, runner.one(command, test))
    };
    Ok(tests.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let names = |runner: Runner, list: &str| {
            runner.tests(list).unwrap().into_iter().map(|(name, of)| format!("{name}, {of}")).collect::<Vec<_>>()
        };
        let ctest = r#"{"kind": "ctestInfo", "tests": [{"name": "b.1"}, {"name": "a"}]}"#;
        assert_eq!(names(Runner::Ctest, ctest), ["a, ", "b.1, "]);
        let cargo = "profrt: a /d/a-1\nm::a: test\nb: bench\nm::a: test\n\nprofrt: b-c /d/t-2\nm::a: test\n";
        assert_eq!(names(Runner::Cargo, cargo), ["m::a, a /d/a-1", "m::a, b-c /d/t-2"]);
        assert_eq!(["a /d/a-1", "b-c /d/t-2", "b-c /d/b_c-3", "a::t"].map(id), ["a", "b-c::t", "b-c", "a::t"]);
        assert_eq!(names(Runner::Nextest, "a m::a\na::t b\n"), ["b, a::t", "m::a, a"]);
        let google = "Running main() from x.cc\nS.\n  One\n  Two\nT/0.  # TypeParam = int\n  P/0  # GetParam() = 3\n";
        assert_eq!(names(Runner::GoogleTest, google), ["S.One, S.", "S.Two, S.", "T/0.P/0, T/0."]);
        let pytest = "t/test_a.py::test_b[1]\nt/test_a.py::C::test_d\n\n2 tests collected in 0.01s\n";
        assert_eq!(names(Runner::Pytest, pytest), ["t/test_a.py::C::test_d, ", "t/test_a.py::test_b[1], "]);
        assert!(Runner::Ctest.tests("x").is_err());
    }

    #[test]
    fn commands() {
        let of = |command: &str| command.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (command, runner, own, expected) in [
            ("/bin/python3 -m pytest t", Runner::Pytest, &[][..], "/bin/python3 -m pytest t -l"),
            ("/bin/pytest -x", Runner::Pytest, &[], "/bin/pytest -x -l"),
            ("./pytests --", Runner::GoogleTest, &[], "./pytests -- -l"),
            ("cargo nextest run", Runner::Nextest, &["-a", "--"], "cargo nextest run -a -- -l"),
            ("/usr/bin/cargo test x -- --y", Runner::Cargo, &["-a", "--"], "/usr/bin/cargo test x -a -- --y -l"),
        ] {
            assert_eq!(Runner::of(&of(command)), runner, "{command}");
            assert_eq!(with(&of(command), own, &["-l"]), of(expected));
        }
        assert_eq!(Runner::Ctest.one(&of("ctest"), &("b.1".to_owned(), String::new())), of(r"ctest -R ^b\.1$"));
    }
}
