//! Continuous mode after its start: updates of the file at a dump, resets, forked children, and the end of the mode.
//!
//! Each image and each process keeps a file of its own locked (`publish::claim`): two processes that add to one page would lose counts. A
//! process that finds a file in use takes the next member. It adopts the counts in a file of its own run, or with `%m` of any run.

use core::sync::atomic::Ordering;

use super::continuous_file;
use super::counts::{CountKind, counter_kind};
use super::numbered::{MEMBERS, Runs, add_stamp, has_moved, may_write};
use super::request::{WANTED, enabled};
use super::snapshot::InitialCounts;
use crate::error::classes::is_not_writable;
use crate::error::{Error, Result};
use crate::lifecycle::filename;
use crate::os;
use crate::publish::claim::Claim;
use crate::report::{Grade, fail, print, reason};
use crate::reset;
use crate::sections::Image;
use crate::state::RESET_MAPPED;
use crate::state::member::Member;
use crate::state::output::{self, Output, STREAM};

/// Reports why the file could not be mapped, and ends the mode, if `result` is an error: the profile is written when the program ends.
pub fn end_if_failed(output: &mut Output, result: Result) {
    if let Err(error) = result {
        WANTED.store(false, Ordering::Relaxed);
        let what = b"Continuous mode (%c) has failed, the profile is written when the program ends: \"";
        fail(what, output.shown(), error);
    }
}

/// Returns whether the counters of this process are, or of its parent were, pages of a file.
pub fn has_begun(output: &Output) -> bool {
    output.continuous.process != 0
}

/// Reports the error of an update. Returns `false` if the counters are lost, too, which the caller reports.
pub fn report_lost_values(output: &Output, error: Error) -> bool {
    let only_values = has_begun(output) && continuous_file::has_its_name(output);
    if only_values {
        fail(b"Values were not written; all counters are in \"", output.continuous.name.as_bytes(), error);
    }
    only_values
}

/// Updates the continuous file. The counters are in the file already; for values and unmapped bitmaps a new file replaces it, but not in a
/// child whose counters are pages of its parent's file: one without fork handlers (`_Fork`), or one that may create no file.
pub fn update(output: &mut Output) -> Result {
    if !output.continuous.is_mapped() {
        output.name.set(output.continuous.name.as_bytes())?;
        return if continuous_file::has_its_name(output) { Ok(()) } else { Err(Error::OVERTAKEN) };
    }
    output.continuous.counters.collect(counter_kind());
    output.continuous.bitmap.collect(CountKind::Bits);
    if continuous_file::is_complete(output) { Ok(()) } else { continuous_file::renew(output) }
}

/// Updates the file and unmaps it: counts go on from zero, in memory of the process.
pub fn leave(output: &mut Output) -> Result {
    update(output)?;
    output.continuous.leave(counter_kind())?;
    output.continuous.process = 0;
    reset::zero_value_counts(&Image::this());
    Ok(())
}

/// Resets mapped counters. In a file of this run they are zeroed, and the values of earlier writes are removed. A pool file holds
/// counts of other runs as well: its counts and values stay, and the process starts from zero in the next pool file.
pub extern "C" fn reset_mapped() {
    let _suspended = os::ParentDeath::suspend();
    let Some(mut output) = output::lock() else {
        return print(Grade::Error, &[b"Counters were not reset: ", reason(Error::BUSY), b"."]);
    };
    let own = output.continuous.process;
    if has_begun(&output) && !output.continuous.is_mapped() {
        reset::zero_value_counts(&Image::this());
        return warn_not_reset(&output, b"which belongs to the parent process");
    }
    let pooled = has_begun(&output) && output.continuous.pooled;
    if !pooled {
        reset::clear();
        output.continuous.discard(counter_kind());
    }
    if let Err(error) = update(&mut output)
        && !report_lost_values(&output, error)
    {
        end_if_failed(&mut output, Err(error));
    }
    if pooled {
        match map_another(&mut output) {
            Err(error) if can_stay(&output, error) => {
                output.continuous.process = own;
                warn_not_reset(&output, reason(error));
            }
            mapped => leave_if_failed(&mut output, mapped),
        }
    }
}

/// Warns that counters go on in their file.
fn warn_not_reset(output: &Output, why: &[u8]) {
    let name = output.continuous.name.as_bytes();
    print(Grade::Warning, &[b"Counters were not reset and go on in \"", name, b"\": ", why, b"."]);
}

