//! Continuous mode from start to exit: which file, when its pages take the place of counters, and what is said when that is
//! not possible.
//!
//! Each image and each process has a file of its own, which it keeps locked (`publish::claim`): counters that two processes
//! add to on one page would lose counts. Who finds a file in use takes the next member of the pool, or the next number
//! behind the name. What a file of this run holds already, or with `%m` of any run, is taken over.

use core::sync::atomic::Ordering;

use super::numbered::{MEMBERS, Runs, add_stamp, may_write};
use super::{continuous_file, filename};
use crate::continuous::counts::{CountKind, counter_kind};
use crate::continuous::snapshot::InitialCounts;
use crate::error::{Error, Result};
use crate::os;
use crate::publish::claim::Claim;
use crate::report::{Grade, fail, print, reason};
use crate::reset;
use crate::sections::Image;
use crate::state::RESET_MAPPED;
use crate::state::continuous_request::{WANTED, enabled};
use crate::state::output::{self, Output, STREAM};

/// Says why the file is not mapped, and leaves the profile to the end of the program.
pub(super) fn report(output: &mut Output, result: Result) {
    if let Err(error) = result {
        WANTED.store(false, Ordering::Relaxed);
        let what = b"Continuous mode (%c) has failed, the profile is written when the program ends: \"";
        fail(what, output.shown(), error);
    }
}

/// Brings the file up to date, if there is one: `None` when the profile is to be written in the usual way. Counters are in it
/// already; values, and what else is not mapped, come with a new file in its place.
pub fn write(output: &mut Output) -> Option<Result> {
    if output.continuous.process == 0 {
        return None;
    }
    if !output.continuous.is_mapped() {
        // A child that the C library does not know of (`_Fork`): its counts are in its parent's file.
        return Some(Ok(()));
    }
    output.continuous.counters.collect(counter_kind());
    output.continuous.bitmap.collect(CountKind::Bits);
    if continuous_file::is_complete(output) { Some(Ok(())) } else { Some(continuous_file::renew(output)) }
}

/// Brings the file up to date and gives it up: counts go on from zero, in memory of the process.
pub(super) fn leave(output: &mut Output) -> Result {
    write(output).unwrap_or(Ok(()))?;
    output.continuous.leave(counter_kind())?;
    output.continuous.process = 0;
    reset::forget_values(&Image::this());
    Ok(())
}

/// Counters are reset. In a file of our own they are zeroed, and values that it has from an earlier write go. A file of a pool holds
/// counts of other runs as well: what is in there stays, our values too, and we begin anew in the next one.
pub(super) extern "C" fn reset_mapped() {
    let _suspended = os::ParentDeath::suspend();
    let Some(mut output) = output::lock() else {
        return print(Grade::Error, &[b"Counters were not reset: ", reason(Error::BUSY), b"."]);
    };
    let pooled = output.continuous.is_mapped() && continuous_file::pooled(&output);
    if !pooled {
        reset::clear();
        output.continuous.discard(counter_kind());
    }
    if let Some(Err(error)) = write(&mut output) {
        report(&mut output, Err(error));
    }
    if pooled {
        begin_anew(&mut output);
    }
}

/// In a forked child, before `fork` returns there: what is counted from here on is the child's own, and goes to a file of its
/// own. What its parent has counted is in the parent's file. `false`: nothing is mapped, and the child counts where it did.
pub fn in_child() -> bool {
    // Without the state nobody knows; but where pages may be those of the parent's file they are left alone.
    let Some(mut output) = output::lock() else { return !RESET_MAPPED.load(Ordering::Relaxed).is_null() };
    // Whatever its number: in a namespace of its own it may be its parent's.
    if output.continuous.process == 0 {
        // After the mode was left for a stream, children go on to begin with no counts.
        let left = enabled() && output.continuous.page != 0 && STREAM.load(Ordering::Relaxed) != 0;
        if left {
            reset::clear();
        }
        return left;
    }
    // What another thread was about to map; before that place is given to anything else.
    output.continuous.give_up();
    begin_anew(&mut output);
    true
}

/// Leaves the file that is mapped as it is, and counts from zero into another one.
fn begin_anew(output: &mut Output) {
    output.continuous.process = 0;
    output.continuous.discard(counter_kind());
    reset::forget_values(&Image::this());
    if let Err(error) = continuous_file::take(output, InitialCounts::Cleared) {
        // Not the pages of that file in any case.
        let left = output.continuous.leave(counter_kind());
        // What is written at exit goes to a file with a number, which a later run finds and removes, or to one of the pool.
        output.member = Some(if continuous_file::pooled(output) { os::process_id() } else { 1 });
        report(output, Err(left.err().unwrap_or(error)));
    }
}

/// Finds a file for a profile that is written at exit although its name asks for the mode: not one that a process has mapped, which
/// is locked until that ends.
pub fn avoid_mapped(output: &mut Output) -> Result {
    if !output.flags.continuous {
        return Ok(());
    }
    let decided = output.member;
    let runs = &mut Runs::default();
    let pooled = continuous_file::pooled(output);
    let from = if pooled { 0 } else { decided.unwrap_or(0) };
    for member in core::iter::once(decided).chain((from..MEMBERS).map(Some)) {
        let free = match member {
            // The file that this process has written before.
            Some(1..) if member == decided && output.publisher.looks_for_header() => true,
            Some(number @ 1..) if !pooled => may_write(output, number, runs),
            _ => {
                output.member = member;
                filename::resolve(output)?;
                // What else is wrong with the name is told by the write.
                !matches!(output.publisher.claim(output.name.as_bytes()), Ok(Claim::Taken))
            }
        };
        output.publisher.leave();
        output.member = member;
        if free {
            return Ok(());
        }
    }
    Err(Error::BUSY)
}

/// Whether the file in force is a numbered one, in which a later run looks for the number of ours.
pub fn is_numbered(output: &Output) -> bool {
    output.flags.continuous && !continuous_file::pooled(output) && output.member.is_some_and(|member| member > 0)
}

/// Says in the numbered file, which was just written, that it is of this run.
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
