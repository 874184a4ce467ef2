//! The compilers of this machine, and what each reads and writes.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use profdata::write::Release;
use profrt_overlay::archive::is_ours;
use profrt_overlay::compiler::Compiler;
use serde::Serialize;

use super::Problem;
use crate::inputs::display;

/// A clang or a rustc.
#[derive(Serialize)]
pub(super) struct Found {
    pub(super) program: String,
    /// The release of LLVM, as 22.
    pub(super) llvm: u32,
    /// The raw version of the profiles that its programs write, the only one that its `llvm-profdata` reads.
    pub(super) raw_version: u64,
    /// The newest indexed version that it reads; `null` for a release that profrt does not know.
    pub(super) indexed_version: Option<u32>,
    pub(super) runtime: Runtime,
}

/// The archive that a compiler links by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Runtime {
    /// LLVM's.
    Llvm,
    /// Ours: an overlay, or replaced in place.
    Profrt,
    /// None is installed.
    None,
}

impl Found {
    /// Asks a compiler, by path or name. Errors: it is neither a clang nor a rustc.
    pub(super) fn ask(program: &Path) -> Result<Found> {
        if let Ok(rustc) = Found::rustc(program) {
            return Ok(rustc);
        }
        let compiler = Compiler::ask(program)?;
        let archive = compiler.profile_archives().into_iter().find(|file| file.is_file());
        let release = Release::new(compiler.version);
        // Without the header that tells, as without the runtime's package, the release does.
        let raw_version = compiler.raw().map(u64::from).ok().or(release.map(|release| release.raw().into()));
        Ok(Found {
            program: display(program),
            llvm: compiler.version,
            raw_version: raw_version.with_context(|| format!("profrt does not know clang {}", compiler.version))?,
            indexed_version: release.map(Release::indexed),
            runtime: match archive {
                Some(archive) if is_ours(&archive) => Runtime::Profrt,
                Some(_) => Runtime::Llvm,
                None => Runtime::None,
            },
        })
    }

    fn rustc(program: &Path) -> Result<Found> {
        let output = Command::new(program).arg("-vV").output()?;
        let said = String::from_utf8(output.stdout)?;
        ensure!(said.starts_with("rustc "), "no rustc");
        let llvm = said.lines().find_map(|line| line.strip_prefix("LLVM version: ")?.split('.').next()?.parse().ok());
        let Some(release) = llvm.and_then(Release::new) else { bail!("no release of LLVM that profrt knows") };
        Ok(Found {
            program: display(program),
            llvm: release.number(),
            raw_version: release.raw().into(),
            indexed_version: Some(release.indexed()),
            runtime: Runtime::Llvm,
        })
    }

    /// Adds what does not work with it.
    pub(super) fn problems(&self, problems: &mut Vec<Problem>) {
        if self.runtime == Runtime::None {
            problems.push(Problem::new(
                &self.program,
                "it has no profiling runtime, so programs with -fprofile-instr-generate do not link",
                format!("install libclang-rt-{}-dev, or lay an overlay with profrt install", self.llvm),
            ));
        }
    }
}

/// Returns the compilers on `PATH`, `clang`, `clang-N` and `rustc`, each once, the oldest first. Of two with one name a shell finds the first.
pub(super) fn on_path() -> Vec<Found> {
    let mut known = HashSet::new();
    let mut found: Vec<Found> = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flat_map(|entries| {
            // The longest name first: `clang-22` says more than `clang`, which is a link to it.
            let mut paths: Vec<PathBuf> =
                entries.flatten().map(|entry| entry.path()).filter(|path| is_compiler(path)).collect();
            paths.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
            paths
        })
        .filter(|path| {
            let is_first = path.file_name().is_some_and(|name| known.insert(PathBuf::from(name)));
            is_first && path.canonicalize().is_ok_and(|path| known.insert(path))
        })
        .filter_map(|path| Found::ask(Path::new(path.file_name()?)).ok())
        .collect();
    found.sort_by_key(|found| found.llvm);
    found
}

fn is_compiler(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let number = name.strip_prefix("clang-").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    number || name == "clang" || name == "rustc"
}
