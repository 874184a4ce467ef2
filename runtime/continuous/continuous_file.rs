//! The continuous file: takes a free one, replaces it, and moves the profile to another one.

#![allow(unsafe_code)]

use super::adopt::AdoptedProfile;
use super::mapped_section::MappingMethod;
use super::new_continuous_file::{MappedFile, NewContinuousFile};
use super::numbered::{MEMBERS, Runs, has_moved, refused_stamp, remove_ended_runs, stamp_of};
use super::snapshot::InitialCounts;
use crate::error::classes::is_damaged;
use crate::error::{Error, Result};
use crate::format::layout::Padding;
use crate::lifecycle::filename;
use crate::lifecycle::merged_content::warn_not_quarantined;
use crate::native::{Plan, empty_plan};
use crate::os;
use crate::os::file::{self, Fd, Status};
use crate::path::PathBuf;
use crate::publish::QuarantineName;
use crate::publish::claim::Claim;
use crate::raw;
use crate::report::{Grade, print, reason};
use crate::sections::{Image, variables};
use crate::state::member::Member;
use crate::state::output::Output;
use crate::value::node;

/// Attempts, a millisecond apart, to lock a file that another process may have locked to look at its stamp.
const LOOKED_AT: u32 = 100;

/// Plans the layout of the file.
fn lay_out(plan: &mut Plan, image: &Image, output: &Output) -> Result {
    let padding = Padding::Pages(output.continuous.page_size as u64);
    Ok(plan.set_image(&raw::shape(image, variables::raw_version(), padding))?)
}

/// Takes the first free file under the current name, and maps it.
pub fn map_first_free(output: &mut Output, initial: InitialCounts) -> Result {
    let mapped = find_and_map(output, initial, MappedFile::None);
    output.publisher.close_directory();
    mapped
}

/// Takes and maps the first free file, and leaves the directory open. `mapped_file`: the file that has the counts now.
fn find_and_map(output: &mut Output, initial: InitialCounts, mapped_file: MappedFile<'_>) -> Result {
    let image = &Image::this();
    let plan = &mut empty_plan();
    lay_out(plan, image, output)?;
    output.renamed = false;
    let mut runs = Runs::default();
    for member in 0..MEMBERS {
        output.member = Member::Number(member);
        filename::resolve(output)?;
        output.publisher.make_absolute(&mut output.name)?;
        loop {
            match try_name(output, image, plan, initial, mapped_file, &mut runs)? {
                Step::Mapped => return Ok(()),
                Step::Again => {}
                Step::Next => break,
            }
        }
    }
    Err(Error::NO_FREE_NAME)
}

/// The result of an attempt with one name: the counters are mapped, or the same name or the next one is tried.
enum Step {
    Mapped,
    Again,
    Next,
}

/// Tries to take and map the file with the current name, unless it is in use:
///
/// | existing file | name without number | numbered name | pool file |
/// | --- | --- | --- | --- |
/// | none, empty, or its counts have moved | take the name | take the name | take the name |
/// | of this run, or ours is unknown | adopt, else next name | adopt, else next name | adopt; damaged: quarantine; else next name |
/// | of another run | replace it | once that run has ended, replace it; else next name | as of this run |
/// | without the stamp of a numbered file | replace it | next name | as of this run |
/// | not ours to use ([`refuse`]) | error, with exceptions | next name | next name, with a warning |
fn try_name(
    output: &mut Output,
    image: &Image,
    plan: &Plan,
    initial: InitialCounts,
    mapped_file: MappedFile<'_>,
    runs: &mut Runs,
) -> Result<Step> {
    let old = match output.publisher.claim(output.name.as_bytes())? {
        Claim::InUse => return Ok(Step::Next),
        Claim::Free => None,
        Claim::Owned(old) => Some(old),
        Claim::Refused(error) => return refuse(output, initial, error),
    };
    let treatment = old.as_ref().map_or(Treatment::Replace, |old| choose_treatment(output, old, runs));
    if treatment == Treatment::Skip {
        return Ok(Step::Next);
    }
    if let Treatment::SkipWhileRuns(run) = treatment {
        // No lock may be held during a search for runs.
        drop(old);
        // The next attempt replaces the file, because `runs` knows then that the run has ended.
        return Ok(if runs.has_ended(output, run) { Step::Again } else { Step::Next });
    }
    let adopt = old.as_ref().filter(|_| treatment == Treatment::Adopt);
    let adopted = match adopt.map(|old| AdoptedProfile::of(old, output.publisher.size(), image, plan)).transpose() {
        Ok(adopted) => adopted,
        Err(error) if is_damaged(error) && output.is_pooled() => return quarantine(output, error),
        Err(_) => return Ok(Step::Next),
    };
    let replaces = old.is_some();
    let mut new = NewContinuousFile { image, plan, initial, replaces, adopted, mapped_file, refused: false };
    match new.fill_and_map(output) {
        Err(Error::OVERTAKEN) => return Ok(Step::Again),
        Err(error) if new.refused => return refuse(output, initial, error),
        other => other?,
    }
    if !output.is_pooled() {
        if output.member == Member::WITHOUT_NUMBER && treatment == Treatment::Replace {
            remove_ended_runs(output);
        }
        announce(output);
    }
    Ok(Step::Mapped)
}

