//! Reads the variables that the compiler defines in instrumented programs. `abi::variables` defines them weakly, for other programs.
//!
//! Each accessor is a module, and so an archive member, of its own: a program links only what it uses.

mod directory_mode;
#[cfg(feature = "hosted")]
mod filename;
mod raw_version;

pub use directory_mode::directory_mode;
#[cfg(feature = "hosted")]
pub use filename::profile_filename;
pub use raw_version::raw_version;
