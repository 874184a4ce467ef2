//! What the tool does besides merges: check, coverage, which files count, and the command itself.

use std::ffi::OsString;
use std::path::PathBuf;

use profrt_tool::cov::Coverage;
use profrt_tool::inputs::{self, Feed, Source as Input, load, load_bytes};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error;
use crate::source::Source;

/// Looks into a file, directory or archive, or bytes of one. Returns a verdict for each profile, as JSON.
#[pyfunction]
pub fn check(py: Python<'_>, source: Source<'_>) -> PyResult<String> {
    let mut verdicts = Vec::new();
    if let Source::Path(path) = &source {
        let sources = inputs::expand(std::slice::from_ref(path), None);
        let (feed, mut buffer) = (Feed::new(&sources.sources), Vec::new());
        while let Some(item) = py.detach(|| feed.next()) {
            py.check_signals()?;
            let loaded = load(&item.content, &mut buffer);
            verdicts.push(py.detach(|| profrt_tool::check::verdict(item.name, loaded)));
        }
    } else {
        let bytes = source.whole(py)?;
        load_bytes("bytes", &bytes, &mut |name, loaded| {
            verdicts.extend(loaded.map(|loaded| profrt_tool::check::verdict(name.to_owned(), loaded)));
        });
    }
    serde_json::to_string(&verdicts).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Returns what ran of the source, as JSON and as lcov's trace file, and what of the profiles is lost.
#[pyfunction]
pub fn coverage(py: Python<'_>, profiles: Vec<PathBuf>, elf: Vec<PathBuf>) -> PyResult<(String, String, Vec<String>)> {
    let coverage = py.detach(|| profrt_tool::cov::coverage(&profiles, &elf));
    let Coverage { json, lcov, damage } = coverage.map_err(|error| error::of_tool(py, &error))?;
    Ok((json, lcov, damage))
}

/// Paths with sizes, pairs of a path and the one that it is again, and paths that do not count.
type Expanded = (Vec<(String, u64)>, Vec<(String, String)>, Vec<String>);

/// Returns the files that paths stand for. What cannot be read has no size.
#[pyfunction]
pub fn expand(py: Python<'_>, paths: Vec<PathBuf>) -> Expanded {
    let sources = py.detach(|| inputs::expand(&paths, None));
    let files = sources.sources.iter().map(|source| match source {
        Input::File { path, size } => (path.to_string_lossy().into_owned(), *size),
        Input::Unreadable { path, .. } => (path.to_string_lossy().into_owned(), 0),
        Input::Stdin => ("-".to_owned(), 0),
    });
    let duplicates = sources.duplicates.iter().map(|duplicate| (duplicate.input.clone(), duplicate.same_as.clone()));
    (files.collect(), duplicates.collect(), sources.ignored.clone())
}

/// Returns whether a file with this name counts in a directory.
#[pyfunction]
pub fn is_profile_name(name: &str) -> bool {
    inputs::is_profile_name(name.as_bytes())
}

/// Runs the command line of `profrt`, the name of the program first. Returns the exit status.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    #[cfg(unix)]
    profrt_tool::signals::block();
    py.detach(|| profrt_tool::command_line::main(arguments))
}
