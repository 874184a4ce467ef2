//! The harness of the differential tests; `main.rs` is its table of contents.

pub mod archive;
pub mod build;
pub mod compare;
pub mod merges;
pub mod named;
pub mod observe;
pub mod oracle;
pub mod program;
pub mod raw;
pub mod releases;
pub mod same;
pub mod shell;
pub mod tools;
pub mod trial;
