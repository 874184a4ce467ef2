//! The numbered files of continuous mode without a pool (`app-1.profraw`, `app-2.profraw`, …): finds those of earlier
//! runs, which may be replaced or removed.
//!
//! A process that has mapped its file owns it by a lock. The counts of an unlocked file, which is not mapped any more or was written by a
//! dump, are needed as long as the run goes on: as long as another process of that run owns a file under the same name.

use crate::error::classes::is_not_writable;
use crate::error::{Error, Result};
use crate::format::Encoding;
use crate::format::header::MAX_WORDS;
use crate::format::layout::{Part, STAMP};
use crate::format::stamp::{Stamp, StampBytes};
use crate::lifecycle::filename;
use crate::native::{Plan, empty_plan};
use crate::os::Deadline;
use crate::os::file::{self, Fd};
use crate::path::Path;
use crate::publish::claim::Claim;
use crate::report::{Grade, print, reason};
use crate::state::member::Member;
use crate::state::output::Output;

/// How many names are tried.
pub(crate) const MEMBERS: u32 = 100_000;
/// Missing numbers in a row that a search goes on after: a run that removes files leaves gaps between those that others own.
const GAP: u32 = 3;

/// Returns the plan of a file, which may be the profile of any program; `None` where it is none.
fn plan_of(file: &Fd) -> Option<Plan> {
    let mut bytes = [0u8; MAX_WORDS * 8];
    let len = file.read_at(&mut bytes, 0).ok()?;
    let mut plan = empty_plan();
    plan.read(bytes.get(..len)?).ok()?;
    Some(plan)
}

/// Returns the stamp of a file, which may be the profile of any program; `None` where it has none.
pub(crate) fn stamp_of(file: &Fd) -> Option<Stamp> {
    let mut stamp: StampBytes = [[0; 8]; 2];
    file.read_all(stamp.as_flattened_mut(), stamp_at(&plan_of(file)?)).ok()?;
    Stamp::parse(stamp, Encoding::NATIVE)
}

/// Returns the stamp of a file that may not be used because of `error`; `None` where it cannot be read. Only a regular file of another user
/// can have a stamp; nothing else is opened.
pub(crate) fn refused_stamp(name: Path<'_>, error: Error) -> Option<Stamp> {
    if !is_not_writable(error) || !file::status(name).is_ok_and(|status| status.regular) {
        return None;
    }
    stamp_of_name(name)
}

/// Returns the stamp of the regular file that has this name; `None` where it cannot be read.
fn stamp_of_name(name: Path<'_>) -> Option<Stamp> {
    stamp_of(&file::open_regular_for_reading(name).ok()?)
}

/// Writes the stamp of this run into the current numbered file, which is not mapped, if its first profile has no stamp.
pub(crate) fn add_stamp(output: &Output) -> Result {
    let file = file::open_or_create_no_link(output.name.as_path().into())?;
    if stamp_of(&file).is_some() {
        return Ok(());
    }
    let plan = plan_of(&file).ok_or(Error::OVERTAKEN)?;
    // The profile is from another archive and has no space for a stamp.
    if plan.header().padding_before_counters < STAMP {
        return Err(Error::NO_SPACE);
    }
    file.write_at(
        Stamp { run: output.run, numbered: true, moved: false }.bytes(Encoding::NATIVE).as_flattened(),
        stamp_at(&plan),
    )
}

/// Returns whether another file has all counts of this file, which its process is about to remove, unless it was killed.
pub(crate) fn has_moved(file: &Fd) -> bool {
    stamp_of(file).is_some_and(|stamp| stamp.moved)
}

/// Says in the stamp of a file whether another file has all its counts.
pub(crate) fn set_moved(file: &Fd, moved: bool) -> Result {
    let (Some(plan), Some(stamp)) = (plan_of(file), stamp_of(file)) else { return Err(Error::OVERTAKEN) };
    file.write_at(Stamp { moved, ..stamp }.bytes(Encoding::NATIVE).as_flattened(), stamp_at(&plan))
}

/// Returns whether a profile that is not mapped may be written into the file with this number: the file does not exist, is empty, or is of this
/// run. Removes the file of a run that has ended. `output.name` may be another one afterwards.
pub(crate) fn may_write(output: &mut Output, number: u32, runs: &mut Runs) -> bool {
    let other_run = match claim(output, number) {
        // The write reports the error.
        Ok(Claim::Free) | Err(_) => return true,
        Ok(Claim::InUse | Claim::Refused(_)) => return false,
        Ok(Claim::Owned(_)) if output.publisher.size() == 0 => return true,
        Ok(Claim::Owned(file)) => match of_other_run(output, &file) {
            None => return stamp_of(&file).is_some_and(|stamp| stamp.run == output.run && !stamp.moved),
            // Unlocks the file: no lock may be held during a search for runs.
            Some(run) => run,
        },
    };
    runs.has_ended(output, other_run)
        && remove_of_run(output, number, other_run).is_ok()
        && matches!(claim(output, number), Ok(Claim::Free))
}

/// Removes the file with this number if it is still of `run`, another run, which has ended. (The name may mean another file by now.)
fn remove_of_run(output: &mut Output, number: u32, run: u64) -> Result {
    match claim(output, number) {
        // While the file is locked, nobody gives its name to another one.
        Ok(Claim::Owned(file)) if of_other_run(output, &file) == Some(run) => output.publisher.remove_claimed(),
        _ => Ok(()),
    }
}

