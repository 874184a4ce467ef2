//! How commands report, all in one way: [`Page`]s for people and JSON for machines, a [`Verdict`] with the exit status, findings one line a
//! kind, and output files that are published whole.

pub mod findings;
pub mod hot;
pub mod links;
pub mod names;
pub mod output;
pub mod page;
pub mod style;
pub mod verdict;

pub use findings::{Fault, explained};
pub use page::Page;
pub use style::{Share, print, share};
pub use verdict::{Verdict, exit, is_report, json, show};

pub use crate::text::{exact, percent};

/// What is said of a profile without functions.
pub(crate) const NO_FUNCTIONS: &str = "the profile has no functions: were the objects compiled with -fprofile-instr-generate or \
    -fprofile-generate, or only linked with it?";
