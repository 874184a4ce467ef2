//! A change, and the sources that it changes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::diff::{FileChange, parse};
use crate::paths::located;
use crate::text::printable;

/// All lines of a file.
const ALL: (u32, u32) = (1, u32::MAX);

/// A change of files.
pub struct Diff {
    /// What paths are relative to.
    root: PathBuf,
    is_sure: bool,
    files: BTreeMap<String, FileChange>,
}

/// A change of sources.
pub struct Changes {
    /// By the path of the source: that of the diff, and the lines.
    sources: HashMap<String, (String, FileChange)>,
    /// The change seems to be one of other sources: why.
    pub stray: Option<String>,
}

impl Diff {
    /// Reads a unified diff. `is_sure`: what its paths are relative to is no guess. Errors: it is none.
    pub fn new(root: PathBuf, is_sure: bool, text: &[u8]) -> Result<Diff> {
        let root = root.canonicalize().unwrap_or(root);
        Ok(Diff { root, is_sure, files: parse(text)? })
    }

    /// Adds files that no revision has: if they are sources, all their lines are new.
    pub fn add_untracked(&mut self, files: impl Iterator<Item = String>) {
        self.files.extend(files.map(|file| (file, FileChange { added: vec![ALL], deleted: vec![ALL] })));
    }

    /// Finds the sources that are changed. A file of the diff is the source with the shortest path that ends in its path; with --since, paths are
    /// relative to the repository root, so only that file matches.
    pub fn place<'s>(&self, sources: impl IntoIterator<Item = &'s str>) -> Changes {
        let mut named: HashMap<PathBuf, Vec<(&str, PathBuf, bool)>> = HashMap::new();
        for source in sources {
            let found = located(source).canonicalize();
            let is_here = found.is_ok();
            let path = found.unwrap_or_else(|_| source.into());
            let name = path.file_name().unwrap_or_default().into();
            named.entry(name).or_default().push((source, path, is_here));
        }
        let mut changes = Changes { sources: HashMap::new(), stray: None };
        let mut strays = Vec::new();
        for (file, change) in &self.files {
            let namesakes = Path::new(file).file_name().and_then(|name| named.get(Path::new(name)));
            let namesakes = || namesakes.into_iter().flatten();
            let is_it = |path: &Path, is_here: bool| match self.is_sure && is_here {
                true => path.strip_prefix(&self.root).is_ok_and(|below| below == Path::new(file)),
                false => path.ends_with(file),
            };
            let length = |path: &Path| path.components().count();
            let distance = |path: &Path, is_here: bool| (!(self.is_sure && is_here), length(path));
            let found = || {
                let found = namesakes().filter(|(_, path, is_here)| is_it(path, *is_here));
                found.map(|(source, path, is_here)| (source, distance(path, *is_here)))
            };
            let nearest = found().map(|(_, distance)| distance).min();
            for (source, _) in found().filter(|(_, distance)| Some(*distance) == nearest) {
                // Of several files of the diff that end a source's path, the longest is the source.
                let known = changes.sources.get(*source).map_or(0, |(known, _)| length(Path::new(known)));
                if known < length(Path::new(file)) {
                    changes.sources.insert((*source).to_owned(), (file.clone(), change.clone()));
                }
            }
            // Where the diff and the sources are of one tree, a name twice in it means nothing.
            let is_in_tree = self.is_sure || change.added.is_empty() || self.root.join(file).exists();
            let is_stray = |path: &Path, is_here: bool| !(is_in_tree && is_here && path.starts_with(&self.root));
            let stray = namesakes().find(|(_, path, is_here)| is_stray(path, *is_here));
            strays.extend(stray.map(|(source, ..)| (file, *source)));
        }
        if let Some((file, source)) = strays.first().filter(|_| changes.sources.is_empty()) {
            changes.stray = Some(format!(
                "no file of the change is a source, but {} has the name of {}\n  \
                 remedy: --path-map says where the sources are; start in their repository",
                printable(file),
                printable(source)
            ));
        }
        changes
    }

    /// Returns the paths of all files of the diff, those without a line too: of another mode, renamed, or not of text.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, change)| change.added != [ALL]).map(|(file, _)| file.as_str())
    }

    /// Returns where a file is.
    pub fn full(&self, file: &str) -> String {
        self.root.join(file).to_string_lossy().into_owned()
    }
}

