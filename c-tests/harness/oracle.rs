//! What raw version 11 is compared with, while no packaged compiler emits it: the C runtime that the crate `minicov` carries.
//!
//! The crate is a dependency that is never built (`cfg(any())`): cargo fetches it, and here its C files are compiled as they
//! are. It has no file output, and takes two functions for memory from whoever links it.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

use super::archive::scratch;
use super::shell;
use super::tools::Compiler;

/// The archive, compiled by `compiler`, in a directory of this process.
pub fn archive(compiler: &Compiler) -> Result<PathBuf> {
    let sources = testkit::programs::package("Cargo.toml", "minicov")?.join("c");
    let dir = scratch().join("oracle").join(compiler.name());
    std::fs::create_dir_all(&dir)?;
    let work = tempfile::tempdir_in(&dir)?;
    let mut members = Vec::new();
    for entry in std::fs::read_dir(&sources).with_context(|| sources.display().to_string())? {
        let source = entry?.path();
        if source.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let member = work.path().join(source.with_extension("o").file_name().context("a file name")?);
        let mut command = Command::new(&compiler.clang);
        command.args(["-c", "-w", "-O1", "-fPIC", "-nostdlibinc", "-fno-stack-protector"]);
        command.args(["-DCOMPILER_RT_HAS_ATOMICS=1", "-DCOMPILER_RT_PROFILE_BAREMETAL=1"]);
        shell::must(command.arg(&source).arg("-o").arg(&member))?;
        members.push(member);
    }
    ensure!(!members.is_empty(), "{}: no C files", sources.display());
    let made = work.path().join("oracle.a");
    shell::must(Command::new("ar").arg("rcs").arg(&made).args(&members))?;
    let archive = dir.join("oracle.a");
    std::fs::rename(&made, &archive)?;
    Ok(archive)
}
