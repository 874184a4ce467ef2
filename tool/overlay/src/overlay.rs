//! An overlay: a resource directory of links to the compiler's own, in which only the profile archive is ours.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::archive::beside;
use crate::compiler::{Compiler, profile_archives};

/// Says that a directory is an overlay of ours, which we may replace.
const MARK: &str = ".profrt-overlay";

/// How the compiler's own files get into an overlay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entries {
    /// Links: small, and follow the compiler's updates.
    Link,
    /// Copies: can be moved to another machine.
    Copy,
}

/// Lays an overlay of the compiler's resource directory at `prefix`, with `archive` in it.
pub fn overlay(compiler: &Compiler, archive: &Path, prefix: &Path, entries: Entries) -> Result<()> {
    let original = compiler.resource_dir.canonicalize().with_context(|| {
        format!("{} names {} as its resource directory", compiler.clang.display(), compiler.resource_dir.display())
    })?;
    if is_foreign(prefix)? {
        bail!("{} is not empty and no overlay of ours; choose another directory, or empty it", prefix.display());
    }
    let prefix = std::path::absolute(prefix)?;
    let parent = prefix.parent().context("an overlay cannot be the root directory")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    // Made beside and moved into place, so that a compiler that runs meanwhile sees the old overlay or the new one.
    let new = tempfile::Builder::new().prefix(".profrt-").tempdir_in(parent)?;
    let made = new.path().join("new");
    let places = places(&original, &compiler.triple);
    let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    lay(&original, &made, &places, entries)?;
    for place in &places {
        let file = made.join(place);
        fs::create_dir_all(file.parent().unwrap_or(&made))?;
        let both = [(archive.to_path_buf(), file.clone()), (beside(archive), beside(&file))];
        // An archive that is not of our making has nothing beside it.
        for (from, to) in both.iter().take(if both[1].0.exists() { 2 } else { 1 }) {
            fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        }
    }
    fs::write(made.join("profrt.cfg"), CONFIG)?;
    fs::write(made.join(MARK), format!("{}\n", original.display()))?;
    if prefix.exists() {
        fs::rename(&prefix, new.path().join("old")).with_context(|| format!("cannot replace {}", prefix.display()))?;
    }
    fs::rename(&made, &prefix).with_context(|| format!("cannot create {}", prefix.display()))
}

/// For `clang --config OVERLAY/profrt.cfg`.
const CONFIG: &str = "# The resource directory is the one that this file is in: its profile archive is profrt.
-resource-dir=<CFGDIR>
";

/// Where the archive belongs in a resource directory, relative to it: wherever the compiler has one, else where it would look.
fn places(resource_dir: &Path, triple: &str) -> Vec<PathBuf> {
    let relative = profile_archives(Path::new(""), triple);
    let (present, absent): (Vec<_>, Vec<_>) = relative.into_iter().partition(|place| resource_dir.join(place).exists());
    if !present.is_empty() {
        return present;
    }
    let directory = |place: &&PathBuf| place.parent().is_some_and(|parent| resource_dir.join(parent).is_dir());
    let used = absent.iter().find(directory).or(absent.last());
    used.cloned().into_iter().collect()
}

#[cfg(unix)]
use std::os::unix::fs::symlink;

/// Refuses: links need rights that few users have.
#[cfg(not(unix))]
fn symlink(_source: &Path, _link: &Path) -> std::io::Result<()> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "no links here; --copy makes copies"))
}

/// Fills `to` with the entries of `from`; descends only where one of `places` (relative to `from`) is, and leaves that file out.
fn lay(from: &Path, to: &Path, places: &[&Path], entries: Entries) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let name = entry?.file_name();
        let below: Vec<&Path> = places.iter().filter_map(|place| inside(place, &name)).collect();
        let (source, copy) = (from.join(&name), to.join(&name));
        if below.iter().any(|rest| rest.as_os_str().is_empty()) {
            continue;
        }
        let into = !below.is_empty() || (entries == Entries::Copy && source.is_dir());
        let made = if into {
            lay(&source, &copy, &below, entries)
        } else if entries == Entries::Link {
            symlink(&source, &copy).map_err(Into::into)
        } else {
            fs::copy(&source, &copy).map(drop).map_err(Into::into)
        };
        made.with_context(|| format!("cannot make {}", copy.display()))?;
    }
    Ok(())
}

/// What is left of `place` below its first component, if that is `name`.
fn inside<'a>(place: &'a Path, name: &OsStr) -> Option<&'a Path> {
    let mut components = place.components();
    (components.next()?.as_os_str() == name).then_some(components.as_path())
}

/// Whether the directory holds something that we did not put there.
fn is_foreign(prefix: &Path) -> Result<bool> {
    if !prefix.exists() || prefix.join(MARK).is_file() {
        return Ok(false);
    }
    let mut entries = fs::read_dir(prefix).with_context(|| format!("{} is not a directory", prefix.display()))?;
    Ok(entries.next().is_some())
}
