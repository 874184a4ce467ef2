//! Readers: bytes to records.

pub mod indexed;
pub mod names;
pub mod raw;
pub mod text;
