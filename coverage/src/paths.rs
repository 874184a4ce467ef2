//! Which files are reported, and by which names.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use anyhow::{Result, ensure};
use glob::Pattern;
use profdata::coverage::{Mapping, Sources};
use regex::Regex;

use crate::text::{many, printable_bytes};

/// Which files are reported, and by which names: without anything those of the repository that the working directory is in, as they are.
#[derive(Debug, Default)]
pub struct Paths {
    /// Files whose path one of these matches, in the mapping or in the report, are left out.
    pub ignore: Vec<Regex>,
    /// Only files whose path, or the part below the working directory, one of these matches; `*` matches `/` too.
    pub only: Vec<Pattern>,
    /// Files outside of the repository are reported, too.
    pub outside: bool,
    /// How the beginnings of paths are replaced; the longest one counts.
    pub maps: Vec<PathMap>,
    /// What relative paths are relative to.
    pub directory: Option<PathBuf>,
    /// Paths below the [`root`] are absolute, too.
    pub absolute: bool,
}

/// A path, and what stands in its place.
pub type PathMap = (PathBuf, PathBuf);

/// Reads `FROM=TO`. Errors: it has no `=`.
pub fn path_map(text: &str) -> Result<PathMap, String> {
    let (from, to) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`; write FROM=TO"))?;
    Ok((from.into(), to.into()))
}

/// A file with the numbers of its paths in the mapping: several where builds have it under several paths.
pub struct Source {
    /// The path that reports have.
    pub path: String,
    /// The numbers of its paths in the mapping.
    pub numbers: Vec<u32>,
}

/// The most bytes of a source: what a mapping names can be anything.
const MOST_BYTES: u64 = 1 << 28;

/// Returns the repository that the working directory is in, else that, as they are at the first call: reports have paths below it.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let here = std::env::current_dir().unwrap_or_default();
        here.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(&here).to_owned()
    })
}

/// Returns where the source is that has this path in a report.
pub fn located(path: &str) -> PathBuf {
    root().join(path)
}

/// Returns whether a source was written after this time.
pub fn is_newer(path: &str, linked: Option<SystemTime>) -> bool {
    let modified = linked.and_then(|_| located(path).metadata().ok()?.modified().ok());
    modified > linked
}

/// Reads a source; `None`: it is not there, or no file that can be one (a mapping may name a device, or a pipe that nobody writes to).
pub fn source(path: &str) -> Option<Vec<u8>> {
    let path = located(path);
    let is_source = path.metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES);
    is_source.then(|| std::fs::read(path).ok())?
}

impl Sources for Paths {
    fn read(&self, path: &[u8]) -> Option<Vec<u8>> {
        source(&self.renamed(&printable_bytes(path)))
    }
}

impl Paths {
    /// Returns the files to report, by their paths, and a note about those that are left out as not the user's. Errors: none is left.
    pub fn files(&self, mapping: &Mapping<'_>) -> Result<(Vec<Source>, Option<String>)> {
        let (here, home) = (std::env::current_dir().unwrap_or_default(), root());
        let (mut files, mut left_out) = (BTreeMap::<String, Vec<u32>>::new(), None);
        for number in 0..mapping.paths() {
            if mapping.functions_in(number).next().is_none() {
                continue;
            }
            let stored = printable_bytes(mapping.path(number));
            let path = self.renamed(&stored);
            if !self.ignores(&stored) && !self.ignores(&path) && self.is_wanted(&path, &here) {
                files.entry(path).or_default().push(number);
            } else {
                left_out.get_or_insert(path);
            }
        }
        ensure!(
            !files.is_empty(),
            "no file is left: --ignore and --only leave out all that have coverage mappings, as {}",
            left_out.unwrap_or_default()
        );
        let source = |(path, numbers)| Source { path, numbers };
        let (inside, outside): (Vec<_>, Vec<_>) =
            files.into_iter().map(source).partition(|source| self.outside || is_inside(&source.path, home));
        // A report that is made elsewhere than the program.
        if inside.is_empty() {
            return Ok((outside, None));
        }
        let note = format!(
            "{} outside of {} left out; --outside reports them",
            many(outside.len() as u64, "file"),
            home.display()
        );
        Ok((inside, (!outside.is_empty()).then_some(note)))
    }

    /// Returns the paths of all files, those that are left out too.
    pub fn all(&self, mapping: &Mapping<'_>) -> Vec<String> {
        let numbers = (0..mapping.paths()).filter(|number| mapping.functions_in(*number).next().is_some());
        numbers.map(|number| self.renamed(&printable_bytes(mapping.path(number)))).collect()
    }

    /// Returns whether a file with this path is left out by --ignore.
    pub fn ignores(&self, stored: &str) -> bool {
        self.ignore.iter().any(|ignore| ignore.is_match(stored))
    }

    /// Returns whether a file with these paths, which no mapping need have, is wanted: --ignore matches none, and --only one.
    pub fn has(&self, paths: &[&str]) -> bool {
        let here = std::env::current_dir().unwrap_or_default();
        !paths.iter().any(|path| self.ignores(path)) && paths.iter().any(|path| self.is_wanted(path, &here))
    }

    /// Returns whether no file is left out.
    pub fn has_all(&self) -> bool {
        self.ignore.is_empty() && self.only.is_empty()
    }

    fn is_wanted(&self, path: &str, here: &Path) -> bool {
        let file = located(path);
        let below = [here, root()].map(|directory| file.strip_prefix(directory).unwrap_or(&file));
        let fits = |only: &Pattern| only.matches_path(&file) || below.iter().any(|path| only.matches_path(path));
        self.only.is_empty() || self.only.iter().any(fits)
    }

    fn renamed(&self, stored: &str) -> String {
        let mut path = PathBuf::from(stored);
        if let Some(directory) = self.directory.as_ref().filter(|_| is_relative(&path)) {
            path = plain(&directory.join(path));
        }
        let fits = self.maps.iter().filter(|(from, _)| path.starts_with(from));
        if let Some((from, to)) = fits.max_by_key(|(from, _)| from.components().count()) {
            path = to.join(path.strip_prefix(from).unwrap_or(&path));
        }
        self.of_report(&path).to_string_lossy().into_owned()
    }

    /// Returns the path that a file has in reports.
    pub fn of_report(&self, path: &Path) -> PathBuf {
        // As the compiler got it, it is relative to where the compiler ran: here, if the file is.
        let here = || std::env::current_dir().ok().map(|here| plain(&here.join(path))).filter(|path| path.exists());
        let path = Some(path).filter(|path| is_relative(path)).and_then(|_| here()).unwrap_or_else(|| path.to_owned());
        if self.absolute {
            return path;
        }
        let below = |path: &Path| path.strip_prefix(root()).ok().map(Path::to_owned);
        below(&path).or_else(|| below(&path.canonicalize().ok()?)).unwrap_or(path)
    }
}

/// Returns whether a source is the user's: below a directory.
fn is_inside(path: &str, home: &Path) -> bool {
    let path = Path::new(path);
    let is_below = |path: &Path| path.starts_with(home);
    is_relative(path) || is_below(path) || path.canonicalize().is_ok_and(|path| is_below(&path))
}

/// Returns whether a path is relative. None of Windows is, where this runs.
fn is_relative(path: &Path) -> bool {
    path.is_relative() && !matches!(path.as_os_str().as_encoded_bytes(), [_, b':', b'/', ..])
}

/// Returns a path without `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => _ = plain.pop(),
            component => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(maps: &[&str], directory: Option<&str>) -> Paths {
        let maps = maps.iter().map(|map| path_map(map).unwrap()).collect();
        Paths { maps, directory: directory.map(PathBuf::from), ..Paths::default() }
    }

    #[test]
    fn the_longest_prefix_of_whole_components_counts() {
        let paths = paths(&["/b=/x", "/b/src=/y", "rel=/z"], Some("/d/e"));
        for (stored, expected) in [
            ("/b/a.c", "/x/a.c"),
            ("/b/src/a.c", "/y/a.c"),
            ("/b/source/a.c", "/x/source/a.c"),
            ("/bb/a.c", "/bb/a.c"),
            ("../a.c", "/d/a.c"),
            ("C:/b/a.c", "C:/b/a.c"),
        ] {
            assert_eq!(paths.renamed(stored), expected);
        }
        assert!(path_map("a").is_err());
    }

    #[test]
    fn what_is_the_users() {
        let home = Path::new("/w/x");
        let inside = ["/w/x/a.c", "a.c"];
        assert!(inside.iter().all(|path| is_inside(path, home)));
        let outside = ["/w/y/a.c", "/rustc/HASH/library/core/src/a.rs", "/w/xy/a.c"];
        assert!(!outside.iter().any(|path| is_inside(path, home)));
    }

    #[test]
    fn patterns_match_paths_and_what_is_below_the_working_directory() {
        let only = vec![Pattern::new("src/*.c").unwrap(), Pattern::new("*/gen/*").unwrap()];
        let paths = Paths { only, ..paths(&[], None) };
        let here = Path::new("/w");
        let wanted = ["/w/src/a.c", "/w/src/b/a.c", "/o/gen/a.h"].map(|path| paths.is_wanted(path, here));
        assert_eq!(wanted, [true; 3]);
        assert!(!paths.is_wanted("/w/a.c", here) && !paths.is_wanted("/v/src/a.c", here));
    }
}
