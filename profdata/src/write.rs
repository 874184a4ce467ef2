//! Writers: records to bytes.

pub mod indexed;
mod left_out;
pub mod text;

pub use crate::release::{Release, Target};
