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
    output.continuous.process_key != 0
}

/// Reports the error of an update. Returns `false` if the counters are lost, too, which the caller reports.
pub fn report_lost_values(output: &Output, error: Error) -> bool {
    let only_values = has_begun(output) && continuous_file::has_its_name(output);
    if only_values {
        fail(b"Values were not written; all counters are in \"", output.continuous.name.as_bytes(), error);
    }
    only_values
}

/// Updates the continuous file, which has the counters already. For values and unmapped bitmaps a new file replaces it; where it was removed or
/// renamed, a new file takes the first free name. Creates no file in a child whose counters are pages of its parent's file: one without fork
/// handlers (`_Fork`), or one that may create no file.
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
    output.continuous.process_key = 0;
    reset::zero_value_counts(&Image::this());
    Ok(())
}

/// Resets the counters of a program whose counters are or were mapped:
///
/// | the counters are pages of | reset | file that follows |
/// | --- | --- | --- |
/// | a file of this run | counters and values, also those in the file | the same |
/// | a pool file, with counts of other runs | nothing in the file; the process starts from zero | the next pool file; if none can be created the same, and nothing is reset |
/// | the parent's file | the values of this process | the same |
/// | no file: the mode has ended | counters and values | |
pub extern "C" fn reset_mapped() {
    let _suspended = os::ParentDeath::suspend();
    let Some(mut output) = output::lock() else {
        return print(Grade::Error, &[b"Counters were not reset: ", reason(Error::BUSY), b"."]);
    };
    if has_begun(&output) && !output.continuous.is_mapped() {
        reset::zero_value_counts(&Image::this());
        return warn_not_reset(&output, b"which belongs to the parent process");
    }
    let pooled = has_begun(&output) && output.continuous.pooled;
    if !pooled {
        reset::clear();
        output.continuous.discard(counter_kind());
    }
    if !has_begun(&output) {
        return;
    }
    if let Err(error) = update(&mut output)
        && !report_lost_values(&output, error)
    {
        end_if_failed(&mut output, Err(error));
    }
    if pooled && let Err(error) = map_another(&mut output) {
        warn_not_reset(&output, reason(error));
    }
}

/// Warns that counters go on in their file.
fn warn_not_reset(output: &Output, why: &[u8]) {
    let name = output.continuous.name.as_bytes();
    print(Grade::Warning, &[b"Counters were not reset and go on in \"", name, b"\": ", why, b"."]);
}

/// The counts of a forked child, for the code that handles other forks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChildCounts {
    /// The child has its parent's counts, in memory. The caller may reset them.
    Inherited,
    /// Nothing is left to reset. The child starts from zero: in a file of its own; in memory, if no file could be mapped or the mode has ended
    /// in favor of a stream; or in the parent's file, if it may create none. (If the state is locked, that is unknown: the counters may be
    /// pages of the parent's file, which nobody may reset.)
    Settled,
}

/// Handles a fork in the child, before `fork` returns there. In continuous mode the parent's counts are in the parent's file.
pub fn in_child() -> ChildCounts {
    let Some(mut output) = output::lock() else {
        let never_mapped = RESET_MAPPED.load(Ordering::Relaxed).is_null();
        return if never_mapped { ChildCounts::Inherited } else { ChildCounts::Settled };
    };
    // Another thread of the parent was about to map another file: the counters are pages of the old one still.
    let replaced = core::mem::take(&mut output.continuous.replaced_key);
    if !has_begun(&output) {
        output.continuous.process_key = replaced;
    }
    // The process id is not compared: in a namespace of its own the child may have its parent's.
    if has_begun(&output) {
        // Unmap the pages that another thread of the parent was about to use, before their address gets another use.
        output.continuous.give_up();
        begin_beside_parent(&mut output);
        return ChildCounts::Settled;
    }
    // After the mode has ended in favor of a stream, children still start from zero.
    if enabled() && output.continuous.page_size != 0 && STREAM.load(Ordering::Relaxed) != 0 {
        reset::clear();
        return ChildCounts::Settled;
    }
    ChildCounts::Inherited
}

