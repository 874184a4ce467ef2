//! Lines that a change has added or changed: of a unified diff, or what git says since a revision.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::exclude::is_in;
use crate::inputs::display;
use crate::text::printable_bytes;

/// The change to look at.
#[derive(clap::Args, Debug)]
#[group(multiple = false)]
pub(super) struct Since {
    /// Only what has changed since this revision, as `git diff` says: what is not committed, too
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Only what this unified diff changes; `-` is standard input
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
}

/// The same text whatever the user's settings are.
const GIT_DIFF: [&str; 13] = [
    "-c",
    "core.quotePath=false",
    "diff",
    "--unified=0",
    // A new function is not shown as one that begins before the last brace of another.
    "--indent-heuristic",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--end-of-options",
];

/// The lines of a change, by file.
pub(super) struct Changes {
    /// What paths in the diff are relative to, if that is known.
    root: Option<PathBuf>,
    files: HashMap<PathBuf, FileChange>,
}

/// The lines of a file that a change has added, with the numbers of the new file, and those that it has deleted, with the numbers of the old
/// one: ranges from the first to the last, in rising order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FileChange {
    pub(super) added: Vec<(u32, u32)>,
    pub(super) deleted: Vec<(u32, u32)>,
}

impl FileChange {
    /// Nothing.
    pub(super) const NONE: &'static FileChange = &FileChange { added: Vec::new(), deleted: Vec::new() };

    /// Returns the number that a line had before; `None`: it is new.
    pub(super) fn old_line(&self, line: u32) -> Option<u32> {
        let before = self.added.iter().take_while(|(first, _)| *first <= line);
        let mut old = line;
        for (first, last) in before {
            if line <= *last {
                return None;
            }
            old = old.saturating_sub(last.saturating_sub(*first).saturating_add(1));
        }
        for (first, last) in self.deleted.iter() {
            if *first > old {
                break;
            }
            old = old.saturating_add(last.saturating_sub(*first).saturating_add(1));
        }
        Some(old)
    }

    /// Returns whether a line of the old file is gone.
    pub(super) fn is_deleted(&self, line: u32) -> bool {
        is_in(&self.deleted, line)
    }
}

impl Since {
    /// Returns the change; `None`: all lines are wanted. Errors: git fails, or the text is no unified diff.
    pub(super) fn changes(&self) -> Result<Option<Changes>> {
        if let Some(revision) = &self.since {
            let root = git(&["rev-parse", "--show-toplevel"])?;
            let root = PathBuf::from(String::from_utf8_lossy(&root).trim_end_matches('\n'));
            let diff = git(&[&GIT_DIFF[..], &[revision, "--"]].concat())?;
            return Ok(Some(Changes { root: Some(root), files: parse(&diff)? }));
        }
        let Some(path) = &self.diff else { return Ok(None) };
        let text = if path == Path::new("-") {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut text).context("standard input cannot be read")?;
            text
        } else {
            crate::text::read(path)?
        };
        let files = parse(&text).with_context(|| format!("{} is no unified diff", display(path)))?;
        Ok(Some(Changes { root: None, files }))
    }
}

impl Changes {
    /// Returns the changed lines of a source.
    pub(super) fn of(&self, source: &str) -> &FileChange {
        self.find(source).map_or(FileChange::NONE, |(_, change)| change)
    }

    /// Returns the file of the diff whose path is a source's, or the end of it: the longest.
    pub(super) fn find(&self, source: &str) -> Option<(&Path, &FileChange)> {
        let source = Path::new(source);
        let is_it = |path: &Path| match &self.root {
            Some(root) => root.join(path) == source || path == source,
            None => source.ends_with(path),
        };
        let fits = self.files.iter().filter(|(path, _)| is_it(path));
        let longest = fits.max_by_key(|(path, _)| path.components().count());
        longest.map(|(path, change)| (path.as_path(), change))
    }

    /// Returns the paths of all files, those without a line too: of another mode, renamed, or not of text.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }
}

/// Runs git in the working directory. Errors: it is not there, or fails.
fn git(arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new("git").args(arguments).output().context("git cannot be run")?;
    if !output.status.success() {
        bail!("git: {}", printable_bytes(output.stderr.trim_ascii()));
    }
    Ok(output.stdout)
}

