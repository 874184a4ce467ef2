//! The files that are watched: those that were named, and all profiles in directories, whenever they appear. So restarts, forked children and
//! loaded shared objects, which have files of their own, appear by themselves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::counters::{Counters, Id};
use super::functions::Functions;
use crate::inputs::display;

/// What a name of a profile in a directory ends with.
const ENDING: &str = "profraw";

/// What is watched.
pub(super) struct Watched {
    paths: Vec<PathBuf>,
    files: BTreeMap<PathBuf, Watching>,
}

enum Watching {
    Counters(Box<Counters>),
    /// Another file; the number of its bytes.
    Other(Id, u64),
}

impl Watched {
    pub(super) fn new(paths: Vec<PathBuf>) -> Watched {
        Watched { paths, files: BTreeMap::new() }
    }

    /// Returns the number of files with counters.
    pub(super) fn files(&self) -> usize {
        self.files.values().filter(|file| matches!(file, Watching::Counters(_))).count()
    }

    /// Reads all files, and adds what they have counted to the sums. Returns the functions that have counted, with repetitions.
    pub(super) fn read(&mut self, functions: &mut Functions) -> Vec<u32> {
        let mut changed = Vec::new();
        let names = self.names();
        // What is gone has been counted, and a process that still has it counts on.
        for (path, file) in &mut self.files {
            if let Watching::Counters(counters) = file
                && let Err(error) = counters.add_to(functions, &mut changed)
            {
                warn_line!("{} cannot be read any more: {error}", display(path));
                *file = Watching::Other(counters.id(), u64::MAX);
            }
        }
        for path in names {
            self.look(path, functions, &mut changed);
        }
        changed
    }

    /// Returns the names that may have files.
    fn names(&self) -> Vec<PathBuf> {
        let inside = |path: &PathBuf| -> Vec<PathBuf> {
            let Ok(entries) = fs::read_dir(path) else { return vec![path.clone()] };
            let paths = entries.flatten().map(|entry| entry.path());
            paths.filter(|path| path.extension().is_some_and(|extension| extension == ENDING)).collect()
        };
        self.paths.iter().flat_map(inside).collect()
    }

    /// Opens the file of a name, if it is new.
    fn look(&mut self, path: PathBuf, functions: &mut Functions, changed: &mut Vec<u32>) {
        let Ok(found) = fs::metadata(&path) else { return };
        let before = match self.files.get(&path) {
            Some(Watching::Counters(counters)) if counters.id() == Id::of(&found) => return,
            Some(Watching::Other(id, size)) if (*id, *size) == (Id::of(&found), found.len()) => return,
            Some(Watching::Counters(counters)) => Some(counters),
            _ => None,
        };
        let mut opened = match open(&path, &found, functions) {
            Ok(opened) => opened,
            Err(error) => {
                // A file that others write is empty at first.
                if found.len() > 0 {
                    warn_line!("{} is left out: {error:#}", display(&path));
                }
                self.files.insert(path, Watching::Other(Id::of(&found), found.len()));
                return;
            }
        };
        before.into_iter().for_each(|before| opened.follow(before));
        // The next look reads it again.
        let _ = opened.add_to(functions, changed);
        self.files.insert(path, Watching::Counters(Box::new(opened)));
    }
}

fn open(path: &Path, found: &fs::Metadata, functions: &mut Functions) -> anyhow::Result<Counters> {
    // A pipe would make us wait.
    anyhow::ensure!(found.is_file(), "it is no file");
    Counters::open(path, functions)
}
