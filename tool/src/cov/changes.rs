//! Lines that a change has added or changed: of a unified diff, or what git says since a revision.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::inputs::display;
use crate::text::printable_bytes;

/// Which lines to report.
#[derive(clap::Args, Debug)]
#[group(multiple = false)]
pub(super) struct Since {
    /// Report only lines that have changed since this revision, as `git diff` says, those that are not committed too
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Report only lines that this unified diff has added or changed; `-` is standard input
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
}

/// The same text whatever the user's settings are.
const GIT_DIFF: [&str; 12] = [
    "-c",
    "core.quotePath=false",
    "diff",
    "--unified=0",
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
    /// Ranges from the first to the last line, in rising order.
    files: HashMap<PathBuf, Vec<(u32, u32)>>,
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
    /// Returns the changed lines of a source: of the file of the diff whose path is the source's, or the end of it.
    pub(super) fn of(&self, source: &str) -> &[(u32, u32)] {
        let source = Path::new(source);
        let is_it = |path: &Path| match &self.root {
            Some(root) => root.join(path) == source || path == source,
            None => source.ends_with(path),
        };
        let fits = self.files.iter().filter(|(path, _)| is_it(path));
        fits.max_by_key(|(path, _)| path.components().count()).map_or(&[], |(_, lines)| lines)
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

/// Returns the added lines of each file of a unified diff. Errors: it is none.
fn parse(text: &[u8]) -> Result<HashMap<PathBuf, Vec<(u32, u32)>>> {
    let text = String::from_utf8_lossy(text);
    let mut files: HashMap<PathBuf, Vec<(u32, u32)>> = HashMap::new();
    // The file, the next line of it, and how many lines of the hunk are left in the old and in the new file.
    let (mut file, mut line, mut left) = (None, 0u32, (0u32, 0u32));
    for row in text.lines() {
        if left != (0, 0) {
            match row.as_bytes().first() {
                Some(b'+') => {
                    let lines: &mut Vec<(u32, u32)> = files.entry(file.clone().unwrap_or_default()).or_default();
                    match lines.last_mut().filter(|(_, last)| last.checked_add(1) == Some(line)) {
                        Some((_, last)) => *last = line,
                        None => lines.push((line, line)),
                    }
                    (line, left.1) = (line.saturating_add(1), left.1.saturating_sub(1));
                }
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'\\') => {}
                _ => {
                    line = line.saturating_add(1);
                    left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                }
            }
        } else if let Some(name) = row.strip_prefix("+++ ") {
            // A tab ends the name; what comes after it is a time.
            let name = name.split('\t').next().unwrap_or(name);
            let name = name.strip_prefix("b/").unwrap_or(name);
            file = (name != "/dev/null").then(|| PathBuf::from(name));
        } else if let Some(hunk) = row.strip_prefix("@@ -") {
            let numbers = hunk.split(" @@").next().and_then(|hunk| hunk.split_once(" +"));
            let (old, new) =
                numbers.and_then(|(old, new)| Some((range(old)?, range(new)?))).context("a hunk is damaged")?;
            (line, left) = (new.0, (old.1, new.1));
            ensure!(file.is_some() || new.1 == 0, "a hunk belongs to no file");
        }
    }
    ensure!(left == (0, 0), "the last hunk is cut");
    Ok(files)
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
        assert_eq!(changes.of("/w/src/a.c"), [(2, 3)]);
        assert_eq!(changes.of("/w/c.c"), [(1, 2)]);
        assert_eq!((changes.of("/w/b.c"), changes.of("/w/xc.c")), (&[][..], &[][..]));
        let rooted = Changes { root: Some("/w".into()), ..changes };
        assert_eq!((rooted.of("/w/c.c"), rooted.of("/v/c.c")), (&[(1, 2)][..], &[][..]));
    }

    #[test]
    fn damaged_diffs_are_refused() {
        for text in ["+++ b/a.c\n@@ -1 +1 @@\n", "+++ b/a.c\n@@ -x +1 @@\n", "@@ -1 +1 @@\n+a\n"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"no diff").unwrap().is_empty());
    }
}
