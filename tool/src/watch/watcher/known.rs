//! What a watcher remembers of files that are gone.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Instant;

use super::Watcher;

/// What a scan has found.
///
/// A file that was renamed is known by its content only, which takes a read. Before all files that were there are read, nobody knows which
/// entries of the list belong to files that are gone.
pub(super) struct Census {
    found: Found,
    /// When all events from the time of the scan were looked at.
    pub(super) since: Option<Instant>,
}

enum Found {
    /// Hashes of the paths of all files.
    Files(HashSet<u64>),
    /// Nothing: somebody has cleaned up, or moved the directory and made a new one.
    Nothing,
    /// The files are somewhere else, or cannot be seen.
    Unknown,
}

impl Watcher<'_> {
    /// Notes what a scan has found.
    pub(super) fn take_census(&mut self, is_whole: bool, is_empty: bool) {
        let device = fs::metadata(&self.root).map_or(0, |directory| directory.dev());
        // An empty directory on another file system than that of the last watcher is one where nothing is mounted.
        let is_away = is_empty && self.state.device != 0;
        let home = *self.device.get_or_insert(if is_away { self.state.device } else { device });
        // It goes to the disk with the next result.
        self.state.device = home;
        let found = match (is_whole && device == home, is_empty) {
            (false, _) => Found::Unknown,
            (true, true) => Found::Nothing,
            (true, false) => Found::Files(self.present.clone()),
        };
        self.census = Some(Census { found, since: None });
    }

    /// Forgets the oldest files that are gone, when all that were there have been read.
    pub(super) fn forget(&mut self) {
        let is_over = |census: &mut Census| census.since.is_some_and(|since| !self.waiting.has_since(since));
        let Some(census) = self.census.take_if(is_over) else { return };
        let ledger = &mut self.state.ledger;
        let most = self.options.remember;
        // Names that are free again must be known as such to the next watcher, too.
        self.is_news |= match census.found {
            Found::Files(paths) => ledger.trim(Some(&(&paths | &self.present)), most),
            // The contents may come back.
            Found::Nothing if self.present.is_empty() => ledger.lose_paths() | ledger.trim(None, most),
            Found::Nothing | Found::Unknown => ledger.trim(None, most),
        };
    }
}