/// Handles a fork in the child, before `fork` returns there: its counts start from zero and go to a file of its own. The parent's counts
/// are in the parent's file. Returns `false` if nothing is mapped, so that the child goes on with its parent's counts.
pub fn in_child() -> bool {
    // Without the state the answer is unknown; if the counters may be pages of the parent's file, nobody may reset them.
    let Some(mut output) = output::lock() else { return !RESET_MAPPED.load(Ordering::Relaxed).is_null() };
    // The process id is not compared: in a namespace of its own the child may have its parent's.
    if output.continuous.process == 0 {
        // After the mode has ended in favor of a stream, children still start from zero.
        let left = enabled() && output.continuous.page_size != 0 && STREAM.load(Ordering::Relaxed) != 0;
        if left {
            reset::clear();
        }
        return left;
    }
    // Unmap the pages that another thread of the parent was about to use, before their address gets another use.
    output.continuous.give_up();
    begin_beside_parent(&mut output);
    true
}

/// Maps a file of this process, where counts start from zero, while the counters are pages of the parent's file. They stay that if this process
/// may not create files there, as a daemon that has given up its rights: the exit would find no place for them either.
pub fn begin_beside_parent(output: &mut Output) {
    let parent = output.continuous.process;
    match map_another(output) {
        Err(error) if can_stay(output, error) => {
            output.continuous.process = parent;
            reset::zero_value_counts(&Image::this());
            let parts: [&[u8]; 4] = [
                b"This process counts into the file of its parent, \"",
                output.continuous.name.as_bytes(),
                b"\", where counts of both at the same moment may be lost, and without its values: ",
                reason(error),
            ];
            print(Grade::Warning, &parts);
        }
        mapped => leave_if_failed(output, mapped),
    }
}

/// Returns whether counters stay pages of their file because no other one could be created, for this reason: at exit that would fail, too.
fn can_stay(output: &Output, error: Error) -> bool {
    let refused =
        is_not_writable(error) || matches!(error, Error::ENOENT | Error::ENOTDIR | Error::EMFILE | Error::ENFILE);
    refused && continuous_file::has_its_name(output)
}

/// Maps another file, where counts start from zero. The file that was mapped stays as it is.
fn map_another(output: &mut Output) -> Result {
    output.continuous.process = 0;
    output.continuous.discard(counter_kind());
    continuous_file::map_first_free(output, InitialCounts::Cleared)
}

/// Ends the mode if no other file could be mapped: the counters must not stay pages of the old file.
fn leave_if_failed(output: &mut Output, mapped: Result) {
    if let Err(error) = mapped {
        let left = output.continuous.leave(counter_kind());
        reset::zero_value_counts(&Image::this());
        // At exit the profile goes to a pool file or a numbered file, which with `%c` in the name a later run finds and removes.
        output.member = if output.is_pooled() { Member::private() } else { Member::Number(1) };
        end_if_failed(output, Err(left.err().unwrap_or(error)));
    }
}

/// Chooses the file of a profile that is written at exit although its name requests the mode: one that no process has mapped. (A mapped
/// file is locked until its process ends.)
pub fn avoid_mapped(output: &mut Output) -> Result {
    if !output.flags.continuous {
        return Ok(());
    }
    let decided = output.member;
    // This process, or its parent, has written the file before, so no process has it mapped.
    if decided.is_numbered() && decided == output.written_member {
        return Ok(());
    }
    let runs = &mut Runs::default();
    let pooled = output.is_pooled();
    // The decided file first. With `%m` all shared pool files follow, without `%m` the larger numbers.
    let from = if pooled { 0 } else { decided.number().unwrap_or(0).wrapping_add(1) };
    for member in core::iter::once(decided).chain((from..MEMBERS).map(Member::Number)) {
        let free = match member {
            Member::Number(number @ 1..) if !pooled => may_write(output, number, runs),
            // A pool file, or the file without a number.
            _ => is_not_mapped(output, member)?,
        };
        output.publisher.leave();
        output.member = member;
        if free {
            return Ok(());
        }
    }
    Err(Error::NO_FREE_NAME)
}

/// Returns whether no process has the file of this member mapped.
fn is_not_mapped(output: &mut Output, member: Member) -> Result<bool> {
    output.member = member;
    filename::resolve(output)?;
    Ok(match output.publisher.claim(output.name.as_bytes()) {
        Ok(Claim::Taken) => false,
        Ok(Claim::Owned(file)) => !has_moved(&file),
        // The write reports other errors with the name.
        _ => true,
    })
}

/// Writes the stamp of this run into the numbered file, which was just written.
#[cold]
#[inline(never)]
pub fn mark(output: &Output) {
    if let Err(error) = add_stamp(output) {
        let name = output.name.as_bytes();
        print(
            Grade::Warning,
            &[b"\"", name, b"\" will be counted in later runs, too, unless it is removed: ", reason(error)],
        );
    }
}
