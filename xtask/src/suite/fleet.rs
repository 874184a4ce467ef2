//! The Python package: its types and style, the wheel in a fresh environment, and merges with Ray and Spark on this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use testkit::dist::compile;
use testkit::toolchain::Packages;
use testkit::{paths, run};

/// What Spark and virtual environments need, and the packages that bring it.
const SYSTEM: [&str; 2] = ["openjdk-17-jre-headless", "python3-venv"];

/// Builds the package, and tests it. What was done, in a line.
pub fn tests(packages: Packages) -> Result<String> {
    let has_system =
        paths::find_program("java").is_some() && super::works(Command::new("python3").args(["-c", "import ensurepip"]));
    if !has_system && let Err(command) = packages.offer(&SYSTEM) {
        return Ok(format!("left out; `{command}` brings what is needed"));
    }
    let (python, directory) = (paths::root().join("python"), paths::target().join("fleet"));
    let environment = directory.join("venv");
    let wanted = fs::read(python.join("tests/requirements.txt"))?;
    let stamp = environment.join("requirements.txt");
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        if !packages.install {
            return Ok("left out; --install brings the packages of python/tests/requirements.txt".to_owned());
        }
        create(&environment)?;
        let mut pip = Command::new(environment.join("bin/pip"));
        run::quiet(pip.args(["install", "--quiet", "-r"]).arg(python.join("tests/requirements.txt")))?;
        fs::write(&stamp, wanted)?;
    }
    let tool = |name: &str| {
        let mut command = Command::new(environment.join("bin").join(name));
        compile::without_outer_cargo(&mut command);
        command.current_dir(&python);
        command
    };
    run::run(tool("mypy").arg("--strict"))?;
    run::run(tool("ruff").args(["check", "."]))?;
    run::run(tool("ruff").args(["format", "--check", "."]))?;

    let wheels = directory.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut maturin = tool("maturin");
    maturin.args(["build", "--release", "--quiet", "--out"]).arg(&wheels);
    maturin.arg("--target-dir").arg(paths::target().join("python"));
    run::run(&mut maturin).context("the wheel cannot be built")?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin has built no wheel")??.path();
    let fresh = directory.join("fresh");
    create(&fresh)?;
    run::quiet(Command::new(fresh.join("bin/pip")).args(["install", "--quiet"]).arg(&wheel))?;
    run::quiet(Command::new(fresh.join("bin/profrt")).arg("--help"))?;
    run::quiet(
        Command::new(fresh.join("bin/python")).args(["-c", "import profrt; profrt.merge([b'main\\n7\\n1\\n5\\n'])"]),
    )?;

    run::quiet(tool("pip").args(["install", "--quiet", "--no-deps", "--force-reinstall"]).arg(&wheel))?;
    // Elsewhere than in `python`, whose sources would be taken for the package.
    let mut pytest = tool("pytest");
    run::run(pytest.current_dir(python.join("tests")).args(["-q", "-p", "no:cacheprovider"]))?;
    Ok("the Python package, on a local Ray and a local Spark".to_owned())
}

/// Makes an empty virtual environment.
fn create(directory: &Path) -> Result<()> {
    run::quiet(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory))
}
