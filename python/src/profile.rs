//! A profile, and the functions in it.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, ndarray};
use profdata::sink::{RecordRef, ValueSites};
use profdata::{File, Target};
use profrt_coverage::names::demangle;
use profrt_tool::merge::{end_one, write_file};
use profrt_tool::show::kind_of;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error;
use crate::source::Source;

/// The kinds of value sites, in the order of their numbers.
const KINDS: [&str; 3] = ["indirect-call", "memory-size", "vtable"];

/// A profile in memory. It never changes.
#[pyclass(frozen, module = "profrt")]
pub struct Profile {
    inner: profdata::Profile,
    version: Option<u32>,
    /// Of a merge, for whom it is.
    target: Option<Target>,
}

impl Profile {
    /// Returns the result of a merge.
    pub fn merged(inner: profdata::Profile, target: Target) -> Profile {
        Profile { inner, version: None, target: Some(target) }
    }

    fn record(&self, place: usize) -> Option<RecordRef<'_>> {
        self.inner.record(place)
    }

    fn names(&self) -> Vec<String> {
        self.inner.records().map(|record| text(record.name.bytes)).collect()
    }
}

/// Returns a name as text; of a function whose name is not known, none.
fn text(name: Option<&[u8]>) -> String {
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
}

/// Calls a function of `profrt/_tables.py` with a profile.
fn table<'py>(
    profile: &Bound<'py, Profile>,
    name: &str,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = profile.py().import("profrt._tables")?;
    let arguments: Vec<Bound<'py, PyAny>> =
        std::iter::once(profile.clone().into_any()).chain(arguments.iter()).collect();
    module.call_method1(name, PyTuple::new(profile.py(), arguments)?)
}

#[pymethods]
impl Profile {
    /// Instrumentation: "front end", "IR", with what else is special about it.
    #[getter]
    fn kind(&self) -> String {
        kind_of(&self.inner)
    }

    /// Version of the format; None for text and of merges.
    #[getter]
    fn version(&self) -> Option<u32> {
        self.version
    }

    /// Build ids of the binaries that ran, in hexadecimal.
    #[getter]
    fn binary_ids(&self) -> Vec<String> {
        self.inner.binary_ids().iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect()
    }

    /// Sum of all counters.
    #[getter]
    fn counts(&self) -> u128 {
        self.inner.counts()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Iterate over the functions: after a merge sorted by name and hash, else in the order of the file.
    fn functions(slf: &Bound<'_, Self>) -> Functions {
        Functions { profile: slf.clone().unbind(), next: 0 }
    }

    fn __iter__(slf: &Bound<'_, Self>) -> Functions {
        Profile::functions(slf)
    }

    /// Write an indexed profile, whole or not at all, for a compiler.
    #[pyo3(signature = (path, for_=None))]
    fn write(&self, py: Python<'_>, path: PathBuf, for_: Option<&str>) -> PyResult<()> {
        let written = py.detach(|| match (self.target, for_) {
            (Some(target), None) => write_file(&self.inner, target, &path),
            _ => end_one(&self.inner, for_).and_then(|ended| write_file(&ended.profile, ended.target, &path)),
        });
        written.map_err(|error| error::of_tool(py, &error))
    }

    /// Names, hashes, and counters of all functions with the place in them at which those of each end.
    fn _columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let records = || self.inner.records();
        let counters: Vec<u64> = records().flat_map(|record| record.counters).copied().collect();
        let ends = records().scan(0_i64, |end, record| {
            *end += record.counters.len() as i64;
            Some(*end)
        });
        let columns = PyDict::new(py);
        columns.set_item("name", self.names())?;
        let name = |record: RecordRef<'_>| demangle(record.name.bytes.unwrap_or_default());
        columns.set_item("demangled", records().map(name).collect::<Vec<String>>())?;
        columns.set_item("hash", records().map(|record| record.hash).collect::<Vec<u64>>().into_pyarray(py))?;
        columns.set_item("ends", ends.collect::<Vec<i64>>().into_pyarray(py))?;
        columns.set_item("counters", counters.into_pyarray(py))?;
        Ok(columns)
    }

