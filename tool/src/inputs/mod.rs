//! What commands take as input: files, directories, lists, archives and standard input, in one stable order.
//!
//! - [`expand`] turns arguments and lists into [`Source`]s. A file that was given twice, under two names too, is one source; the other is a
//!   [`Duplicate`].
//! - [`Feed`] hands out the profiles of the sources one by one, from any thread. Of an archive it has a few members in memory, never all.
//! - [`Once`] finds profiles with equal contents, which may be copies or runs that counted the same.
//!
//! Nothing is left out without a word: what is no profile is in [`Sources::ignored`], what cannot be read is an [`Item`] with an error.

mod archive;
mod binaries;
mod budget;
mod expand;
mod feed;
mod load;
mod once;
mod profile;
mod progress;
mod zstd;

use std::path::{Path, PathBuf};

#[cfg(unix)]
pub(crate) use archive::{Found, unpack};
pub use binaries::{binaries, when_needed};
pub(crate) use binaries::{is_compiled, is_linked};
#[cfg(unix)]
pub(crate) use expand::is_put_aside;
pub(crate) use expand::path_of;
pub use expand::{expand, expand_all, is_container, is_profile_name, lists};
pub use feed::{Content, Feed, Item};
pub use load::{Loaded, load, load_bytes};
pub use once::Once;
pub use profile::{counts, damage, each, profile};
pub use progress::Progress;

use crate::text::many;
pub use crate::text::{display, printable, printable_bytes};
use anyhow::{Result, ensure};

/// Where profiles come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, which may be an archive, or a pipe.
    File {
        /// Its path.
        path: PathBuf,
        /// Its size in bytes; 0 for a pipe.
        size: u64,
    },
    /// Something that cannot be read.
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: String,
    },
}

/// A file or an archive member that is another one again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct Duplicate {
    /// Name of the one that was left out.
    pub input: String,
    /// Name of the one that was taken.
    pub same_as: String,
}

/// What the arguments of a command stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// In the order of the arguments; files of a directory sorted by their paths.
    pub sources: Vec<Source>,
    /// Files that were given before.
    pub duplicates: Vec<Duplicate>,
    /// Files in directories that are no profiles.
    pub ignored: Vec<String>,
    /// The output is a file of a directory, which is left out.
    pub has_output: bool,
}

impl Sources {
    /// Returns the bytes of all files, as far as they are known.
    pub fn bytes(&self) -> u64 {
        let size = |source: &Source| if let Source::File { size, .. } = source { *size } else { 0 };
        self.sources.iter().map(size).sum()
    }

    /// Returns the paths of all files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter_map(|source| match source {
            Source::File { path, .. } => Some(path.as_path()),
            Source::Stdin | Source::Unreadable { .. } => None,
        })
    }

    /// Checks that the output that `option` names is in no input directory, whether or not it counts as an input there.
    ///
    /// Errors: it is, and would be replaced.
    pub fn check_keeps(&self, option: &str, output: &Path) -> Result<()> {
        let output = display(output);
        ensure!(!self.has_output, "{option} would replace {output} in an input directory; give another file");
        Ok(())
    }

    /// Returns whether all inputs can be read a second time.
    pub fn can_read_twice(&self) -> bool {
        let once = |source: &Source| match source {
            Source::Stdin => true,
            Source::File { path, .. } => !path.is_file(),
            Source::Unreadable { .. } => false,
        };
        !self.sources.iter().any(once)
    }
}

/// Ignored files that are named by themselves.
const NAMED: usize = 5;

/// Returns lines about files of directories and archives that do not count: those that have a reason in brackets by name, and how many are no
/// profiles at all.
pub fn passed_over(ignored: &[String], more: &str) -> Vec<String> {
    let (named, others): (Vec<_>, Vec<_>) = ignored.iter().partition(|line| line.ends_with(')'));
    let mut lines: Vec<String> = named.iter().take(NAMED).map(|line| line.to_string()).collect();
    if let number @ 1.. = named.len().saturating_sub(NAMED) as u64 {
        lines.push(format!("{} for such reasons{more}", many(number, "more file")));
    }
    if let number @ 1.. = others.len() as u64 {
        let files = many(number, "file");
        lines.push(format!(
            "{files} in directories or archives that neither is called like a profile nor begins like one{more}"
        ));
    }
    lines
}
