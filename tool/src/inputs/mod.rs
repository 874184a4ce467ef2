//! What commands take as input: files, directories, lists, archives and standard input, in one stable order.
//!
//! - [`expand`] turns arguments and lists into [`Source`]s. A file that was given twice, under two names too, is one source; the other is a
//!   [`Duplicate`].
//! - [`Feed`] hands out the profiles of the sources one by one, from any thread. Of an archive it has a few members in memory, never all.
//! - [`Once`] finds profiles with equal contents.
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
mod zstd;

use std::path::{Path, PathBuf};

pub use binaries::binaries;
pub use expand::{expand, expand_all, is_profile_name, lists};
pub use feed::{Content, Feed, Item};
pub use load::{Loaded, load};
pub use once::Once;
pub use profile::{Loss, profile};

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
    /// How that is known.
    pub by: Sameness,
}

/// How two inputs are known to be one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sameness {
    /// Both names lead to one file.
    File,
    /// Both have the same bytes.
    Content,
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
}

impl Sources {
    /// Returns the bytes of all files, as far as they are known.
    pub fn bytes(&self) -> u64 {
        let size = |source: &Source| if let Source::File { size, .. } = source { *size } else { 0 };
        self.sources.iter().map(size).sum()
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

/// Returns a path as messages and reports have it. Control characters, which could change what a terminal shows, are escaped.
pub fn display(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Returns a text with its control characters escaped.
pub fn printable(text: &str) -> String {
    let escaped = |c: char| -> String { if c.is_control() { c.escape_default().collect() } else { c.into() } };
    text.chars().map(escaped).collect()
}