/// Returns the offset of the stamp in a file with this plan.
pub(crate) fn stamp_at(plan: &Plan) -> u64 {
    plan.chunk(Part::Counters).offset.saturating_sub(STAMP)
}

/// Knowledge of other runs: of the last one that was found to have ended, and of the last one that was found to live.
#[derive(Default)]
pub(crate) struct Runs {
    /// The run that was found to have ended, if any was; 0: none.
    ended: u64,
    /// The run that was found to go on; 0: none.
    living: u64,
    /// The end of all searches: a stranger may have created any number of files, each of another run.
    deadline: Deadline,
}

impl Runs {
    /// Returns whether [`Runs::has_ended`] has found that the run has ended.
    pub(crate) fn is_known_to_have_ended(&self, run: u64) -> bool {
        run == self.ended && run != 0
    }

    /// Returns whether no process of `run` owns a file under the current name. Restores the name and the member. The caller must hold no lock
    /// on a file of that run.
    pub(crate) fn has_ended(&mut self, output: &mut Output, run: u64) -> bool {
        if run != self.ended && run != self.living && !self.deadline.is_over() {
            let member = output.member;
            let living = owns_a_file(output, run);
            *(if living { &mut self.living } else { &mut self.ended }) = run;
            restore(output, member);
        }
        run == self.ended
    }
}

/// Claims the file with this number, if it exists. (The name may stay relative here.)
fn claim(output: &mut Output, number: u32) -> Result<Claim> {
    output.member = Member::Number(number);
    filename::resolve(output)?;
    if file::status(output.name.as_path()) == Err(Error::ENOENT) {
        return Ok(Claim::Free);
    }
    output.publisher.claim(output.name.as_bytes())
}

/// Makes the file with this number the current one again.
fn restore(output: &mut Output, member: Member) {
    output.member = member;
    // The same name was resolved before, so this does not fail.
    let _ = filename::resolve(output).and_then(|()| output.publisher.make_absolute(&mut output.name));
}

/// Returns whether a process of `run` owns one of the files, or that is unknown.
fn owns_a_file(output: &mut Output, run: u64) -> bool {
    let mut missing = 0;
    for number in 0..MEMBERS {
        let owned = match claim(output, number) {
            Ok(Claim::Free) if missing >= GAP => break,
            Ok(Claim::Free) => {
                missing += 1;
                continue;
            }
            Ok(Claim::Owned(_)) => false,
            // A directory or a pipe belongs to no run.
            Ok(Claim::Refused(error)) if !is_not_writable(error) => false,
            // A file of another user may be in use.
            Ok(Claim::InUse | Claim::Refused(_)) => {
                stamp_of_name(output.name.as_path()).is_none_or(|stamp| stamp.run == run)
            }
            Err(_) => true,
        };
        if owned {
            return true;
        }
        missing = 0;
    }
    false
}

/// Returns the run of a numbered file of another run; `None` for a file of this run or of an unknown one.
fn of_other_run(output: &Output, file: &Fd) -> Option<u64> {
    let other = |stamp: &Stamp| stamp.numbered && stamp.run != output.run && stamp.run != 0;
    stamp_of(file).filter(other).map(|stamp| stamp.run)
}

/// Warns that a numbered file of another run and another user stays. Returns whether the file is one.
#[cold]
#[inline(never)]
fn warn_of_other_run(output: &Output, error: Error) -> bool {
    let name = output.name.as_path();
    let left =
        refused_stamp(name, error).is_some_and(|stamp| stamp.numbered && stamp.run != 0 && stamp.run != output.run);
    if left {
        let parts: [&[u8]; 4] =
            [b"\"", output.name.as_bytes(), b"\" is of another run and cannot be removed: ", reason(error)];
        print(Grade::Warning, &parts);
    }
    left
}

/// Removes the numbered files of ended runs after a write into a plain file, if continuous mode was requested and the write has replaced the
/// file of an earlier run: with that file goes the profile to which they belong. `first`: the write was the first one of this image.
pub(crate) fn after_plain_write(output: &mut Output, first: bool) {
    if output.flags.continuous && first && output.publisher.has_replaced() {
        remove_ended_runs(output);
        // `publish` has closed the directory; the search has opened it again.
        output.publisher.close_directory();
    }
}

/// Removes the numbered files of ended runs under the current name. A new run does this when it has taken the file without a number.
/// Other files stay, and so does a file that a link leads to.
///
/// The search ends at the first file that cannot be removed: the sum is wrong in any case, and a stranger may have created any number of
/// files.
pub(crate) fn remove_ended_runs(output: &mut Output) {
    let first = output.member;
    let mut runs = Runs::default();
    let mut missing = 0;
    for number in 1..MEMBERS {
        let run = match claim(output, number) {
            Ok(Claim::Free) if missing >= GAP => break,
            Ok(Claim::Free) => {
                missing += 1;
                continue;
            }
            Ok(Claim::Owned(file)) => of_other_run(output, &file),
            Ok(Claim::InUse) => None,
            Ok(Claim::Refused(error)) if warn_of_other_run(output, error) => break,
            Ok(Claim::Refused(_)) => None,
            Err(_) => break,
        };
        missing = 0;
        let Some(run) = run else { continue };
        if runs.has_ended(output, run)
            && let Err(error) = remove_of_run(output, number, run)
        {
            warn_of_other_run(output, error);
            break;
        }
    }
    restore(output, first);
}
