//! Writes indexed profiles of version 7 to 14.
//!
//! The bytes are those of the release that the [`Target`] names, for records that came in the same order. All sizes are known before
//! the first byte is written, so the output needs no seek and a pipe works.

mod era;
mod fit;
mod order;
mod output;
mod plan;
mod record;
mod sections;

use std::io;

use crate::error::Error;
use crate::finding::Finding;
use crate::profile::Profile;
use crate::release::Target;

pub use era::{HashEras, check_eras};

use plan::Plan;

/// How to write an indexed profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Leave out the names whose records all have only zero counters and zero bitmaps, as `llvm-profdata merge -sparse` does.
    pub sparse: bool,
    /// Write the names of vtables that the profile has, as `llvm-profdata merge -keep-vtable-symbols` does.
    pub vtable_names: bool,
    /// What to do with front-end records whose hashes the readers of the version compute in another way.
    pub hash_eras: HashEras,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions { sparse: false, vtable_names: true, hash_eras: HashEras::Refuse }
    }
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// Size of the output in bytes.
    pub bytes: u64,
    /// Number of names in the function table.
    pub names: u64,
    /// Number of records.
    pub records: u64,
    /// What the target has no place for, and was left out.
    pub findings: Vec<Finding>,
}

/// Returns the distinct names of one input in the order in which `llvm-profdata` 19 and later adds them to its output: the iteration order
/// of the reader's own map. [`write()`] puts the names of all inputs, in that order, through the map of the output.
pub fn vtable_names_of_input(names: &[Vec<u8>]) -> Vec<Vec<u8>> {
    sections::in_map_order(names).into_iter().map(<[u8]>::to_vec).collect()
}

/// Writes a profile.
///
/// What the target cannot have and its readers do not miss is left out, with a finding: records of which only the name's hash is known,
/// bitmaps, uniformity bits, vtable values and names, binary ids, traces, MemProf.
///
/// Errors: [`ErrorKind::Unwritable`](crate::error::ErrorKind::Unwritable) when the profile has a variant flag that the target's readers
/// would misunderstand, two records of one name and hash (merge them first), or hashes of another era ([`HashEras`]);
/// [`ErrorKind::Io`](crate::error::ErrorKind::Io) when `out` fails.
///
/// ```
/// use profdata::Profile;
/// use profdata::read;
/// use profdata::read::ReadOptions;
/// use profdata::Target;
/// use profdata::write::indexed::{WriteOptions, write};
///
/// let mut profile = Profile::new();
/// read(b":ir\nmain\n7\n2\n5\n1\n$1\n0x3\n", &ReadOptions::default(), &mut profile)?;
/// let mut bytes = Vec::new();
/// let written = write(&profile, Target::of_name("rustc-1.85")?, &WriteOptions::default(), &mut bytes)?;
/// assert_eq!((written.bytes, written.records, written.findings.len()), (bytes.len() as u64, 1, 0));
///
/// // Clang 16 knows no bitmaps.
/// let written = write(&profile, Target::of_name("clang-16")?, &WriteOptions::default(), &mut Vec::new())?;
/// assert_eq!(written.findings[0].to_string(), "the bitmaps of 1 record are left out");
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn write(
    profile: &Profile,
    target: Target,
    options: &WriteOptions,
    out: &mut impl io::Write,
) -> Result<Written, Error> {
    Plan::new(profile, target, options)?.write(out)
}
