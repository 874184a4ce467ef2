//! The numbers of errors, for [`crate::error`].

pub use libc::*;
