//! Writers: records to bytes.

pub mod indexed;
pub mod text;
