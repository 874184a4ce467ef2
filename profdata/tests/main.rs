//! The tests of the crate from outside. One program, for each would link everything once more.

mod common;
mod support;

mod account;
mod compat;
mod coverage;
mod hostile;
mod indexed;
mod memprof;
mod raw;
mod readme;
mod reports;
mod text;
mod use_it;
