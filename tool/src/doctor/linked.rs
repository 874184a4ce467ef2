//! The runtime that a program was linked with.

use std::path::Path;

use anyhow::{Context, Result};
use memchr::memmem::find;
use object::{File, Object, ObjectSection};
use profrt_overlay::archive::releases;
use serde::Serialize;

use super::Problem;
use crate::inputs::display;
use crate::quality::Program;

/// A program or shared object.
#[derive(Serialize)]
pub(super) struct Linked {
    pub(super) path: String,
    /// `null`: not instrumented, or for gcov.
    pub(super) instrumented_functions: Option<u64>,
    /// The raw version of its objects.
    pub(super) raw_version: Option<u64>,
    pub(super) runtime: Runtime,
}

/// Whose runtime it is.
#[derive(PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Runtime {
    /// Ours.
    Profrt {
        version: String,
        /// The raw version that the archive was made for.
        raw_version: u64,
    },
    /// LLVM's.
    Llvm,
    /// None is in the file.
    None,
}

impl Linked {
    pub(super) fn of(path: &Path, program: &Program, problems: &mut Vec<Problem>) -> Result<Linked> {
        let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", display(path)))?;
        let linked = Linked {
            path: display(path),
            instrumented_functions: program.records.as_ref().map(|records| records.len() as u64),
            raw_version: program.raw_version,
            runtime: runtime(&bytes),
        };
        linked.problems(problems);
        Ok(linked)
    }

    fn problems(&self, problems: &mut Vec<Problem>) {
        let is_instrumented = self.instrumented_functions.is_some();
        match (&self.runtime, self.raw_version) {
            (Runtime::Profrt { raw_version, .. }, Some(own)) if *raw_version != own => problems.push(Problem::new(
                &self.path,
                format!(
                    "its objects are of raw version {own}, and profrt in it is for {raw_version}: it writes no profile"
                ),
                format!("link it with the archive of raw version {own} ({})", releases(u8::try_from(own).unwrap_or(0))),
            )),
            (Runtime::None, Some(_)) if is_instrumented => problems.push(Problem::new(
                &self.path,
                "it is instrumented, and no runtime is in it: it writes no profile, unless its loader brings one",
                "give the flag of the instrumentation to the command that links, too",
            )),
            _ => {}
        }
    }
}

/// Finds the runtime: ours says so in `.comment`; LLVM's and ours have messages that begin alike.
fn runtime(bytes: &[u8]) -> Runtime {
    let comment =
        File::parse(bytes).ok().and_then(|file| Some(file.section_by_name(".comment")?.data().ok()?.to_vec()));
    let ours = comment.as_deref().unwrap_or_default().split(|byte| *byte == 0).find_map(|line| {
        let said = std::str::from_utf8(line).ok()?.strip_prefix("profrt ")?;
        let (version, raw) = said.split_once(", raw version ")?;
        Some(Runtime::Profrt { version: version.to_owned(), raw_version: raw.parse().ok()? })
    });
    // gcov's part of LLVM's runtime has messages of its own.
    let is_llvm = || find(bytes, b"LLVM Profile Error: ").or_else(|| find(bytes, b"profiling: ")).is_some();
    ours.unwrap_or_else(|| if is_llvm() { Runtime::Llvm } else { Runtime::None })
}
