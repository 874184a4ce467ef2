//! What is said to people: a line for each thing that was found, then the problems.

use super::compilers::{self, Found};
use super::linked::{Linked, Runtime};
use super::profile::Fit;
use super::{Archive, Diagnosis, Problem};
use crate::report::style::{BAD, GOOD, Styled};
use crate::report::{Page, exact};
use crate::text::many;

/// Returns the text.
pub(super) fn text(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    diagnosis.compilers.iter().for_each(|compiler| page.title(&compiler.program, of_compiler(compiler)));
    if let Some(package) = &diagnosis.package {
        let raw: Vec<String> = package.raw_versions.iter().map(u8::to_string).collect();
        page.title(&package.path, format_args!("archives for raw versions {}", raw.join(", ")));
    }
    diagnosis.archives.iter().for_each(|archive| page.title(&archive.path, of_archive(archive)));
    diagnosis.programs.iter().for_each(|linked| page.title(&linked.path, of_program(linked)));
    diagnosis.profiles.iter().for_each(|fit| page.title(&fit.path, of_profile(fit)));
    for Problem { about, cause, remedy } in &diagnosis.problems {
        page.line(format_args!("{} {about}: {cause}\n  remedy: {remedy}", Styled(BAD, "problem:")));
    }
    if diagnosis.problems.is_empty() {
        page.line(Styled(GOOD, "no problem"));
    }
    page.text()
}

fn of_compiler(compiler: &Found) -> String {
    let runtime = match compiler.runtime {
        compilers::Runtime::Llvm => "LLVM's runtime",
        compilers::Runtime::Profrt => "profrt's runtime",
        compilers::Runtime::None => "no runtime",
    };
    let indexed = compiler.indexed_version.map(|version| format!(", reads indexed versions up to {version}"));
    let Found { llvm, raw_version, .. } = compiler;
    format!("LLVM {llvm}, raw version {raw_version}{}, {runtime}", indexed.unwrap_or_default())
}

fn of_archive(archive: &Archive) -> String {
    match archive.raw_version {
        Some(raw) => format!("profrt's archive for raw version {raw}"),
        None => "not an archive of profrt".into(),
    }
}

fn of_program(linked: &Linked) -> String {
    let functions = match linked.instrumented_functions {
        Some(number) => many(number, "instrumented function"),
        None => "no instrumented functions".into(),
    };
    let raw = linked.raw_version.map(|raw| format!(" of raw version {raw}")).unwrap_or_default();
    let runtime = match &linked.runtime {
        Runtime::Profrt { version, raw_version } => format!("profrt {version} for raw version {raw_version}"),
        Runtime::Llvm => "LLVM's runtime".into(),
        Runtime::None => "no runtime".into(),
    };
    format!("{functions}{raw}, {runtime}")
}

fn of_profile(fit: &Fit) -> String {
    let mut said = format!("{}, {}", fit.title, many(fit.functions, "function"));
    if let Some(amount) = fit.of_programs {
        said += &format!("; fits {} of {} of the programs", exact(amount.with_profile), exact(amount.all));
    }
    if fit.is_of_another_build {
        said += "; written by another build";
    }
    if !fit.read_by.is_empty() {
        said += &format!("; read by {}", fit.read_by.join(", "));
    }
    said
}