impl Changes {
    /// Returns the changed lines of a source.
    pub fn of(&self, source: &str) -> &FileChange {
        self.find(source).map_or(FileChange::NONE, |(_, change)| change)
    }

    /// Returns the path that a source has in the diff, and its changed lines.
    pub fn find(&self, source: &str) -> Option<(&str, &FileChange)> {
        self.sources.get(source).map(|(file, change)| (file.as_str(), change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `source=file` for each source that is changed.
    fn placed(root: &str, is_sure: bool, files: &[&str], sources: &[&str]) -> (Vec<String>, bool) {
        let change = FileChange { added: vec![(1, 1)], deleted: Vec::new() };
        let files = files.iter().map(|file| ((*file).to_owned(), change.clone())).collect();
        let diff = Diff { root: root.into(), is_sure, files };
        let changes = diff.place(sources.iter().copied());
        let mut placed: Vec<String> =
            changes.sources.iter().map(|(source, (file, _))| format!("{source}={file}")).collect();
        placed.sort();
        (placed, changes.stray.is_some())
    }

    #[test]
    fn a_file_is_the_source_with_the_shortest_path_that_ends_in_it() {
        for is_sure in [true, false] {
            // Built elsewhere, in two places.
            let sources = ["/b/x/src/a.c", "/b/src/a.c", "/c/src/a.c", "/b/src/xa.c", "/b/b.c"];
            let (placed, _) = placed("/w", is_sure, &["src/a.c", "a.c", "x.c"], &sources);
            assert_eq!(placed, ["/b/src/a.c=src/a.c", "/c/src/a.c=src/a.c"]);
        }
    }

    #[test]
    fn sources_that_are_here_are_where_git_says() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(dir.join("w/sub")).unwrap();
        std::fs::write(dir.join("w/sub/a.c"), "").unwrap();
        std::os::unix::fs::symlink(dir.join("w"), dir.join("link")).unwrap();
        let at = |path: &str| dir.join(path).display().to_string();
        let (link, root) = (at("link/sub/a.c"), at("w"));
        let of = |is_sure, file| placed(&root, is_sure, &[file], &[&link]);
        assert_eq!(of(true, "sub/a.c"), (vec![format!("{link}=sub/a.c")], false));
        assert_eq!(of(true, "a.c"), (vec![], false));
        assert_eq!(of(false, "a.c").0, [format!("{link}=a.c")]);
        // Another file that has been built elsewhere, under a shorter path.
        let sources = [&link, "/x/sub/a.c"];
        assert_eq!(placed(&root, true, &["sub/a.c"], &sources), (vec![format!("{link}=sub/a.c")], false));
        assert!(placed(&root, false, &["new/a.c"], &[&link]).1, "a diff of other directories");
        let gone = FileChange { added: Vec::new(), deleted: vec![(1, 1)] };
        let diff = Diff { root: dir.join("w"), is_sure: false, files: [("new/a.c".to_owned(), gone)].into() };
        assert!(diff.place([link.as_str()]).stray.is_none(), "nothing is new");
        std::fs::write(dir.join("w/a.c"), "").unwrap();
        assert!(!placed(&root, false, &["a.c", "b.c"], &[&at("w/sub/b.c")]).1);
        let other = at("other");
        assert_eq!(placed(&other, true, &["sub/a.c"], &[&link]), (vec![], true), "another repository");
    }

    #[test]
    fn a_change_of_other_sources_is_known_by_names() {
        for (files, sources, is_stray) in [
            (&["README.md"][..], &["/b/a.c"][..], false),
            (&[], &["/b/a.c"], false),
            (&["src/a.c"], &["/b/a.c"], true),
            (&["src/a.c", "b.c"], &["/b/a.c", "/b/b.c"], false),
        ] {
            assert_eq!(placed("/w", true, files, sources).1, is_stray, "{files:?}");
        }
    }
}