/// Maps a file of this process, where counts start from zero, while the counters are pages of the parent's file. They stay that if this process
/// may not create files there, as a daemon that has given up its rights: the exit would find no place for them either.
pub fn begin_beside_parent(output: &mut Output) {
    let Err(error) = map_another(output) else { return };
    reset::zero_value_counts(&Image::this());
    let parts: [&[u8]; 4] = [
        b"This process counts into the file of its parent, \"",
        output.continuous.name.as_bytes(),
        b"\", where counts of both at the same moment may be lost, and without its values: ",
        reason(error),
    ];
    print(Grade::Warning, &parts);
}

/// Maps another file, where counts start from zero. The file that was mapped stays as it is. Fails if the counters stay pages of that file,
/// because no other one can be created. After other errors it ends the mode, and reports them.
fn map_another(output: &mut Output) -> Result {
    // 0 during the attempt. After a success `map` has set it to this process; if no file may be created, it is restored, and the mode goes on
    // in the old file; after other errors it stays 0: the mode has ended.
    let process_key = core::mem::replace(&mut output.continuous.process_key, 0);
    output.continuous.replaced_key = process_key;
    output.continuous.discard(counter_kind());
    let mapped = continuous_file::map_first_free(output, InitialCounts::Cleared);
    output.continuous.replaced_key = 0;
    let Err(error) = mapped else { return Ok(()) };
    // For such a reason the write at exit would fail, too.
    let refused =
        is_not_writable(error) || matches!(error, Error::ENOENT | Error::ENOTDIR | Error::EMFILE | Error::ENFILE);
    if refused && continuous_file::has_its_name(output) {
        output.continuous.process_key = process_key;
        return Err(error);
    }
    let left = output.continuous.leave(counter_kind());
    reset::zero_value_counts(&Image::this());
    // At exit the profile goes to a pool file or a numbered file, which with `%c` in the name a later run finds and removes.
    output.member = if output.is_pooled() { Member::private() } else { Member::Number(1) };
    end_if_failed(output, Err(left.err().unwrap_or(error)));
    Ok(())
}

/// Chooses the file of a profile that is written at exit although its name requests the mode (`%c`): one that the profile may take
/// (`may_take`). Does nothing for a name without `%c`.
pub fn avoid_mapped(output: &mut Output) -> Result {
    if !output.flags.continuous {
        return Ok(());
    }
    let decided = output.member;
    // This process, or its parent, has written the file before, so no process has it mapped.
    if decided.is_numbered() && decided == output.written_member {
        return Ok(());
    }
    let free = if output.is_pooled() { avoid_in_pool(output, decided) } else { avoid_in_numbers(output, decided) };
    output.publisher.close_directory();
    output.member = free?;
    Ok(())
}

/// Returns the decided pool file if the profile may take it, else the first such shared one.
fn avoid_in_pool(output: &mut Output, decided: Member) -> Result<Member> {
    for member in core::iter::once(decided).chain((0..MEMBERS).map(Member::Number)) {
        if may_take(output, member)? {
            return Ok(member);
        }
    }
    Err(Error::NO_FREE_NAME)
}

/// Returns the decided file without `%m` if the profile may go there, else the first such one with a larger number.
fn avoid_in_numbers(output: &mut Output, decided: Member) -> Result<Member> {
    let first = decided.number().unwrap_or(0);
    // The write decides whether it replaces the file without a number.
    if first == 0 && may_take(output, decided)? {
        return Ok(decided);
    }
    let runs = &mut Runs::default();
    let free = (first.max(1)..MEMBERS).find(|number| may_write(output, *number, runs));
    free.map(Member::Number).ok_or(Error::NO_FREE_NAME)
}

/// Returns whether the profile may go to the file of this member: no process has the file mapped, which would keep it locked, and its counts
/// have not moved to another file. (The lock that finds this out is free again.)
fn may_take(output: &mut Output, member: Member) -> Result<bool> {
    output.member = member;
    filename::resolve(output)?;
    Ok(match output.publisher.claim(output.name.as_bytes()) {
        Ok(Claim::InUse) => false,
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
