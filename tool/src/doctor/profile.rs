//! Whether a profile fits programs and compilers.

use std::path::PathBuf;

use anyhow::Result;
use profdata::Profile;
use profdata::sink::Format;
use profdata::write::Release;
use serde::Serialize;

use super::Problem;
use super::compilers::Found;
use crate::inputs::{damage, display, profile};
use crate::quality::{Amount, Program, Records, cover};
use crate::show::{formats, kind_of, title};

/// A profile.
#[derive(Serialize)]
pub(super) struct Fit {
    pub(super) path: String,
    /// Formats and kind.
    pub(super) title: String,
    pub(super) functions: u64,
    /// What it has of the functions of the programs; `null` without an instrumented program.
    pub(super) of_programs: Option<Amount>,
    /// It says which program wrote it, and no program that was named has that build id.
    pub(super) is_of_another_build: bool,
    /// Compilers whose tools or `-fprofile-use` read it as it is.
    pub(super) read_by: Vec<String>,
}

impl Fit {
    /// Reads a profile, and adds what does not work with it. Errors: it cannot be read at all.
    pub(super) fn of(
        path: &PathBuf,
        programs: &[Program],
        compilers: &[Found],
        problems: &mut Vec<Problem>,
    ) -> Result<Fit> {
        let (profile, read) = profile(std::slice::from_ref(path), None)?;
        let instrumented = programs.iter().any(|program| program.records.is_some());
        let fit = Fit {
            path: display(path),
            title: title(&formats(&profile), &kind_of(&profile)),
            functions: profile.len() as u64,
            of_programs: instrumented.then(|| cover(programs, &Records::of(&profile)).functions),
            is_of_another_build: is_of_another_build(&profile, programs),
            read_by: compilers.iter().filter(|it| reads(it, &profile)).map(|it| it.program.clone()).collect(),
        };
        let mut add = |cause: String, remedy: &str| problems.push(Problem::new(&fit.path, cause, remedy));
        for line in damage(&read) {
            add(line, "profrt check says where, and what can be saved");
        }
        if profile.is_empty() {
            add("it has no function".into(), "compile the objects with the flag of the instrumentation, too");
        }
        if let Some(Amount { stale: stale @ 1.., .. }) = fit.of_programs {
            add(
                match stale {
                    1 => "1 function of the programs has another hash in it: compilers do not use its counts".into(),
                    _ => format!(
                        "{stale} functions of the programs have other hashes in it: compilers do not use their counts"
                    ),
                },
                "profile the program again; profrt report quality names them",
            );
        }
        if fit.of_programs.is_some_and(|amount| amount.with_profile == 0 && amount.stale == 0) && !profile.is_empty() {
            add("it has no function of the programs".into(), "name the program that wrote it");
        }
        if let (Some(compiler), true) = (compilers.last(), fit.read_by.is_empty()) {
            let remedy = format!("profrt merge {} --for {} -o app.profdata", fit.path, target(compiler));
            add("no compiler here reads it as it is".into(), &remedy);
        }
        Ok(fit)
    }
}

/// Returns the name of a compiler for `--for`.
fn target(compiler: &Found) -> String {
    format!("llvm-{}", compiler.llvm)
}

/// Returns whether the profile has build ids, and none of those that the programs have.
fn is_of_another_build(profile: &Profile, programs: &[Program]) -> bool {
    let ids = profile.binary_ids();
    let mut known = programs.iter().flat_map(|program| &program.build_ids).peekable();
    !ids.is_empty() && known.peek().is_some() && !known.any(|id| ids.contains(id))
}

/// Returns whether a compiler, or the tools beside it, read all that the profile was made of.
fn reads(compiler: &Found, profile: &Profile) -> bool {
    profile.headings().iter().all(|heading| match heading.format {
        Format::Raw7(_) => compiler.raw_version == 7,
        Format::Raw(version, _) => compiler.raw_version == version.number(),
        Format::Indexed(version) => compiler.indexed_version.unwrap_or(Release::NEWEST.indexed()) >= version,
        Format::Text => true,
        _ => false,
    })
}
