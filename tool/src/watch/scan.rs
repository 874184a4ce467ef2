//! What is in the directory: files that count, and those that were taken away and not removed yet.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use profdata::read::{Detected, detect};
use walkdir::WalkDir;

use super::durable::Places;
use super::events::Events;
use super::files::{Claims, Stamp, head};
use crate::inputs::{display, is_profile_name, is_put_aside, is_watched};

/// What a scan has found.
#[derive(Default)]
pub(super) struct Found {
    /// Files that count; the flag says that they were taken away.
    pub(super) files: Vec<(PathBuf, Stamp, bool)>,
    /// Files that other watchers have taken away.
    pub(super) others: Vec<PathBuf>,
    /// Why something was not looked at.
    pub(super) problems: Vec<String>,
    /// Events are missing, for this reason.
    pub(super) deaf: Option<String>,
}

/// Knows which files count.
pub(super) struct Scanner {
    root: PathBuf,
    places: Places,
    claims: Claims,
    /// Files that do not begin like a profile.
    others: HashMap<PathBuf, Stamp>,
}

impl Scanner {
    pub(super) fn new(root: PathBuf, places: Places, claims: Claims) -> Scanner {
        Scanner { root, places, claims, others: HashMap::new() }
    }

    /// Looks at everything, and asks for the events of each directory. Errors: the directory itself cannot be read.
    pub(super) fn scan(&mut self, events: &mut Events) -> io::Result<Found> {
        fs::read_dir(&self.root)?;
        let mut found = Found::default();
        let mut seen = HashSet::new();
        let taken = |name: &OsStr| self.claims.is_own(name) || self.claims.other(name).is_some();
        let entries = WalkDir::new(&self.root)
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()) || taken(entry.file_name()));
        let mut files = Vec::new();
        for entry in entries {
            match entry {
                // Watch a directory before reading it: a file that arrives later appears in the listing or as an event.
                Ok(entry) if entry.file_type().is_dir() => {
                    if let Err(error) = events.add(entry.path()) {
                        found.deaf = Some(format!("{}: {error}", display(entry.path())));
                    }
                }
                Ok(entry) if entry.file_type().is_file() && self.claims.other(entry.file_name()).is_some() => {
                    found.others.push(entry.into_path());
                }
                Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
                Ok(_) => {}
                Err(error) if error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(&self.root).to_path_buf();
                    found.problems.push(format!("{} cannot be read: {}", display(&path), io::Error::from(error)));
                }
            }
        }
        for path in files {
            if let Some((stamp, is_claim)) = self.look(&path) {
                found.files.push((path, stamp, is_claim));
            } else {
                seen.insert(path);
            }
        }
        self.others.retain(|path, _| seen.contains(path));
        Ok(found)
    }

    /// Returns the stamp of a file that counts, and whether it was taken away; `None` for any other.
    pub(super) fn look(&mut self, path: &Path) -> Option<(Stamp, bool)> {
        let stamp = Stamp::at(path).ok()??;
        let name = path.file_name()?;
        if self.claims.is_own(name) {
            return Some((stamp, true));
        }
        if is_hidden(name) || is_put_aside(&name.to_string_lossy()) || self.places.has(path) || self.is_output(stamp) {
            return None;
        }
        if is_profile_name(name.as_bytes()) {
            return (!is_watched(path)).then_some((stamp, false));
        }
        if self.others.get(path) == Some(&stamp) {
            return None;
        }
        // A file that cannot be opened may be a profile.
        let counts = head(path).map_or(true, |head| {
            matches!(detect(&head), Some(Detected::Raw(_) | Detected::Indexed | Detected::Partial))
        });
        if counts && !is_watched(path) {
            return Some((stamp, false));
        }
        self.others.insert(path.to_path_buf(), stamp);
        None
    }

    /// Returns whether a file is the output under another name.
    fn is_output(&self, stamp: Stamp) -> bool {
        Stamp::at(&self.places.output)
            .is_ok_and(|own| own.is_some_and(|own| (own.device, own.inode) == (stamp.device, stamp.inode)))
    }
}

/// Returns whether a name begins with a dot: temporary files of runtimes, of `profrt` and of `rsync`.
fn is_hidden(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".")
}
