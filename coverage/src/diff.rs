//! Unified diffs.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::exclude::is_in;
use crate::lines::append;
use crate::text::{printable, printable_bytes};

/// The lines of a file that a change has added, with the numbers of the new file, and those that it has deleted, with the numbers of the old
/// one: ranges from the first to the last, in rising order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChange {
    /// Lines of the new file.
    pub added: Vec<(u32, u32)>,
    /// Lines of the old file.
    pub deleted: Vec<(u32, u32)>,
}

impl FileChange {
    /// Nothing.
    pub const NONE: &'static FileChange = &FileChange { added: Vec::new(), deleted: Vec::new() };

    /// Returns the number that a line had before; `None`: it is new.
    pub fn old_line(&self, line: u32) -> Option<u32> {
        other_line(&self.added, &self.deleted, line)
    }

    /// Returns the number that a line of the old file has now; `None`: it is gone.
    pub fn new_line(&self, line: u32) -> Option<u32> {
        other_line(&self.deleted, &self.added, line)
    }

    /// Returns whether a line of the old file is gone.
    pub fn is_deleted(&self, line: u32) -> bool {
        is_in(&self.deleted, line)
    }
}

/// Returns the number of a line in the other file, given what only this file has and what only the other one has.
fn other_line(own: &[(u32, u32)], others: &[(u32, u32)], line: u32) -> Option<u32> {
    let mut other = line;
    for (first, last) in own.iter().take_while(|(first, _)| *first <= line) {
        if line <= *last {
            return None;
        }
        other = other.saturating_sub(last.saturating_sub(*first).saturating_add(1));
    }
    for (first, last) in others {
        if *first > other {
            break;
        }
        other = other.saturating_add(last.saturating_sub(*first).saturating_add(1));
    }
    Some(other)
}

/// Returns what a unified diff contains of each file, by its path as [`printable_bytes`]. Errors: it is none, or not of one change.
pub fn parse(text: &[u8]) -> Result<BTreeMap<String, FileChange>> {
    let mut files: BTreeMap<String, FileChange> = BTreeMap::new();
    // The names in the last header, and the path they stand for.
    let (mut old_name, mut file): (Vec<u8>, Option<String>) = (Vec::new(), None);
    // Names have prefixes, as far as `diff --git` says; the file that the last header removes; that one is there again, as a link or no link.
    let (mut has_prefixes, mut removed, mut is_again) = (true, None, false);
    // The next line of the old and of the new file, and how many lines of the hunk are left in each.
    let (mut line, mut left) = ((0u32, 0u32), (0u32, 0u32));
    // What comes after the last line is no empty line.
    for row in text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n') {
        if left != (0, 0) {
            let change = files.entry(file.clone().unwrap_or_default()).or_default();
            let kind = row.first();
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
            continue;
        }
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if let Some(names) = row.strip_prefix(b"diff --git ") {
            // Twice the same, or else lines with each follow.
            let (old, new) = names.split_at(names.len() / 2);
            let (old, new) = (unquoted(old), unquoted(new.trim_ascii_start()));
            has_prefixes = old != new;
            if let (Some(old), Some(new)) = paths(&old, &new, has_prefixes)
                && old == new
            {
                files.entry(new).or_default();
            }
        } else if let Some(name) = row.strip_prefix(b"rename from ") {
            let path = printable_bytes(&unquoted(name));
            let change = files.entry(path.clone()).or_default();
            ensure!(change == FileChange::NONE, several(&path));
            change.deleted.push((1, u32::MAX));
        } else if let Some(name) = row.strip_prefix(b"rename to ") {
            files.entry(printable_bytes(&unquoted(name))).or_default();
        } else if let Some(name) = row.strip_prefix(b"--- ") {
            old_name = unquoted(name);
        } else if let Some(name) = row.strip_prefix(b"+++ ") {
            let (old, new) = paths(&old_name, &unquoted(name), has_prefixes);
            is_again = old.is_none() && new == removed;
            removed = old.clone().filter(|_| new.is_none());
            file = new.or(old);
            line = (0, 0);
        } else if row.starts_with(b"@@@ ") {
            bail!("it is of a merge, compared with several revisions\n  remedy: compare with one: git diff REV");
        } else if let Some(hunk) = row.strip_prefix(b"@@ -") {
            let (old, new) = ranges(hunk).context("a hunk is damaged")?;
            let file = file.as_ref().context("a hunk belongs to no file")?;
            let is_twice =
                line == (0, 0) && !is_again && files.get(file).is_some_and(|change| change != FileChange::NONE);
            // A range without lines begins after its number.
            let is_after = |range: (u32, u32), line: u32| range.0.saturating_add(u32::from(range.1 == 0)) >= line;
            ensure!(!is_twice && is_after(old, line.0) && is_after(new, line.1), several(file));
            (line, left) = ((old.0, new.0), (old.1, new.1));
        }
    }
    ensure!(left == (0, 0), "the last hunk is cut");
    ensure!(
        !files.is_empty() || text.trim_ascii().is_empty(),
        "it names no file\n  remedy: of git diff, take the text without colors"
    );
    Ok(files)
}

