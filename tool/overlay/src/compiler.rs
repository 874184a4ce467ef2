//! One compiler, asked about itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::archive::{archive_name, clang_arch, system};

/// What a clang says about itself.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program that was asked.
    pub clang: PathBuf,
    /// Its major version.
    pub version: u32,
    /// The target it compiles for unless told otherwise, as clang spells it.
    pub triple: String,
    /// Where it keeps its own headers and runtime archives.
    pub resource_dir: PathBuf,
}

impl Compiler {
    /// Asks `clang` (a path, or a name on `PATH`).
    pub fn ask(clang: &Path) -> Result<Compiler> {
        Compiler::ask_for(clang, None)
    }

    /// Asks `clang` how it compiles for a target.
    pub fn ask_for(clang: &Path, target: Option<&str>) -> Result<Compiler> {
        let target = target.map(|target| format!("--target={target}"));
        let ask = |question: &str| {
            stdout(Command::new(clang).args(&target).arg(question))
                .with_context(|| format!("{} is not a clang that can be asked `{question}`", clang.display()))
        };
        let number = ask("-dumpversion")?;
        let version = number.split('.').next().and_then(|major| major.parse().ok());
        Ok(Compiler {
            clang: clang.to_path_buf(),
            version: version.with_context(|| format!("{} says its version is `{number}`", clang.display()))?,
            triple: ask("-print-target-triple").or_else(|_| ask("-dumpmachine"))?,
            resource_dir: PathBuf::from(ask("-print-resource-dir")?),
        })
    }

    /// The raw version of the profiles that it emits, from its own `profile/InstrProfData.inc`.
    pub fn raw(&self) -> Result<u8> {
        let header = self.resource_dir.join("include/profile/InstrProfData.inc");
        let text = fs::read_to_string(&header).with_context(|| {
            format!(
                "{} has no {}; on Debian and Ubuntu the package libclang-rt-{}-dev (or libclang-common-{}-dev) brings it",
                self.clang.display(),
                header.display(),
                self.version,
                self.version
            )
        })?;
        raw_version(&text).with_context(|| format!("{} does not define INSTR_PROF_RAW_VERSION", header.display()))
    }

    /// Where this compiler looks for its profile archive, in its order: the layout with a directory for each target, then the
    /// one with a directory for each system.
    pub fn profile_archives(&self) -> Vec<PathBuf> {
        profile_archives(&self.resource_dir, &self.triple)
    }
}

/// The places of the profile archive in a resource directory.
pub fn profile_archives(resource_dir: &Path, triple: &str) -> Vec<PathBuf> {
    let lib = resource_dir.join("lib");
    if triple.starts_with("wasm") {
        return vec![lib.join(triple).join("libclang_rt.profile.a")];
    }
    if triple.contains("-apple-") {
        return vec![lib.join("darwin/libclang_rt.profile_osx.a")];
    }
    let name = archive_name(triple);
    let alone = name.replace(&format!("-{}", clang_arch(triple)), "");
    vec![
        lib.join(triple).join(&alone),
        // Debian's clang calls its target -pc-, LLVM's own builds install for -unknown-.
        lib.join(triple.replace("-pc-", "-unknown-")).join(&alone),
        lib.join(system(triple)).join(name),
    ]
}

/// What a command says on standard output, without the line end.
fn stdout(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn raw_version(header: &str) -> Result<u8> {
    for line in header.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some("#define") && words.next() == Some("INSTR_PROF_RAW_VERSION") {
            return words.next().and_then(|number| number.parse().ok()).context("its value is not a number");
        }
    }
    bail!("the line is missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_raw_version_is_read_from_the_header() {
        let header = "#define INSTR_PROF_RAW_VERSION_VAR name\n#define INSTR_PROF_RAW_VERSION 10\n";
        assert_eq!(raw_version(header).unwrap(), 10);
        assert!(raw_version("#define INSTR_PROF_INDEX_VERSION 12\n").is_err());
        assert!(raw_version("#define INSTR_PROF_RAW_VERSION later\n").is_err());
    }
}