/// Returns what a unified diff says of each file. Errors: it is none.
fn parse(text: &[u8]) -> Result<HashMap<PathBuf, FileChange>> {
    let text = String::from_utf8_lossy(text);
    let mut files: HashMap<PathBuf, FileChange> = HashMap::new();
    // The file, the next line of the old and of the new one, and how many lines of the hunk are left in each.
    let (mut old_file, mut file): (Option<PathBuf>, Option<PathBuf>) = (None, None);
    let (mut line, mut left) = ((0u32, 0u32), (0u32, 0u32));
    for row in text.lines() {
        if left != (0, 0) {
            let change = files.entry(file.clone().or(old_file.clone()).unwrap_or_default()).or_default();
            let kind = row.as_bytes().first();
            if kind == Some(&b'+') {
                append(&mut change.added, line.1);
            }
            if kind == Some(&b'-') {
                append(&mut change.deleted, line.0);
            }
            if !matches!(kind, Some(b'+' | b'\\')) {
                (line.0, left.0) = (line.0.saturating_add(1), left.0.saturating_sub(1));
            }
            if !matches!(kind, Some(b'-' | b'\\')) {
                (line.1, left.1) = (line.1.saturating_add(1), left.1.saturating_sub(1));
            }
        } else if let Some(names) = row.strip_prefix("diff --git ") {
            // Twice the same, or else lines with each follow.
            if let Some((old, new)) = names.split_at_checked(names.len() / 2)
                && let Some(path) =
                    name_of(new.trim_start(), "b/").filter(|path| name_of(old, "a/").as_ref() == Some(path))
            {
                files.entry(path).or_default();
            }
        } else if let Some(name) = row.strip_prefix("rename from ").or(row.strip_prefix("rename to ")) {
            files.entry(PathBuf::from(name)).or_default();
        } else if let Some(name) = row.strip_prefix("--- ") {
            old_file = name_of(name, "a/");
        } else if let Some(name) = row.strip_prefix("+++ ") {
            file = name_of(name, "b/");
        } else if let Some(hunk) = row.strip_prefix("@@ -") {
            let numbers = hunk.split(" @@").next().and_then(|hunk| hunk.split_once(" +"));
            let (old, new) =
                numbers.and_then(|(old, new)| Some((range(old)?, range(new)?))).context("a hunk is damaged")?;
            (line, left) = ((old.0, new.0), (old.1, new.1));
            ensure!(file.is_some() || old_file.is_some(), "a hunk belongs to no file");
        }
    }
    ensure!(left == (0, 0), "the last hunk is cut");
    Ok(files)
}

/// Adds a line to ranges.
fn append(ranges: &mut Vec<(u32, u32)>, line: u32) {
    match ranges.last_mut().filter(|(_, last)| last.checked_add(1) == Some(line)) {
        Some((_, last)) => *last = line,
        None => ranges.push((line, line)),
    }
}

/// Returns a path of a diff; `None` of a file that is not there.
fn name_of(name: &str, prefix: &str) -> Option<PathBuf> {
    // A tab ends the name; what comes after it is a time.
    let name = name.split('\t').next().unwrap_or(name);
    let name = name.strip_prefix(prefix).unwrap_or(name);
    (name != "/dev/null").then(|| PathBuf::from(name))
}

/// Returns the first line and the number of lines of a hunk.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, number)) => Some((first.parse().ok()?, number.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\t2026-01-01\n+++ b/src/a.c\t2026-01-01\n@@ -1,3 +1,4 @@ f\n one\n-two\n\
                        +TWO\n+more\n three\n@@ -10 +11,0 @@\n-gone\n--- a/b.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n--- y\n--- /dev/null\n\
                        +++ b/c.c\n@@ -0,0 +1,2 @@\n+++ a\n+b\n\\ No newline at end of file\n";

    #[test]
    fn added_lines_of_a_unified_diff() {
        let changes = Changes { root: None, files: parse(DIFF.as_bytes()).unwrap() };
        let a = changes.of("/w/src/a.c");
        assert_eq!((&a.added[..], &a.deleted[..]), (&[(2, 3)][..], &[(2, 2), (10, 10)][..]));
        let old: Vec<Option<u32>> = (1..13).map(|line| a.old_line(line)).collect();
        let expected = [1, 0, 0, 3, 4, 5, 6, 7, 8, 9, 11, 12].map(|line| (line > 0).then_some(line));
        assert_eq!(old, expected);
        assert_eq!(changes.of("/w/c.c").added, [(1, 2)]);
        assert_eq!(changes.of("/w/b.c").deleted, [(1, 2)]);
        assert_eq!(changes.of("/w/xc.c"), FileChange::NONE);
        let rooted = Changes { root: Some("/w".into()), ..changes };
        assert_eq!((&rooted.of("/w/c.c").added[..], rooted.of("/v/c.c")), (&[(1, 2)][..], FileChange::NONE));
    }

    #[test]
    fn damaged_diffs_are_refused() {
        for text in ["+++ b/a.c\n@@ -1 +1 @@\n", "+++ b/a.c\n@@ -x +1 @@\n", "@@ -1 +1 @@\n+a\n"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"no diff").unwrap().is_empty());
    }
}
