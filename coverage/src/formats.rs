//! The formats for machines. A new one is a file, its `mod`, and a row of the table.

mod badge;
mod cobertura;
mod codecov;
mod github;
mod json;
mod lcov;
mod markdown;
mod sonar;
mod xml;

use crate::format::Format;

/// All formats, in the order of `profrt cov --help`.
pub const FORMATS: &[&dyn Format] = &[
    &json::Json,
    &lcov::Lcov::Any,
    &lcov::Lcov::One,
    &lcov::Lcov::Two,
    &cobertura::Cobertura,
    &sonar::Sonar,
    &codecov::Codecov,
    &markdown::Markdown,
    &github::Github,
    &badge::Badge,
];

/// Returns the format with this name.
pub fn find(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.about().name == name)
}
