//! The tests of a command: their names, and the command that runs one of them alone. Of ctest, cargo, pytest and GoogleTest.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::inputs::display;

/// What runs tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Runner {
    Ctest,
    Cargo,
    Pytest,
    GoogleTest,
}

/// The option of [`PLUGIN`].
pub(super) const OF_PLUGIN: &str = "--profrt-test";

/// A plugin of pytest that keeps one test: paths before a test's name would choose more.
pub(super) const PLUGIN: &str = r#"def pytest_addoption(parser):
    parser.addoption("--profrt-test")

def pytest_collection_modifyitems(config, items):
    items[:] = [item for item in items if item.nodeid == config.getoption("--profrt-test")]
"#;

/// What `ctest --show-only=json-v1` says.
#[derive(Deserialize)]
struct Shown {
    tests: Vec<ShownTest>,
}

#[derive(Deserialize)]
struct ShownTest {
    name: String,
}

impl Runner {
    fn of(command: &[OsString]) -> Runner {
        let words: Vec<_> = command.iter().filter_map(|word| word.to_str()).collect();
        match (words.first().and_then(|program| Path::new(program).file_name()?.to_str()), words.get(1..3)) {
            (Some("ctest"), _) => Runner::Ctest,
            (Some("cargo"), _) => Runner::Cargo,
            (Some("pytest"), _) | (_, Some(["-m", "pytest"])) => Runner::Pytest,
            _ => Runner::GoogleTest,
        }
    }

    /// Returns what lists the tests.
    fn list(self) -> &'static [&'static str] {
        match self {
            Runner::Ctest => &["--show-only=json-v1"],
            Runner::Cargo => &["--list", "--format=terse"],
            Runner::Pytest => &["--collect-only", "-q"],
            Runner::GoogleTest => &["--gtest_list_tests"],
        }
    }

    /// Returns what runs one test.
    fn one(self, test: &str) -> Vec<String> {
        match self {
            Runner::Ctest => vec!["-R".to_owned(), format!("^{}$", regex::escape(test))],
            Runner::Cargo => vec!["--exact".to_owned(), test.to_owned()],
            Runner::Pytest => ["-p", "profrt_test", OF_PLUGIN, test].map(str::to_owned).to_vec(),
            Runner::GoogleTest => vec![format!("--gtest_filter={test}")],
        }
    }

    /// Returns the names in a list. Errors: it is none.
    fn names(self, list: &str) -> Result<Vec<String>> {
        let mut names: Vec<String> = match self {
            Runner::Ctest => serde_json::from_str::<Shown>(list)?.tests.into_iter().map(|test| test.name).collect(),
            Runner::Cargo => list.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_owned())).collect(),
            Runner::Pytest => list.lines().filter(|line| line.contains("::")).map(str::to_owned).collect(),
            Runner::GoogleTest => {
                // `Suite.`, and below it, indented, `Test  # GetParam() = 3`.
                let (mut suite, mut names) = ("", Vec::new());
                for line in list.lines().filter_map(|line| line.split('#').next()) {
                    match line.strip_prefix("  ") {
                        Some(test) => names.push(format!("{suite}{}", test.trim_end())),
                        None => suite = line.trim_end(),
                    }
                }
                names
            }
        };
        // Binaries of a workspace can have tests of one name, which cargo runs together.
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn with(self, arguments: &[OsString], more: impl IntoIterator<Item = impl Into<OsString>>) -> Vec<OsString> {
        let mut all = arguments.to_vec();
        if self == Runner::Cargo && !arguments.iter().any(|argument| argument == "--") {
            all.push("--".into());
        }
        all.extend(more.into_iter().map(Into::into));
        all
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
    let list = runner.with(command, runner.list());
    let mut child = Command::new(program);
    child.args(list.iter().skip(1)).stderr(std::process::Stdio::inherit());
    prepare(&mut child)?;
    let output = child.output().with_context(|| format!("{} cannot be started", display(program.as_ref())))?;
    let names =
        if output.status.success() { runner.names(&String::from_utf8_lossy(&output.stdout)).ok() } else { None };
    let names = names.unwrap_or_default();
    ensure!(
        !names.is_empty(),
        "{} lists no tests\n  remedy: --each-test runs tests of ctest, cargo test, pytest, and programs of GoogleTest",
        list.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    );
    let one = |name: String| {
        let command = runner.with(command, runner.one(&name));
        (name, command)
    };
    Ok(names.into_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let ctest = r#"{"kind": "ctestInfo", "tests": [{"name": "b.1"}, {"name": "a"}]}"#;
        assert_eq!(Runner::Ctest.names(ctest).unwrap(), ["a", "b.1"]);
        assert_eq!(Runner::Ctest.one("b.1"), ["-R", r"^b\.1$"]);
        assert_eq!(Runner::Cargo.names("m::a: test\nb: bench\nm::a: test\n\n").unwrap(), ["m::a"]);
        let google = "Running main() from x.cc\nS.\n  One\n  Two\nT/0.  # TypeParam = int\n  P/0  # GetParam() = 3\n";
        assert_eq!(Runner::GoogleTest.names(google).unwrap(), ["S.One", "S.Two", "T/0.P/0"]);
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let cargo = words(&["cargo", "test"]);
        let pytest = "t/test_a.py::test_b[1]\nt/test_a.py::C::test_d\n\n2 tests collected in 0.01s\n";
        assert_eq!(Runner::Pytest.names(pytest).unwrap(), ["t/test_a.py::C::test_d", "t/test_a.py::test_b[1]"]);
        assert_eq!(Runner::of(&words(&["/bin/python3", "-m", "pytest", "t"])), Runner::Pytest);
        assert_eq!(Runner::of(&words(&["/bin/pytest", "-x"])), Runner::Pytest);
        assert_eq!(Runner::of(&words(&["./pytests"])), Runner::GoogleTest);
        assert_eq!(
            Runner::of(&words(&["/usr/bin/cargo"])).with(&cargo, ["--list"]),
            words(&["cargo", "test", "--", "--list"])
        );
        assert!(Runner::Ctest.names("x").is_err());
    }
}
