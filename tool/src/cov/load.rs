//! Reads the profiles and the programs that the command line names.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, Result, ensure};
use object::ReadCache;
use profdata::correlate::Correlation;
use profdata::coverage::{Images, Mapping, Rules};
use profrt_coverage::load::{Loaded, Programs};
use profrt_coverage::parallel;
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use walkdir::WalkDir;

use crate::inputs::{self, display};

/// Reads the profiles of programs, and says what of them is lost. Errors: nothing can be read of them, or they are of kinds that have no source.
pub(super) fn read<'p>(profiles: &[PathBuf], programs: &'p Programs) -> Result<(Loaded<'p>, Vec<String>)> {
    let (profile, report) = inputs::counts(profiles, binaries(programs))?;
    Ok((Loaded::new(profile, programs)?, inputs::damage(&report)))
}

/// Reads the same, and at the same time the mappings of the programs by some rules. Errors: those of both.
pub(super) fn with_mapping<'p>(
    profiles: &[PathBuf],
    programs: &'p Programs,
    rules: Rules,
    threads: usize,
) -> Result<(Loaded<'p>, Vec<String>, Mapping<'p>)> {
    let binaries = binaries(programs);
    // With the index, which is made when it is asked for.
    let indexed = || mapping(programs, rules).inspect(|mapping| _ = mapping.functions().next());
    let (read, mapping) = parallel::both(threads, || inputs::counts(profiles, binaries.clone()), indexed);
    let ((profile, report), mapping) = (read?, mapping?);
    let mut loaded = Loaded::new(profile, programs)?;
    if rules == Rules::Own {
        tell_apart(&mut loaded, profiles, programs, &mapping);
    }
    Ok((loaded, inputs::damage(&report), mapping))
}

/// Reads the profiles again if programs have other functions of one name.
pub(super) fn tell_apart<'p>(
    loaded: &mut Loaded<'p>,
    profiles: &[PathBuf],
    programs: &Programs,
    mapping: &Mapping<'p>,
) {
    loaded.images = Images::of(mapping);
    if !loaded.images.is_empty() {
        inputs::each(profiles, binaries(programs).as_deref(), &mut loaded.images);
    }
}

/// Returns what profiles lack and the programs have.
pub(super) fn binaries(programs: &Programs) -> Option<Arc<dyn Correlation>> {
    Some(inputs::when_needed(programs.paths().map(Path::to_owned).collect()))
}

/// Returns the coverage mappings of all programs, by these rules. Errors: one is no object file, or none has any.
pub(super) fn mapping(programs: &Programs, rules: Rules) -> Result<Mapping<'_>> {
    programs.mapping(rules, |note| warn_line!("{note}"))
}

/// Opens programs, and those in directories. Errors: one cannot be read.
pub(super) fn programs(paths: &[PathBuf]) -> Result<Programs> {
    Programs::open(expand(paths)?)
}

/// Puts what is [below] a directory in its place. Errors: there is nothing, or it cannot be read.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut expanded = Vec::new();
    for path in paths {
        if !path.is_dir() {
            expanded.push(path.clone());
            continue;
        }
        let below = below(path)?;
        ensure!(!below.is_empty(), "{} has no programs and no object files", display(path));
        expanded.extend(below);
    }
    Ok(expanded)
}

/// Returns the programs and shared objects below a directory, then the object files and static archives with coverage mappings: what is in no
/// program has not run. Each in the order of their paths. Says which of the latter cannot be read. What CMake tries compilers with is left out.
/// Errors: the directory cannot be read.
pub(super) fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let (mut programs, mut compiled) = (Vec::new(), Vec::new());
    let is_ours = |entry: &walkdir::DirEntry| {
        // Of targets CMake has `CMakeFiles/NAME.dir` only.
        let is_cmakes = entry.path().parent().is_some_and(|parent| parent.ends_with("CMakeFiles"))
            && entry.path().extension().is_none_or(|extension| extension != "dir");
        entry.depth() == 0
            || !is_cmakes && ![".git", super::run::DIRECTORY].map(OsStr::new).contains(&entry.file_name())
    };
    for entry in WalkDir::new(directory).sort_by_file_name().into_iter().filter_entry(is_ours) {
        let entry = entry.with_context(|| format!("{} cannot be read", display(directory)))?;
        if !entry.file_type().is_file() {
            continue;
        } else if inputs::is_linked(entry.path()) {
            programs.push(entry.into_path());
        } else if inputs::is_compiled(entry.path()) && has_mapping(entry.path()) {
            compiled.push(entry.into_path());
        }
    }
    programs.append(&mut compiled);
    #[cfg(unix)]
    allow_open_files();
    Ok(programs)
}

/// Lets as many files be open as the process may ask for: programs are read when something of them is needed.
#[cfg(unix)]
fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Opening says what there is too much of.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Returns whether something in an object file was compiled for coverage. Says why it cannot be read.
fn has_mapping(path: &Path) -> bool {
    let read = File::open(path).map_err(Error::from).and_then(|file| {
        let file = ReadCache::new(file);
        Ok(Mapping::new().add_file(&file)?.functions > 0)
    });
    read.inspect_err(|error| warn_line!("{}: is left out: {error:#}", display(path))).unwrap_or(false)
}
