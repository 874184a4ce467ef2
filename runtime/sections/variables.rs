//! Variables that the compiler defines in instrumented programs, and we weakly where it does not (`abi::variables`).
//!
//! Each accessor is a module, and so an archive member, of its own: a program links just what it uses.

mod directory_mode;
#[cfg(feature = "hosted")]
mod filename;
mod raw_version;

pub use directory_mode::directory_mode;
#[cfg(feature = "hosted")]
pub use filename::profile_filename;
pub use raw_version::raw_version;
