//! Files and links, by their paths below a prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A file, and whether it is a program.
    File { bytes: Vec<u8>, is_program: bool },
    /// A symbolic link to this path, relative to its own directory.
    Link(PathBuf),
}

/// Files and links, sorted by their paths.
#[derive(Clone, Default, Debug)]
pub struct Tree(BTreeMap<PathBuf, Entry>);

impl Tree {
    pub fn file(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), Entry::File { bytes: bytes.into(), is_program: false });
    }

    pub fn program(&mut self, path: impl Into<PathBuf>, bytes: Vec<u8>) {
        self.0.insert(path.into(), Entry::File { bytes, is_program: true });
    }

    pub fn link(&mut self, path: impl Into<PathBuf>, to: impl Into<PathBuf>) {
        self.0.insert(path.into(), Entry::Link(to.into()));
    }

    pub fn entries(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.0.iter().map(|(path, entry)| (path.as_path(), entry))
    }

    /// All directories of the entries below `top`, and `top`, each after the one that it is in.
    pub fn directories(&self, top: &Path) -> BTreeSet<PathBuf> {
        let paths = self.0.keys().map(|path| top.join(path));
        let ancestors = paths.flat_map(|path| path.ancestors().skip(1).map(Path::to_path_buf).collect::<Vec<_>>());
        ancestors.filter(|path| !path.as_os_str().is_empty()).collect()
    }
}
