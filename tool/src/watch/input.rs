//! One input: a profile or an archive of profiles, all of it or nothing.

use std::io::{self, Read};
use std::path::Path;

use profdata::error::Error;
use profdata::finding::Outcome;
use profdata::merge::{MergeOptions, Merger, has_note};
use profdata::read::detect::{Detected, detect};

use super::folder::{Folder, Stamp};
use crate::inputs::{Found, is_profile_name, unpack};
use crate::report::findings::cause;

/// Bytes by which a profile is known.
const HEAD: u64 = 512;

/// Returns whether a file is called like a profile, or begins like one. Errors: those of the system.
pub(super) fn is_profile(folder: &Folder, path: &Path, stamp: &Stamp) -> io::Result<bool> {
    if is_profile_name(path.as_os_str().as_encoded_bytes()) {
        return Ok(true);
    }
    let mut head = Vec::new();
    // Of one that somebody writes nobody knows.
    let Some(file) = folder.file(path, stamp)? else { return Ok(true) };
    file.take(HEAD).read_to_end(&mut head)?;
    Ok(matches!(detect(&head), Some(Detected::Raw(_) | Detected::Indexed | Detected::Partial)))
}

/// Returns the bytes of a file. `None`: somebody writes it, or it is gone. Errors: those of the system.
pub(super) fn read(folder: &Folder, path: &Path, stamp: &Stamp) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = folder.file(path, stamp)? else { return Ok(None) };
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(stamp.size).unwrap_or(usize::MAX).saturating_add(1))?;
    file.read_to_end(&mut bytes)?;
    Ok((stamp.is_of(&file)? && bytes.len() as u64 == stamp.size).then_some(bytes))
}

/// Returns the sum of the profiles of a file. Errors, as texts: something of it is no whole profile. `is_removed`:
/// so is a file in an archive that is no profile, and would be gone.
pub(super) fn sum(name: &str, bytes: &[u8], is_removed: bool) -> Result<Merger, String> {
    if has_note(bytes) {
        return Err("it is the output of a profrt watch, which changes; give it to profrt merge".into());
    }
    let mut sum = Merger::new(MergeOptions::default());
    if !matches!(detect(bytes), Some(Detected::Archive(_))) {
        add(&mut sum, name, bytes)?;
        return Ok(sum);
    }
    let mut result = Ok(());
    let mut refuse = |why: String| {
        if result.is_ok() {
            result = Err(why)
        }
    };
    let failure = unpack(name, bytes, &mut |found| match found {
        Found::Member { damage: Some(error), name, .. } => refuse(format!("{name}: {}", explained(&error))),
        Found::Member { name, bytes, damage: None } => add(&mut sum, &name, &bytes).unwrap_or_else(&mut refuse),
        Found::Ignored(name) if is_removed => {
            refuse(format!("{name} is no profile, and would be removed; unpack the archive"))
        }
        Found::Ignored(_) => {}
    });
    failure.map_or(result, |error| Err(explained(&error))).map(|()| sum)
}

/// Adds a profile. Errors: it is not whole.
fn add(sum: &mut Merger, name: &str, bytes: &[u8]) -> Result<(), String> {
    match sum.add_bytes(name, 1, bytes) {
        Ok(Outcome::Whole) => return Ok(()),
        Ok(_) => {}
        Err(error) => return Err(explained(&error)),
    }
    let report = sum.condense(name);
    let error = report.inputs.values().find_map(|input| input.error.as_ref());
    let finding = report.findings.first().map(|finding| format!("{name}: {}", finding.kind));
    Err(error.map(explained).or(finding).unwrap_or_else(|| format!("{name}: no line of this text is of a profile")))
}

/// Returns an error with its cause.
pub(super) fn explained(error: &Error) -> String {
    format!("{error}\n  cause:  {}", cause(error))
}
