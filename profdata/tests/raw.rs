//! Raw profiles of every installed compiler, read by this crate and by the `llvm-profdata` of the same release.

#[path = "raw/as_llvm.rs"]
mod as_llvm;
#[cfg(feature = "correlate")]
#[path = "raw/correlate.rs"]
mod correlate;
#[path = "raw/damage.rs"]
mod damage;
#[path = "raw/file.rs"]
mod file;
#[path = "raw/programs.rs"]
mod programs;
#[path = "raw/recode.rs"]
mod recode;
#[path = "raw/sections.rs"]
mod sections;
#[path = "raw/text.rs"]
mod text;

use profdata::read::ReadOptions;
use profdata::read::raw::read;
use profdata::{Error, Profile};

/// Returns the profile that the bytes make.
pub fn profile(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Profile, Error> {
    let mut profile = Profile::new();
    read(bytes, options, &mut profile)?;
    Ok(profile)
}
