//! Writers: records to bytes.

pub mod indexed;
#[cfg(feature = "text")]
pub mod text;

pub use crate::release::{Release, Target};
