//! `profrt doctor`: which compilers and archives are here, which runtime a program has, and whether a profile fits programs and compilers.
//!
//! Exit status: 0; 1 when there is a problem; 2 when something cannot be read.

mod compilers;
mod linked;
mod profile;
mod text;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profrt_overlay::archive::{RAW_VERSIONS, is_ours, raw_of};
use serde::Serialize;

use crate::inputs::{display, is_linked};
use crate::install;
use crate::quality::Program;
use crate::report;
use compilers::Found;
use linked::Linked;
use profile::Fit;

/// What to look at.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Programs and shared objects, archives of profrt, profiles of any format
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only this compiler, a clang or a rustc; once for each. Without it all that are found
    #[arg(long, value_name = "PROGRAM")]
    compiler: Vec<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example: why does clang 16 not take this profile?

    profrt doctor app app.profraw --compiler clang-16

Exit status: 0; 1 there is a problem; 2 something cannot be read.";

/// Everything that is said.
#[derive(Serialize)]
struct Diagnosis {
    compilers: Vec<Found>,
    /// The package that this program is in; `null`: it is in none.
    package: Option<Package>,
    archives: Vec<Archive>,
    programs: Vec<Linked>,
    profiles: Vec<Fit>,
    problems: Vec<Problem>,
}

/// A package with archives.
#[derive(Serialize)]
struct Package {
    path: String,
    raw_versions: Vec<u8>,
}

/// A static archive.
#[derive(Serialize)]
struct Archive {
    path: String,
    /// The raw version that it is for; `null` for an archive that is not profrt's.
    raw_version: Option<u64>,
}

/// Something that will not work.
#[derive(Serialize)]
struct Problem {
    about: String,
    cause: String,
    remedy: String,
}

impl Problem {
    fn new(about: &str, cause: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem { about: about.to_owned(), cause: cause.into(), remedy: remedy.into() }
    }
}

/// Looks at everything, and returns the exit status. Errors: something cannot be read.
pub fn run(options: &Options) -> Result<u8> {
    let mut problems = Vec::new();
    let compilers = match options.compiler.as_slice() {
        [] => compilers::on_path(),
        named => named.iter().map(|program| Found::ask(program)).collect::<Result<_>>()?,
    };
    compilers.iter().for_each(|compiler| compiler.problems(&mut problems));
    let (mut archives, mut programs, mut linked, mut profiles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for path in &options.files {
        let head = head(path)?;
        if head.starts_with(b"!<arch>\n") {
            archives.push(Archive::read(path)?);
        } else if head.starts_with(b"\x7fELF") || is_linked(path) {
            let program = Program::read(path)?;
            linked.push(Linked::of(path, &program, &mut problems)?);
            programs.push(program);
        } else {
            profiles.push(path);
        }
    }
    let fit = |path: &PathBuf| Fit::of(path, &programs, &compilers, &mut problems);
    let profiles = profiles.into_iter().map(fit).collect::<Result<_>>()?;
    let status = u8::from(!problems.is_empty());
    let diagnosis = Diagnosis { compilers, package: Package::own(), archives, programs: linked, profiles, problems };
    report::show(options.json.then_some("profrt-doctor-1"), status, &diagnosis, || text::text(&diagnosis))?;
    Ok(status)
}

/// Returns the first bytes of a file; none of a directory, of standard input, and of what can be read once only.
fn head(path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    if path.is_file() {
        let file = File::open(path).with_context(|| format!("{} cannot be read", display(path)))?;
        file.take(8).read_to_end(&mut head)?;
    }
    Ok(head)
}

impl Package {
    /// Returns the package that this program is in.
    fn own() -> Option<Package> {
        let directory = install::archives()?;
        let is_there = |raw: &u8| directory.join(format!("raw-{raw}/lib/libprofrt.a")).is_file();
        Some(Package { path: display(&directory), raw_versions: RAW_VERSIONS.into_iter().filter(is_there).collect() })
    }
}

impl Archive {
    fn read(path: &Path) -> Result<Archive> {
        let bytes = fs::read(path).with_context(|| format!("{} cannot be read", display(path)))?;
        let raw_version = if is_ours(path) { Some(raw_of(&bytes)?) } else { None };
        Ok(Archive { path: display(path), raw_version })
    }
}
