//! Replaces the compiler's own archive, and puts it back.
//!
//! The compiler's file is kept beside as `….a.orig-llvm`. Whether a file is ours is read from the file, so that a second
//! installation does not take our archive for the compiler's, and an update of the compiler's package is noticed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::archive::is_ours;

/// Replaces each profile archive among `places` by `archive`; returns those replaced.
pub fn install(places: &[PathBuf], archive: &Path) -> Result<Vec<PathBuf>> {
    let present: Vec<&PathBuf> = places.iter().filter(|place| place.is_file()).collect();
    if present.is_empty() {
        bail!(
            "there is no archive to replace; the compiler would look for {}",
            places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(" or ")
        );
    }
    for place in &present {
        if !is_ours(place) {
            let backup = backup(place);
            replace(place, &backup)
                .with_context(|| format!("cannot keep the compiler's archive as {}", backup.display()))?;
        }
        replace(archive, place).with_context(|| format!("cannot replace {}", place.display()))?;
    }
    Ok(present.into_iter().cloned().collect())
}

/// Puts the compiler's archives back; returns those restored. Nothing to restore is no error where the archive is the compiler's.
pub fn restore(places: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut restored = Vec::new();
    for place in places {
        let backup = backup(place);
        if is_ours(place) && !backup.is_file() {
            bail!(
                "{} is profrt's and {} is missing; reinstall the compiler's package",
                place.display(),
                backup.display()
            );
        }
        if is_ours(place) {
            fs::rename(&backup, place).with_context(|| format!("cannot restore {}", place.display()))?;
            restored.push(place.clone());
        } else if place.is_file() && backup.is_file() {
            // The package was updated since: what is there is the compiler's, and newer.
            fs::remove_file(&backup).with_context(|| format!("cannot remove {}", backup.display()))?;
        }
    }
    Ok(restored)
}

/// Where the compiler's archive is kept.
pub fn backup(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".orig-llvm");
    PathBuf::from(name)
}

/// Copies beside and renames: whoever links meanwhile sees one archive or the other.
fn replace(source: &Path, destination: &Path) -> Result<()> {
    let directory = destination.parent().context("a file is in a directory")?;
    let new = tempfile::Builder::new().prefix(".profrt-").tempfile_in(directory)?;
    // With its permissions: a temporary file is readable by its owner alone.
    fs::copy(source, new.path())?;
    new.persist(destination)?;
    Ok(())
}
