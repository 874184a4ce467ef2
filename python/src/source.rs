//! What users give as an input: a path, or bytes in memory.

use std::borrow::Cow;
use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error;

/// An input.
#[derive(FromPyObject)]
pub enum Source<'py> {
    /// `bytes` or `bytearray`.
    Bytes(PyBackedBytes),
    /// A NumPy array of bytes, which Ray hands over without a copy.
    Array(PyReadonlyArray1<'py, u8>),
    /// `str` or `os.PathLike`.
    Path(PathBuf),
}

impl Source<'_> {
    /// Returns the bytes in memory; `None` for a path. Errors: an array has gaps.
    pub fn in_memory(&self) -> PyResult<Option<&[u8]>> {
        match self {
            Source::Bytes(bytes) => Ok(Some(bytes)),
            Source::Array(array) => Ok(Some(array.as_slice()?)),
            Source::Path(_) => Ok(None),
        }
    }

    /// Returns the name of an input that was given no other.
    pub fn name(&self) -> String {
        match self {
            Source::Path(path) => profrt_tool::inputs::display(path),
            _ => "bytes".to_owned(),
        }
    }

    /// Returns all bytes, those of a file too. Errors: an array has gaps; the file cannot be read.
    pub fn whole(&self, py: Python<'_>) -> PyResult<Cow<'_, [u8]>> {
        match self {
            Source::Path(path) => {
                let read = py.detach(|| std::fs::read(path));
                read.map(Cow::Owned).map_err(|error| error::of_system(py, &self.name(), &error))
            }
            _ => Ok(Cow::Borrowed(self.in_memory()?.unwrap_or_default())),
        }
    }
}
