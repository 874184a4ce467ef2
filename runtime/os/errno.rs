//! The numbers of errors, for [`crate::error`].

pub use libc::*;

// Windows has none: those of its sockets.
#[cfg(windows)]
pub const EDQUOT: i32 = 10069;
#[cfg(windows)]
pub const ESTALE: i32 = 10070;
// macOS has two, and says this one of files.
#[cfg(target_os = "macos")]
pub const EOPNOTSUPP: i32 = ENOTSUP;
