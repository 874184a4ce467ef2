//! The Python package `profrt`: what the crates `profdata` and `profrt-tool` do, for notebooks, Ray and Spark.
//!
//! Only translation: what formats mean, and how merges are reported, is the business of those crates. Structured results cross as JSON.

#![deny(unsafe_code)]
#![warn(missing_docs)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod error;
mod partial;
mod profile;
mod source;
mod tool;

use pyo3::prelude::*;

/// What `profrt/__init__.py` hands on.
#[pymodule]
fn _profrt(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ProfileError", error::class(module.py())?)?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<profile::Function>()?;
    module.add_class::<partial::Partial>()?;
    module.add_function(wrap_pyfunction!(profile::read, module)?)?;
    module.add_function(wrap_pyfunction!(partial::merge, module)?)?;
    module.add_function(wrap_pyfunction!(partial::add_by_build, module)?)?;
    module.add_function(wrap_pyfunction!(tool::check, module)?)?;
    module.add_function(wrap_pyfunction!(tool::coverage, module)?)?;
    module.add_function(wrap_pyfunction!(tool::expand, module)?)?;
    module.add_function(wrap_pyfunction!(tool::is_profile_name, module)?)?;
    module.add_function(wrap_pyfunction!(tool::main, module)?)
}
