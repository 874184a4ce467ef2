//! How commands report: tables and colors for people, JSON for machines, and output files that are published whole.

pub mod hot;
pub mod json;
pub mod links;
pub mod names;
pub mod output;
pub mod style;

pub use style::{Share, exact, percent, print};

/// What is said of a profile without functions.
pub(crate) const NO_FUNCTIONS: &str = "the profile has no functions: were the objects compiled with -fprofile-instr-generate or \
    -fprofile-generate, or only linked with it?";
