//! A page with data next to it: `index.html`, and a file of data for each source, which the page loads when the source is opened.
//!
//! The data are in a directory with a name of their own, which depends on them. The new page takes the place of the old one at once, and data
//! that belong to no page any more are removed then.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use tempfile::TempDir;
use twox_hash::XxHash3_128;

use crate::report::output::{self, unwritable};
use crate::text::display;

/// The page.
const INDEX: &str = "index.html";

/// How names of directories of data begin, and how many hexadecimal digits follow.
const DATA: (&str, usize) = ("data-", 16);

/// What a page of ours has in its first line.
pub(super) const MARK: &str = "<!doctype html><!-- profrt cov -->";

/// A page that is written, and not yet seen.
pub(in crate::cov) struct Draft {
    to: PathBuf,
    data: TempDir,
    name: String,
    index: output::Draft,
}

/// Writes the data of a page, and the page that `index` makes for the name of their directory.
///
/// Errors: the directory has other things in it; those of the system. Then everything is as it was.
pub(super) fn write(to: &Path, data: &[String], index: impl FnOnce(&str) -> Result<String>) -> Result<Draft> {
    let cannot = |error| unwritable(to, error);
    check(to)?;
    fs::create_dir_all(to).map_err(cannot)?;
    let directory = temporary(to).map_err(cannot)?;
    let mut sum = XxHash3_128::new();
    for (number, text) in data.iter().enumerate() {
        let path = directory.path().join(file_name(number));
        fs::write(&path, text).map_err(|error| unwritable(&path, error))?;
        sum.write(text.as_bytes());
    }
    let name = format!("{}{:0width$x}", DATA.0, sum.finish_128() as u64, width = DATA.1);
    let index = output::Draft::of(&to.join(INDEX), index(&name)?.as_bytes())?;
    Ok(Draft { to: to.to_path_buf(), data: directory, name, index })
}

/// Checks that a page can be written. Errors: those of [`write`].
pub(super) fn check(to: &Path) -> Result<()> {
    let is_ours = || fs::read(to.join(INDEX)).is_ok_and(|page| page.starts_with(MARK.as_bytes()));
    let is_empty = fs::read_dir(to).map_or(true, |mut entries| entries.next().is_none());
    ensure!(
        is_empty || is_ours(),
        "{} has other things in it than a page of --html; give an empty directory",
        display(to)
    );
    let there = to.ancestors().find(|directory| directory.exists()).unwrap_or(Path::new("."));
    temporary(there).map(drop).map_err(|error| unwritable(to, error))
}

fn temporary(to: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".profrt-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    builder.tempdir_in(to)
}

/// Returns the name of the data of a source.
fn file_name(number: usize) -> String {
    format!("{number:06}.js")
}

impl Draft {
    /// Shows the page to others. Errors: those of the system.
    pub(in crate::cov) fn publish(self) -> Result<()> {
        let path = self.to.join(&self.name);
        // The same data are there already if nothing has changed.
        if !path.exists() {
            fs::rename(self.data.path(), &path).map_err(|error| unwritable(&path, error))?;
        }
        self.index.publish()?;
        let entries = fs::read_dir(&self.to).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_name() != *self.name && is_data(&entry.file_name()))
            .for_each(|entry| remove(&entry.path()));
        Ok(())
    }
}

/// Returns whether this is the name of a directory of data.
fn is_data(name: &std::ffi::OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(DATA.0));
    digits.is_some_and(|digits| digits.len() == DATA.1 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Removes data that no page has. What others have put there stays.
fn remove(directory: &Path) {
    for number in 0.. {
        if fs::remove_file(directory.join(file_name(number))).is_err() {
            break;
        }
    }
    let _ = fs::remove_dir(directory);
}
