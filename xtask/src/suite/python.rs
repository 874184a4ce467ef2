//! The Python package: its style and tests, and with Ray and Spark on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use testkit::dist::compile;
use testkit::run::Ran;
use testkit::{paths, run};

/// Builds the wheel as quickly as it can be built, and runs the tests that need nothing but it.
pub fn package() -> Result<Ran> {
    let environment = Environment::with("requirements.txt")?;
    run::run(environment.tool("ruff").args(["check", "."]))?;
    run::run(environment.tool("ruff").args(["format", "--check", "."]))?;
    environment.install("dev", &["--features=unified"])?;
    environment.pytest(&["test_package.py"])
}

/// Runs all tests on the wheel of a release, which is installed into a fresh environment first.
pub fn fleet() -> Result<Ran> {
    let environment = Environment::with("fleet.txt")?;
    run::run(environment.tool("mypy").arg("--strict"))?;
    let wheel = environment.install("release", &[])?;
    let fresh = paths::target().join("python/fresh");
    create(&fresh)?;
    run::quiet(Command::new(fresh.join("bin/pip")).args(["install", "--quiet"]).arg(wheel))?;
    run::quiet(Command::new(fresh.join("bin/profrt")).arg("--help"))?;
    run::quiet(
        Command::new(fresh.join("bin/python")).args(["-c", "import profrt; profrt.merge([b'main\\n7\\n1\\n5\\n'])"]),
    )?;
    environment.pytest(&[])
}

/// Builds the wheel of a release, whose files have this time, and returns where it is.
pub fn wheel(time: u64) -> Result<PathBuf> {
    Environment::with("requirements.txt")?.wheel("release", &[], Some(time))
}

/// A virtual environment with the packages of a list.
struct Environment(PathBuf);

impl Environment {
    /// The environment for this list of `python/tests`; made anew when the list has changed.
    fn with(list: &str) -> Result<Environment> {
        let tests = paths::root().join("python/tests");
        let directory = paths::target().join("python").join(list).with_extension("venv");
        // The longer list includes the shorter one.
        let wanted = [fs::read(tests.join(list))?, fs::read(tests.join("requirements.txt"))?].concat();
        let stamp = directory.join("made-from");
        if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
            create(&directory)?;
            let mut pip = Command::new(directory.join("bin/pip"));
            run::quiet(pip.args(["install", "--quiet", "--no-compile", "-r"]).arg(tests.join(list)))?;
            fs::write(&stamp, wanted)?;
        }
        Ok(Environment(directory))
    }

    /// A program of the environment, to run in `python`.
    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.0.join("bin").join(name));
        compile::without_outer_cargo(&mut command);
        command.current_dir(paths::root().join("python"));
        command
    }

    /// Builds the wheel in this profile of cargo, with more arguments. Returns where it is. `time`: that of its files, so that the list of crates
    /// in it is the same each time; what the tests have built is built again for it.
    fn wheel(&self, profile: &str, arguments: &[&str], time: Option<u64>) -> Result<PathBuf> {
        let wheels = paths::target().join("python/wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        let mut maturin = self.tool("maturin");
        maturin.args(["build", "--quiet", "--locked", "--profile", profile]).args(arguments).arg("--out").arg(&wheels);
        maturin.envs(time.map(|time| ("SOURCE_DATE_EPOCH", time.to_string())));
        run::run(maturin.arg("--target-dir").arg(paths::target())).context("the wheel cannot be built")?;
        Ok(fs::read_dir(&wheels)?.next().context("maturin has built no wheel")??.path())
    }

    /// Builds the wheel and installs it. Returns where it is.
    fn install(&self, profile: &str, arguments: &[&str]) -> Result<PathBuf> {
        let wheel = self.wheel(profile, arguments, None)?;
        let mut pip = self.tool("pip");
        run::quiet(pip.args(["install", "--quiet", "--no-deps", "--force-reinstall"]).arg(&wheel))?;
        Ok(wheel)
    }

    fn pytest(&self, files: &[&str]) -> Result<Ran> {
        // Elsewhere than in `python`, whose sources would be taken for the package.
        let mut pytest = self.tool("pytest");
        pytest.current_dir(paths::root().join("python/tests")).args(["-q", "-p", "no:cacheprovider"]);
        run::tests(pytest.args(files))
    }
}

/// Makes an empty virtual environment.
fn create(directory: &Path) -> Result<()> {
    run::quiet(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory))
}
