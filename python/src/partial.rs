//! Merges: partial results, and all inputs at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use profdata::File;
use profdata::error::{Error, ErrorKind};
use profdata::merge::{MergeOptions, Merger, merge_parallel};
use profdata::read::ReadOptions;
use profrt_tool::inputs::{Duplicate, Feed, Loaded, Sources, expand, load, load_bytes};
use profrt_tool::merge::{Ended, Weight, Weights, end};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::error;
use crate::profile::Profile;
use crate::source::Source;

/// The key of profiles without a build id in `add_by_build`.
const UNKNOWN: &str = "unknown";

/// The profile, and a `profrt.Report`.
type Finished<'py> = (Profile, Bound<'py, PyAny>);

/// A sum of profiles that can be merged further, in any order and grouping, without loss.
#[pyclass(module = "profrt")]
#[derive(Default)]
pub struct Partial {
    merger: Merger,
    /// The number of the next input.
    next: u32,
}

/// Runs the handlers of signals, such as that of Ctrl-C, if this is Python's main thread. Errors: what a handler has raised is in `raised`.
fn check_signals(raised: &Mutex<Option<PyErr>>) -> Result<(), Error> {
    Python::attach(|py| py.check_signals()).map_err(|error| {
        *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        Error::new(ErrorKind::Io, "signal")
    })
}

/// Returns what a handler of signals has raised, else the error itself.
fn first(py: Python<'_>, raised: Mutex<Option<PyErr>>, error: &Error) -> PyErr {
    raised.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|| error::of(py, error))
}

impl Partial {
    fn add_loaded(&mut self, name: &str, weight: u64, loaded: &Loaded<'_>) -> Result<(), Error> {
        let number = self.next;
        self.next = number.saturating_add(1);
        loaded.add_to(&mut self.merger, number, name, weight, None)
    }

    /// Adds bytes in memory, or what they have as an archive.
    fn add_bytes(&mut self, name: &str, weight: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut result = Ok(());
        load_bytes(name, bytes, &mut |name, loaded| {
            if let (Some(loaded), Ok(())) = (loaded, &result) {
                result = self.add_loaded(name, weight, &loaded);
            }
        });
        result
    }

    /// Adds files, one after the other.
    fn add_files(&mut self, sources: &Sources, weight: u64, raised: &Mutex<Option<PyErr>>) -> Result<(), Error> {
        let (feed, mut buffer) = (Feed::new(&sources.sources), Vec::new());
        while let Some(item) = feed.next() {
            check_signals(raised)?;
            self.add_loaded(&item.name, weight, &load(&item.content, &mut buffer))?;
        }
        Ok(())
    }

    /// Reads a partial result. Errors: it is damaged.
    fn read(bytes: &[u8]) -> Result<Partial, Error> {
        let mut partial = Partial { next: 1, ..Partial::default() };
        let whole = partial.merger.add_partial("partial result", 1, bytes)?;
        if whole != profdata::finding::Outcome::Whole {
            return Err(Error::new(ErrorKind::Malformed, "partial result").expected("one that is whole"));
        }
        Ok(partial)
    }

    /// Ends the merge, and leaves nothing.
    fn end<'py>(&mut self, py: Python<'py>, compiler: Option<&str>, sources: Sources) -> PyResult<Finished<'py>> {
        let merger = std::mem::take(self).merger;
        let ended = py.detach(|| end(merger, compiler, sources));
        let Ended { profile, target, report } = ended.map_err(|error| error::of_tool(py, &error))?;
        let report = py.import("profrt._results")?.getattr("Report")?.call1((report,))?;
        Ok((Profile::merged(profile, target), report))
    }
}

#[pymethods]
impl Partial {
    #[new]
    fn new() -> Partial {
        Partial::default()
    }

    /// Add a profile, an archive, a directory, or bytes of these. What is damaged is accounted for, and no error.
    #[pyo3(signature = (source, name=None, weight=1))]
    fn add(&mut self, py: Python<'_>, source: Source<'_>, name: Option<String>, weight: u64) -> PyResult<()> {
        let raised = Mutex::new(None);
        let added = match (&source, source.in_memory()?) {
            (_, Some(bytes)) => {
                let name = name.unwrap_or_else(|| source.name());
                py.detach(|| self.add_bytes(&name, weight, bytes))
            }
            (Source::Path(path), None) => {
                py.detach(|| self.add_files(&expand(std::slice::from_ref(path), None), weight, &raised))
            }
            _ => Ok(()),
        };
        added.map_err(|error| first(py, raised, &error))
    }

    /// Add all of another one, which is empty then.
    fn merge(&mut self, py: Python<'_>, other: &Bound<'_, Partial>) -> PyResult<()> {
        let other = std::mem::take(&mut *other.try_borrow_mut()?);
        self.next = self.next.saturating_add(other.next);
        py.detach(|| self.merger.absorb(other.merger)).map_err(|error| error::of(py, &error))
    }

