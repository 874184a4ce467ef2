//! Errors as Python's: the line of the tool as the message, and each part of it as an attribute.

use std::path::Path;

use profdata::error::ErrorKind;
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// `errno.ENOENT`, which all systems have.
const ENOENT: i32 = 2;

pyo3::create_exception!(
    profrt,
    ProfileError,
    PyValueError,
    "A profile cannot be read, merged or written.\n\nAttributes: kind, input, field, offset, expected, found, cause, remedy; None where \
     nothing is known."
);

/// Returns the class, whose attributes are those of an error of which nothing is known.
pub fn class(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let class = py.get_type::<ProfileError>();
    for name in ["kind", "input", "field", "offset", "expected", "found", "cause", "remedy"] {
        class.setattr(name, py.None())?;
    }
    Ok(class)
}

/// Returns an error with an attribute for each part of it that is known.
fn raised(py: Python<'_>, message: String, error: Option<&profdata::Error>) -> PyErr {
    let raised = ProfileError::new_err(message);
    let details = error.map(profdata::Error::details);
    let attributes = [
        ("kind", details.map(|details| format!("{:?}", details.kind))),
        ("input", details.and_then(|details| details.input.clone())),
        ("field", details.map(|details| details.field.to_string())),
        ("expected", details.and_then(|details| details.expected.clone())),
        ("found", details.and_then(|details| details.found.clone())),
        ("cause", error.map(|error| error.cause().to_owned())),
        ("remedy", error.map(|error| error.remedy().to_owned())),
    ];
    let value = raised.value(py);
    let set = value.setattr("offset", details.and_then(|details| details.offset));
    let set = set.and_then(|()| attributes.iter().try_for_each(|(name, text)| value.setattr(*name, text)));
    set.err().unwrap_or(raised)
}

/// Returns an error of `profdata`; of an input that is not there Python's own.
pub fn of(py: Python<'_>, error: &profdata::Error) -> PyErr {
    let details = error.details();
    if let Some(input) =
        details.input.as_ref().filter(|input| details.kind == ErrorKind::Io && !Path::new(input).exists())
    {
        return PyFileNotFoundError::new_err((ENOENT, "No such file or directory", input.clone()));
    }
    raised(py, profrt_tool::report::explained(error), Some(error))
}

/// Returns an error of the tool, which may be one of `profdata`.
pub fn of_tool(py: Python<'_>, error: &anyhow::Error) -> PyErr {
    raised(py, format!("{error:#}"), error.downcast_ref())
}

/// Returns an error of the system about an input.
pub fn of_system(py: Python<'_>, input: &str, error: &std::io::Error) -> PyErr {
    of(py, &profdata::Error::new(ErrorKind::Io, "file").found(error).in_input(input))
}