/// Skips the current name, because we may not use its file for the reason `error`. Fails for a name without number, because readers would
/// add that file to ours; but not in a child, whose parent may have the file, and not if the file is of this run, which has changed its user.
#[cold]
#[inline(never)]
fn refuse(output: &Output, initial: InitialCounts, error: Error) -> Result<Step> {
    let name = output.name.as_path();
    if output.is_pooled() {
        print(Grade::Warning, &[b"\"", output.name.as_bytes(), b"\" is not used: ", reason(error), b"."]);
    } else if output.member == Member::WITHOUT_NUMBER
        // Without a pool, only a child begins with cleared counts.
        && initial != InitialCounts::Cleared
        && (output.run == 0 || refused_stamp(name, error).is_none_or(|stamp| stamp.run != output.run))
    {
        return Err(error);
    }
    Ok(Step::Next)
}

/// Reports the name of the file if the user has not named that file.
fn announce(output: &Output) {
    if output.member != Member::WITHOUT_NUMBER || !filename::is_executable() {
        let parts: [&[u8]; 3] = [
            b"This process or shared object counts into a file of its own, \"",
            output.continuous.name.as_bytes(),
            b"\": the profile of the run is the sum of its files.",
        ];
        print(Grade::Note, &parts);
    }
}

/// Writes the whole profile into a new file, which replaces the mapped one, and maps it.
pub fn renew(output: &mut Output) -> Result {
    let Output { publisher, continuous, name, .. } = &mut *output;
    name.set(continuous.name.as_bytes())?;
    let Some(old) = publisher.reopen(name.as_bytes(), continuous.identity)? else {
        // The file was removed.
        return map_first_free(output, InitialCounts::Live);
    };
    let image = &Image::this();
    let plan = &mut empty_plan();
    lay_out(plan, image, output)?;
    let mut new = NewContinuousFile {
        image,
        plan,
        initial: InitialCounts::Live,
        replaces: true,
        adopted: None,
        mapped_file: MappedFile::SameName(&old),
        refused: false,
    };
    let renewed = new.fill_and_map(output);
    output.publisher.close_directory();
    renewed
}

/// Moves all counts to a file under another name, and removes the old file.
pub fn move_on(output: &mut Output) -> Result {
    let identity = output.continuous.identity;
    let is_old = |now: Status| [now.device, now.inode] == identity;
    // The new name may be the old file's, in other words.
    if filename::resolve(output).is_ok() && file::status(output.name.as_path()).is_ok_and(is_old) {
        output.renamed = false;
        return Ok(());
    }
    let mut old = PathBuf::new();
    old.set(output.continuous.name.as_bytes())?;
    let file = output.publisher.reopen(old.as_bytes(), identity).ok().flatten();
    let member = output.member;
    let mapped_file = file.as_ref().map_or(MappedFile::None, MappedFile::OtherName);
    // After an error, the old file stays mapped.
    let moved = find_and_map(output, InitialCounts::Live, mapped_file).inspect_err(|_| output.member = member);
    drop(file);
    if moved.is_ok() {
        remove_moved(output, old.as_bytes(), identity);
        if has_name(&old, identity) {
            let parts: [&[u8]; 3] =
                [b"\"", old.as_bytes(), b"\" has the counts that were moved, too, and cannot be removed."];
            print(Grade::Warning, &parts);
        }
    }
    output.publisher.close_directory();
    moved
}