    /// A row for each value of each site: the place of the function, kind, site, value, count.
    fn _values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows: Vec<[u64; 5]> =
            (0..).zip(self.inner.records()).flat_map(|(place, record)| rows(place, record)).collect();
        let columns = PyDict::new(py);
        for (number, name) in ["function", "kind", "site", "value", "count"].into_iter().enumerate() {
            let column = rows.iter().filter_map(|row| row.get(number).copied());
            columns.set_item(name, column.collect::<Vec<u64>>().into_pyarray(py))?;
        }
        Ok(columns)
    }

    /// Return an Arrow table of functions: name, hash, count (the sum of the counters), counters.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        table(slf, "functions", &PyTuple::empty(slf.py()))
    }

    /// Return an Arrow table of the values of value sites: name, hash, kind, site, value, count.
    fn values_to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        table(slf, "values", &PyTuple::empty(slf.py()))
    }

    /// Return the table of functions as a pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Profile::to_arrow(slf)?.call_method0("to_pandas")
    }

    /// Write Parquet files of functions and, if `values` is given, of value sites.
    #[pyo3(signature = (functions, values=None))]
    fn to_parquet<'py>(
        slf: &Bound<'py, Self>,
        functions: Bound<'py, PyAny>,
        values: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        table(slf, "write", &(functions, values).into_pyobject(slf.py())?).map(drop)
    }

    fn __repr__(&self) -> String {
        format!("<profrt.Profile: {}, {} functions, counts of {}>", self.kind(), self.inner.len(), self.inner.counts())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        table(slf, "html", &PyTuple::empty(slf.py()))
    }
}

/// Returns the values of a function as rows.
fn rows(place: u64, record: RecordRef<'_>) -> Vec<[u64; 5]> {
    let kinds = record.values.iter().flat_map(|values| (0..).zip(&values.kinds));
    let sites =
        kinds.flat_map(|(kind, sites)| (0..).zip(sites.sites()).map(move |(site, values)| (kind, site, values)));
    let row = |(kind, site, values)| {
        let of = move |value: &profdata::sink::Value| [place, kind, site, value.value, value.count];
        <[_]>::iter(values).map(of).collect::<Vec<_>>()
    };
    sites.flat_map(row).collect()
}

/// The functions of a profile, one after the other.
#[pyclass(module = "profrt")]
pub struct Functions {
    profile: Py<Profile>,
    next: usize,
}

#[pymethods]
impl Functions {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Function> {
        let place = self.next;
        self.profile.get().record(place)?;
        self.next = place.saturating_add(1);
        Some(Function { profile: self.profile.clone_ref(py), place })
    }
}

/// The counts of one function.
#[pyclass(frozen, module = "profrt")]
pub struct Function {
    profile: Py<Profile>,
    place: usize,
}

impl Function {
    fn record(&self) -> Option<RecordRef<'_>> {
        self.profile.get().record(self.place)
    }
}

#[pymethods]
impl Function {
    /// PGO name; empty if only its hash is known.
    #[getter]
    fn name(&self) -> String {
        text(self.record().and_then(|record| record.name.bytes))
    }

    /// Structural hash.
    #[getter]
    fn hash(&self) -> u64 {
        self.record().map_or(0, |record| record.hash)
    }

    /// Counters: a NumPy array that cannot be written to, of the profile's own memory.
    #[getter]
    #[allow(unsafe_code)]
    fn counters<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let counters = slf.get().record().map_or(&[][..], |record| record.counters);
        let view = ndarray::ArrayView1::from(counters);
        // SAFETY: the array keeps the function alive, that the profile, and both are frozen: the counters neither move nor change.
        let array = unsafe { PyArray1::borrow_from_array(&view, slf.clone().into_any()) };
        array.try_readwrite()?.make_nonwriteable();
        Ok(array)
    }

    /// Of each kind of value sites the sites, with (value, count) for each value.
    #[getter]
    fn value_sites<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sites = PyDict::new(py);
        let all = self.record().and_then(|record| record.values).map_or(ValueSites::default(), Clone::clone);
        for (name, kind) in KINDS.into_iter().zip(&all.kinds).filter(|(_, kind)| !kind.is_empty()) {
            let pairs = |site: &[profdata::sink::Value]| site.iter().map(|value| (value.value, value.count)).collect();
            sites.set_item(name, kind.sites().map(pairs).collect::<Vec<Vec<(u64, u64)>>>())?;
        }
        Ok(sites)
    }

    fn __repr__(&self) -> String {
        let counters = self.record().map_or(0, |record| record.counters.len());
        format!("<profrt.Function {}, hash {:#x}, {counters} counters>", self.name(), self.hash())
    }
}

/// Read a profile of any format.
#[pyfunction]
pub fn read(py: Python<'_>, source: Source<'_>) -> PyResult<Profile> {
    let bytes = source.whole(py)?;
    let read = py.detach(|| {
        let file = File::parse(&bytes)?;
        Ok(Profile { version: file.version(), inner: file.to_profile()?, target: None })
    });
    read.map_err(|error: profdata::Error| error::of(py, &error.in_input(source.name())))
}