fn several(path: &str) -> String {
    format!(
        "its hunks of {} are not in order, as of several commits\n  remedy: give the diff of the first revision and the last",
        printable(path)
    )
}

/// What stands for a file that is not there.
const NO_FILE: &[u8] = b"/dev/null";

/// Returns the paths of the old and the new file, without the prefixes of git, which are letters that differ: `a/` and `b/`, `i/` and `w/`.
/// `None`: the file is not there. Then `has_prefixes` says whether the other one has any.
fn paths(old: &[u8], new: &[u8], has_prefixes: bool) -> (Option<String>, Option<String>) {
    let has_prefixes = match (old, new) {
        (NO_FILE, _) | (_, NO_FILE) => has_prefixes,
        ([one, b'/', ..], [other, b'/', ..]) => one != other,
        _ => false,
    };
    let path = |name: &[u8]| {
        let below = match name {
            [_, b'/', below @ ..] if has_prefixes => below,
            name => name,
        };
        (name != NO_FILE).then(|| printable_bytes(below))
    };
    (path(old), path(new))
}

/// Returns a name without the quotes and escapes that unusual ones have, and without a time.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(quoted) = name.strip_prefix(b"\"") else {
        // A tab ends the name; what comes after it is a time.
        return name.split(|byte| *byte == b'\t').next().unwrap_or(name).to_vec();
    };
    let (mut plain, mut rest) = (Vec::new(), quoted);
    loop {
        let (byte, after) = match rest {
            [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', after @ ..] => {
                (((high & 7) << 6) | ((middle & 7) << 3) | (low & 7), after)
            }
            [b'\\', letter, after @ ..] => (escaped(*letter), after),
            [b'"', ..] | [] => return plain,
            [byte, after @ ..] => (*byte, after),
        };
        plain.push(byte);
        rest = after;
    }
}

/// Returns what a letter after a backslash stands for in C.
fn escaped(letter: u8) -> u8 {
    match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => other,
    }
}

