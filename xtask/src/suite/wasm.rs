//! C and Rust programs for WebAssembly: the scripts of `tests/wasm`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use profrt_overlay::compiler::Compiler;
use profrt_overlay::overlay::{Entries, overlay};
use testkit::dist::devices;
use testkit::run::Ran;
use testkit::toolchain::Packages;
use testkit::toolchain::rust::find;
use testkit::{paths, programs, run};

use super::python::Environment;

pub const NEEDS: &[&str] = &["clang-22", "wasi", "node", "python3", "rust-sources", "gcc", "curl"];

/// Compiles programs with the newest clang and the Rust toolchain that can, and runs them in wasmtime and node.
pub fn programs(packages: Packages) -> Result<Ran> {
    let compiler = Compiler::ask_for(Path::new("clang-22"), Some("wasm32-wasi"))?;
    let resources = paths::target().join("wasm/overlay");
    let archive = devices::build_with_any(compiler.raw()?, "wasm32-wasip1", packages)?;
    overlay(&compiler, &archive, &resources, Entries::Link)?;
    let cargo = find(&["wasm32-wasip1", "wasm32-unknown-unknown"], packages)?.0.cargo("wasm");
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=tap"]).current_dir(paths::root().join("tests/wasm"));
    node.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("CARGO", cargo.get_program());
    node.env("OVERLAY", resources).env("PROFRT", programs::profrt()?);
    run::tests(node.env("PYTHON", Environment::with("tests/wasm", "requirements.txt")?.0.join("bin/python")))
}