    /// Return the bytes of all, or of one of `parts` ranges of functions.
    #[pyo3(signature = (part=0, parts=1))]
    #[allow(clippy::wrong_self_convention, reason = "a merger completes its sums before it writes them")]
    fn to_bytes<'py>(&mut self, py: Python<'py>, part: u32, parts: u32) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        py.detach(|| self.merger.write_part(part, parts, &mut bytes))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Read what `to_bytes` returned.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, data: Source<'_>) -> PyResult<Partial> {
        let bytes = data.whole(py)?;
        py.detach(|| Partial::read(&bytes)).map_err(|error| error::of(py, &error))
    }

    /// Put the ranges of functions together that `to_bytes(part, parts)` has taken apart, each merged by itself and in the same order.
    #[classmethod]
    fn join(_class: &Bound<'_, PyType>, py: Python<'_>, parts: Vec<Source<'_>>) -> PyResult<Partial> {
        let mut all: Option<Partial> = None;
        for part in parts {
            let bytes = part.whole(py)?;
            let joined = py.detach(|| match &mut all {
                Some(all) => all.merger.join(Partial::read(&bytes)?.merger),
                None => Partial::read(&bytes).map(|first| all = Some(first)),
            });
            joined.map_err(|error| error::of(py, &error))?;
        }
        Ok(all.unwrap_or_default())
    }

    fn __reduce__<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Partial>().getattr("from_bytes")?, (self.to_bytes(py, 0, 1)?,)))
    }

    /// End the merge. The partial result is empty then.
    #[pyo3(signature = (for_=None, duplicates=Vec::new(), ignored=Vec::new()))]
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
        for_: Option<&str>,
        duplicates: Vec<(String, String)>,
        ignored: Vec<String>,
    ) -> PyResult<Finished<'py>> {
        let duplicates = duplicates.into_iter().map(|(input, same_as)| Duplicate { input, same_as }).collect();
        self.end(py, for_, Sources { duplicates, ignored, ..Sources::default() })
    }

    fn __repr__(&self) -> String {
        format!("<profrt.Partial of {} additions>", self.next)
    }
}

/// Merges inputs as `profrt merge` does.
#[pyfunction]
pub fn merge<'py>(
    py: Python<'py>,
    inputs: Vec<Source<'_>>,
    for_: Option<&str>,
    threads: usize,
    weights: Vec<String>,
) -> PyResult<Finished<'py>> {
    let weights: Result<Vec<Weight>, String> = weights.iter().map(|weight| weight.parse()).collect();
    let weights = weights.map_err(pyo3::exceptions::PyValueError::new_err)?;
    let paths: Vec<PathBuf> = inputs
        .iter()
        .filter_map(|input| if let Source::Path(path) = input { Some(path.clone()) } else { None })
        .collect();
    let (raised, next) = (Mutex::new(None), AtomicU32::new(0));
    let merged = py.detach(|| {
        let weights = Weights::new(&weights);
        let mut sources = expand(&paths, None);
        let feed = Feed::new(&sources.sources);
        let threads = if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
        let merger = merge_parallel(threads, &MergeOptions::default(), &|merger, buffer| {
            check_signals(&raised)?;
            let Some(item) = feed.next() else { return Ok(false) };
            next.fetch_max(item.number.saturating_add(1), Ordering::Relaxed);
            let loaded = load(&item.content, buffer);
            loaded.add_to(merger, item.number, &item.name, weights.of(&item.name).1, None)?;
            Ok(true)
        })?;
        let ignored = feed.take_ignored();
        sources.ignored.extend(ignored);
        Ok((merger, sources))
    });
    let (merger, sources) = merged.map_err(|error| first(py, raised, &error))?;
    let mut partial = Partial { merger, next: next.into_inner() };
    for (number, input) in inputs.iter().enumerate() {
        if let Some(bytes) = input.in_memory()? {
            py.check_signals()?;
            let name = format!("{} {number}", input.name());
            let weight = Weights::new(&weights).of(&name).1;
            py.detach(|| partial.add_bytes(&name, weight, bytes)).map_err(|error| error::of(py, &error))?;
        }
    }
    partial.end(py, for_, sources)
}

/// Returns the build ids of a profile, joined by `-`; `None` if it has none.
fn build_of(bytes: &[u8]) -> Option<String> {
    let ids = |salvage| {
        let options = ReadOptions { salvage, ..ReadOptions::default() };
        let file = File::parse_with(bytes, options).ok()?;
        let ids = file.binary_ids().ok()?;
        Some(ids.iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect::<Vec<_>>().join("-"))
    };
    // Names are read only of a damaged one.
    ids(false).or_else(|| ids(true)).filter(|build| !build.is_empty())
}

/// Adds a profile, or each of an archive, to the partial result of its build: `partials` has them by their build ids.
#[pyfunction]
pub fn add_by_build(py: Python<'_>, partials: &Bound<'_, PyDict>, source: Source<'_>, name: &str) -> PyResult<()> {
    let (bytes, mut result) = (source.whole(py)?, Ok(()));
    let add = |name: &str, loaded: &Loaded<'_>| {
        py.check_signals()?;
        let build = py.detach(|| loaded.bytes.and_then(build_of)).unwrap_or_else(|| UNKNOWN.to_owned());
        let partial = match partials.get_item(&build)? {
            Some(partial) => partial.cast_into::<Partial>()?,
            None => Bound::new(py, Partial::default())?,
        };
        partials.set_item(build, &partial)?;
        let partial = &mut *partial.try_borrow_mut()?;
        py.detach(|| partial.add_loaded(name, 1, loaded)).map_err(|error| error::of(py, &error))
    };
    load_bytes(name, &bytes, &mut |name, loaded| {
        if let (Some(loaded), Ok(())) = (loaded, &result) {
            result = add(name, &loaded);
        }
    });
    result
}