/// Removes the file from which the counts were moved, under its lock if possible: nobody gives its name to another file meanwhile.
fn remove_moved(output: &mut Output, old: &[u8], identity: [u64; 2]) {
    let mut locked = output.publisher.claim(old);
    for _ in 0..LOOKED_AT {
        // Another process looks at its stamp, or a child without fork handlers (`_Fork`) has it mapped.
        if !matches!(locked, Ok(Claim::InUse)) {
            break;
        }
        os::pause();
        locked = output.publisher.claim(old);
    }
    output.publisher.remove_if(identity);
}

/// Returns whether the file holds the whole profile: no values, no unmapped bitmaps, and it still has its name.
pub fn is_complete(output: &Output) -> bool {
    let image = Image::this();
    // SAFETY: the image's own records.
    let sites = unsafe { node::records(image.data) }.iter().any(|record| node::site_count(record) > 0);
    !sites && output.continuous.bitmap.method != MappingMethod::Written && has_its_name(output)
}

/// Returns whether the mapped file still has its name.
pub fn has_its_name(output: &Output) -> bool {
    has_name(&output.continuous.name, output.continuous.identity)
}

/// Returns whether the file with this device and inode has this name, or that is unknown.
fn has_name(name: &PathBuf, identity: [u64; 2]) -> bool {
    match file::status(name.as_path()) {
        Ok(now) => [now.device, now.inode] == identity,
        // A refused question says nothing.
        Err(error) => !matches!(error, Error::ENOENT | Error::ENOTDIR),
    }
}

/// What happens to a file that nobody owns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// The file is replaced.
    Replace,
    /// The file is replaced, and its counts go into the new file.
    Adopt,
    /// The file stays, and the next name is tried.
    Skip,
    /// The file stays as long as this run, which is not ours, goes on; then it is replaced.
    SkipWhileRuns(u64),
}

/// Chooses what happens to a file that nobody owns, see [`try_name`]. The user did not choose a numbered name for this program.
fn choose_treatment(output: &Output, old: &Fd, runs: &Runs) -> Treatment {
    if output.publisher.size() == 0 || has_moved(old) {
        return Treatment::Replace;
    }
    if output.is_pooled() || output.run == 0 {
        return Treatment::Adopt;
    }
    match stamp_of(old) {
        Some(stamp) if stamp.run == output.run => Treatment::Adopt,
        _ if output.member == Member::WITHOUT_NUMBER => Treatment::Replace,
        Some(stamp) if stamp.numbered && runs.is_known_to_have_ended(stamp.run) => Treatment::Replace,
        Some(stamp) if stamp.numbered && stamp.run != 0 => Treatment::SkipWhileRuns(stamp.run),
        _ => Treatment::Skip,
    }
}

/// Quarantines a damaged pool file. Where that is not allowed, the next pool file is tried.
#[cold]
#[inline(never)]
fn quarantine(output: &mut Output, error: Error) -> Result<Step> {
    let Output { name, publisher, .. } = output;
    let moved_to = match publisher.rename_to_quarantine(QuarantineName::Numbered) {
        Err(why @ (Error::LINKED | Error::STRANGERS)) => {
            warn_not_quarantined(name.as_bytes(), error, why);
            return Ok(Step::Next);
        }
        other => other?,
    };
    let parts: [&[u8]; 5] = [b"\"", name.as_bytes(), b"\" is damaged and now called \"", moved_to, b"\"."];
    print(Grade::Warning, &parts);
    Ok(Step::Again)
}
