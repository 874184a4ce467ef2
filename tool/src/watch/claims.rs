//! Names of files that a watcher has taken away, to merge and then remove them: no program finds them, and the next run begins a new file.
//!
//! A name is `.profrt-watch-WATCHER-NUMBER-NAME`. Only the watcher with this number touches it, and no two files ever get the same one: so the list
//! of what is in the result knows a file by this name, also when the system gives its inode to another file.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = ".profrt-watch-";

/// Bytes of the two numbers, each with its hyphen.
const NUMBERS: usize = 34;

/// Returns the last component of a path.
pub(super) fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// Returns a random number.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

/// Returns whether any watcher has taken a file with this name away.
pub(super) fn is_claim(name: &OsStr) -> bool {
    name.as_bytes().starts_with(PREFIX.as_bytes()) && name.len() > PREFIX.len() + NUMBERS
}

/// Returns whether this watcher has.
pub(super) fn is_own(name: &OsStr, watcher: u64) -> bool {
    is_claim(name) && name.as_bytes().starts_with(format!("{PREFIX}{watcher:016x}-").as_bytes())
}

/// Returns a name for a file that is taken away.
pub(super) fn claim(name: &OsStr, watcher: u64) -> OsString {
    let mut claim = format!("{PREFIX}{watcher:016x}-{:016x}-", random()).into_bytes();
    claim.extend_from_slice(name.as_bytes());
    OsString::from_vec(claim)
}

/// Returns the path that a file had before it was taken away.
pub(super) fn original(path: &Path) -> PathBuf {
    let claim = name(path);
    let original = claim.as_bytes().get(PREFIX.len() + NUMBERS..).filter(|_| is_claim(claim));
    path.with_file_name(original.map_or(claim, OsStr::from_bytes))
}