/// Returns the first lines and the numbers of lines of a hunk, in the old file and the new one.
fn ranges(hunk: &[u8]) -> Option<((u32, u32), (u32, u32))> {
    let (old, new) = str::from_utf8(hunk).unwrap_or_default().split(" @@").next()?.split_once(" +")?;
    Some((range(old)?, range(new)?))
}

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
    fn lines_of_a_unified_diff() {
        let files = parse(DIFF.as_bytes()).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["b.c", "c.c", "src/a.c"]);
        let a = &files["src/a.c"];
        assert_eq!((&a.added[..], &a.deleted[..]), (&[(2, 3)][..], &[(2, 2), (10, 10)][..]));
        let old: Vec<Option<u32>> = (1..13).map(|line| a.old_line(line)).collect();
        let expected = [1, 0, 0, 3, 4, 5, 6, 7, 8, 9, 11, 12].map(|line| (line > 0).then_some(line));
        assert_eq!(old, expected);
        for (new, old) in (1..).zip(old) {
            assert_eq!(old.map_or(Some(new), |old| a.new_line(old)), Some(new));
        }
        assert_eq!([2, 10].map(|line| a.new_line(line)), [None; 2]);
        assert_eq!((&files["c.c"].added[..], &files["b.c"].deleted[..]), (&[(1, 2)][..], &[(1, 2)][..]));
        assert_eq!(parse(DIFF.replace('\n', "\r\n").as_bytes()).unwrap(), files);
        assert!(parse(b" \n").unwrap().is_empty(), "no change");
    }

    #[test]
    fn names() {
        let of = |old: &str, new: &str| {
            let text = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
            parse(text.as_bytes()).unwrap().into_keys().next().unwrap()
        };
        for (old, new, expected) in [
            (r#""a/\303\244\t\"\\.c""#, r#""b/\303\244\t\"\\.c""#, "ä\\t\"\\.c"),
            (r#""a/\377.c""#, r#""b/\377.c""#, "\\xff.c"),
            ("i/a b.c\t", "w/a b.c\t", "a b.c"),
            ("b/a.c", "b/a.c", "b/a.c"),
            ("a.c.orig", "a.c", "a.c"),
            ("/dev/null", "b/b/a.c", "b/a.c"),
            ("\"old/ä \\\".c\"\t2026-01-01", "\"new/ä \\\".c\"\t2026-01-01", "new/ä \".c"),
            ("t.old/a.c", "t/a.c", "t/a.c"),
        ] {
            assert_eq!(of(old, new), expected);
        }
        let mode = "diff --git \"a/\\303\\244.c\" \"b/\\303\\244.c\"\nold mode 100644\nnew mode 100755\n";
        assert_eq!(parse(mode.as_bytes()).unwrap().into_keys().next().unwrap(), "ä.c");
        for names in ["a/t/a.c b/t/a.c", "t/a.c t/a.c"] {
            let new = names.split_once(' ').unwrap().1;
            let text =
                format!("diff --git {names}\nnew file mode 100644\n--- /dev/null\n+++ {new}\n@@ -0,0 +1 @@\n+b\n");
            assert_eq!(parse(text.as_bytes()).unwrap().into_keys().next().unwrap(), "t/a.c");
        }
    }

    #[test]
    fn files_that_are_renamed_or_become_links() {
        let renamed = parse(b"diff --git a/a.c b/b.c\nrename from a.c\nrename to b.c\n").unwrap();
        assert_eq!(renamed["a.c"], FileChange { added: Vec::new(), deleted: vec![(1, u32::MAX)] });
        assert_eq!(renamed["b.c"], *FileChange::NONE);
        let link = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\
                    diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+c\n\\ No newline\n";
        let change = FileChange { added: vec![(1, 1)], deleted: vec![(1, 2)] };
        assert_eq!(parse(link.as_bytes()).unwrap()["a"], change);
    }

    #[test]
    fn other_texts_are_refused() {
        let one = "--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-a\n+b\n";
        for (text, reason) in [
            ("+++ b/a.c\n@@ -1 +1 @@\n", "cut"),
            ("+++ b/a.c\n@@ -x +1 @@\n", "damaged"),
            ("@@ -1 +1 @@\n+a\n", "no file"),
            ("fatal: bad revision\n", "names no file"),
            ("\u{1b}[1m--- a/a.c\u{1b}[m\n\u{1b}[1m+++ b/a.c\u{1b}[m\n", "without colors"),
            ("--- a/a.c\n+++ b/a.c\n@@@ -1 -1 +1 @@@\n  a\n", "merge"),
            (&format!("{one}{}", one.replace('3', "9")), "several commits"),
            (&format!("{one}rename from a.c\nrename to b.c\n"), "several commits"),
            (&format!("{one}@@ -1 +1 @@\n-a\n+b\n"), "not in order"),
        ] {
            let error = parse(text.as_bytes()).map_err(|error| error.to_string());
            assert!(error.as_ref().is_err_and(|error| error.contains(reason)), "{reason}: {error:?}");
        }
    }
}
