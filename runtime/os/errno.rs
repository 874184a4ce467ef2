//! The numbers of errors, for [`crate::error`].

pub use libc::*;

// Windows has none: those of its sockets.
#[cfg(windows)]
pub const EDQUOT: i32 = 10069;
#[cfg(windows)]
pub const ESTALE: i32 = 10070;
