//! Writers: records to bytes.

pub mod indexed;
pub mod text;

pub use crate::release::{Release, Target};
