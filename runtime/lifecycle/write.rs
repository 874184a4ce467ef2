//! Writes the profile of this image to its destination: the program's stream, the continuous file, a pool file, or a plain file.
//!
//! [`crate::publish`] shows how a file gets its name, [`content`](super::content) what is in it. A write that finds its file in use gives
//! everything back, sleeps with signals open, and begins again: whatever a signal handler does meanwhile, it does between two writes.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::content::{LaterWrites, ProfileContent};
use super::{mismatch as message, value_limits};
use crate::dump;
use crate::error::{Error, Result};
use crate::filename::add_number;
use crate::merge::contribution::Contribution;
use crate::mismatch;
use crate::native::{Plan, empty_plan};
use crate::os::{self, file};
use crate::output::{self, Output, OutputGuard, STREAM};
use crate::path::{PathBuf, is_slash};
use crate::publish::{Publication, Way};
use crate::report::{Grade, fail, print, reason, say};
use crate::sections::{Image, variables};
use crate::state::{DUMPED, RESETS};
use crate::sync::Slot;

/// Writes an image's profile with its plan to the stream at an address.
pub type StreamWriter = unsafe fn(&mut Output, usize, &Image, &Plan, LaterWrites) -> Result;

/// Writes to [`STREAM`]; empty before the first stream, in programs that do not link `program_stream`.
pub static STREAM_WRITER: Slot<StreamWriter> = Slot::empty();

/// Attempts, in about a second, while the file is locked for reading (a backup). Then the profile goes elsewhere: any reader could keep such a
/// lock.
const READER_ATTEMPTS: u32 = 600;

/// Writes the profile, unless it was dumped already. After the last write, at exit, it counts as dumped. A returned error has been reported.
pub fn write_file(later: LaterWrites) -> Result {
    let _suspended = os::ParentDeath::suspend();
    let mut deadline = os::Deadline::new();
    let mut attempt: u32 = 0;
    let mut waiting = None;
    loop {
        let mut guard = output::lock();
        let Some(output) = &mut guard else {
            report_busy(b"Failed to write the profile");
            return Err(Error::BUSY);
        };
        // Checked under the lock: a handler may have waited above for the write at exit of another thread.
        if DUMPED.load(Ordering::Relaxed) {
            say(Grade::Note, b"Profile data not written to file: already written.");
            return Ok(());
        }
        // A handler forked while this thread waited: the child has its parent's counts, as the C library no longer calls fork handlers at exit.
        if later == LaterWrites::None && waiting.is_some_and(|process| process != os::process_key()) {
            return Ok(());
        }
        let mut result = write_once(output, later, None);
        if let Err(error) = result
            && waits(error)
        {
            if !(deadline.is_over() || error == Error::READ_LOCKED && attempt >= READER_ATTEMPTS) {
                // Noted before the lock is free: pending signals are delivered as soon as it is, and their handlers may fork.
                waiting.get_or_insert_with(os::process_key);
                drop(guard);
                os::pause_for(50 << attempt.min(5));
                attempt = attempt.wrapping_add(1);
                continue;
            }
            // A pipe without a reader is reported as it is.
            if error != Error::ENXIO {
                result = write_once(output, later, Some(error));
            }
        }
        match result {
            Ok(()) => {
                if later == LaterWrites::None {
                    DUMPED.store(true, Ordering::Relaxed);
                }
                value_limits::report_dropped();
            }
            Err(error) => report(output, error),
        }
        return result;
    }
}

/// Reports that the state is locked by another write, which does not end, or that this is inside of one.
pub fn report_busy(what: &[u8]) {
    print(Grade::Error, &[what, b": ", reason(Error::BUSY), b"."]);
}

/// Reports why no profile was written.
fn report(output: &Output, error: Error) {
    if error == Error::NO_NAME {
        say(Grade::Error, b"Failed to write file : Filename not set");
    } else if let Some(found) = error.mismatched() {
        message::explain(found);
    } else if output.continuous.is_mapped() {
        fail(b"Values were not written; all counters are in \"", output.continuous.path.as_bytes(), error);
    } else {
        fail(b"Failed to write file \"", output.shown(), error);
    }
}

/// Writes the profile when a signal requests it.
pub fn dump_in_handler() {
    if STREAM.load(Ordering::Relaxed) != 0 {
        return say(
            Grade::Warning,
            b"No profile is written when a signal comes: it goes to a stream of the program, which may be in use.",
        );
    }
    // Errors have been reported.
    let _ = write_file(LaterWrites::Possible);
}

/// Writes the profile to its destination. Prints warnings about other problems; the caller reports the error that is returned. `stuck`: the file
/// stayed locked, for this reason, until the deadline.
fn write_once(output: &mut OutputGuard, later: LaterWrites, stuck: Option<Error>) -> Result {
    // The signal mask for writes that may wait (pipes, the program's stream).
    let mask = output.mask_before();
    output.name.ensure();
    output.contribution.forget_others(RESETS.load(Ordering::Relaxed));
    let image = &Image::this();
    mismatch::check(image, variables::raw_version())?;
    let plan = &mut empty_plan();
    dump::set_plan(plan, image)?;
    let stream = STREAM.load(Ordering::Acquire);
    if stream != 0
        && let Some(write) = STREAM_WRITER.get()
    {
        // The functions of the stream may be the program's (`fopencookie`), and wait for a signal.
        // SAFETY: `STREAM` is an open stream until the program sets another one (contract of `program_stream::set`). The image is this
        // one, and `set_plan` has made its plan.
        return os::with_mask(mask, || unsafe { write(output, stream, image, plan, later) });
    }
    output.name.check_allowed()?;
    let Output { name, path, contribution, continuous, .. } = &mut **output;
    if continuous.has_begun() {
        let updated = continuous.update(name);
        // An image that is unloaded leaves no descriptor.
        if later == LaterWrites::None && os::may_be_unloaded() {
            continuous.file.release();
        }
        return updated;
    }
    let merges = name.is_pooled();
    let mut to = Destination { image, plan, merges, later, mask, contribution };
    // If `%c` is requested but continuous mode is not possible, the profile goes to the first free slot, which this process keeps.
    let keeps_slot = name.flags.continuous && !merges;
    let kept = if keeps_slot { continuous.slot() } else { None };
    let mut number = 0;
    while keeps_slot && kept.is_none() {
        name.resolve(Some(number), path)?;
        match to.write(path, Way::Claim, false) {
            // A link, a device, a pipe: the same one for all processes.
            Err(Error::NOT_REGULAR) if number == 0 => return to.write_somewhere(path, stuck),
            Err(Error::EEXIST | Error::NOT_REGULAR) => number = number.saturating_add(1),
            Ok(()) => {
                continuous.set_slot(number);
                return Ok(());
            }
            failed => return failed,
        }
    }
    name.resolve(kept, path)?;
    to.write_somewhere(path, stuck)
}

/// Files to which the profile may go.
struct Destination<'a> {
    image: &'a Image,
    plan: &'a Plan,
    merges: bool,
    later: LaterWrites,
    mask: Option<u64>,
    contribution: &'a mut Contribution,
}

impl Destination<'_> {
    /// Writes the profile to the file with this name. `beside`: it is a plain file beside the one with the real name.
    #[inline(never)]
    fn write(&mut self, path: &PathBuf, way: Way, beside: bool) -> Result {
        let Destination { image, plan, later, mask, .. } = *self;
        let merges = self.merges && !beside;
        // SAFETY: the image is this one, whose raw version was checked, and `set_plan` has made its plan.
        let mut content = unsafe { ProfileContent::new(image, plan, later, merges, self.contribution, beside) };
        let mut published = Publication { content: &mut content, merges, mask, way };
        match published.publish(path) {
            Err(Error::NOTHING_NEW) => {}
            result => result?,
        }
        content.finish(path.as_bytes());
        Ok(())
    }

    /// Writes the profile to the file with this name. Where no new file can take the name, the file is written in place. A file that is not
    /// ours to merge, or cannot be written either, is left alone, and a plain profile goes beside it.
    fn write_somewhere(&mut self, path: &PathBuf, stuck: Option<Error>) -> Result {
        if self.contribution.beside {
            return self.write_beside(path, None);
        }
        if let Some(error) = stuck {
            return self.write_beside(path, stuck).or(Err(error));
        }
        let first = self.write(path, if self.merges { Way::Replace } else { Way::Append }, false);
        let last = if first.is_err_and(Error::is_refused) { self.write(path, Way::InPlace, false) } else { first };
        let full = matches!(first, Err(Error::ENOSPC | Error::EDQUOT));
        match last {
            // The caller waits, and begins again.
            Err(error) if waits(error) => last,
            Err(error) if error.is_not_ours() || self.merges && full => self.write_beside(path, Some(error)).or(last),
            _ => last,
        }
    }

    /// Writes the profile to `NAME-PID`. `why`: the reason for the warning; `None` if an earlier write has printed it.
    #[cold]
    #[inline(never)]
    fn write_beside(&mut self, path: &PathBuf, why: Option<Error>) -> Result {
        let name = path.as_bytes();
        if matches!(name, [.., last] if is_slash(*last)) {
            return Err(Error::EISDIR);
        }
        // A locked file can still be read: take our earlier counts from it before they are left out of `NAME-PID`.
        if !self.contribution.in_file.is_empty()
            && let Ok(file) = file::open_for_reading(path.as_path())
        {
            // SAFETY: the image is this one, whose raw version was checked, and `set_plan` has made its plan.
            unsafe { self.contribution.read_back(&file, self.image, self.plan) }?;
        }
        let mut beside = PathBuf::new();
        beside.set(name)?;
        add_number(&mut beside, u64::from(os::process_id()))?;
        self.write(&beside, Way::Append, true)?;
        let verb: &[u8] = if self.merges { b"\" cannot be merged into: " } else { b"\" cannot be written: " };
        if let Some(why) = why {
            let (goes, beside) = (b", the profile goes to \"", beside.as_bytes());
            print(Grade::Warning, &[b"\"", name, verb, reason(why), goes, beside, b"\"."]);
        }
        Ok(())
    }
}

/// Returns whether the reason may be gone after a while.
fn waits(error: Error) -> bool {
    matches!(error, Error::FILE_IN_USE | Error::READ_LOCKED | Error::ENXIO)
}

/// Writes the profile, and suppresses further writes until the counters are reset.
pub fn dump() -> Result {
    let result = write_file(LaterWrites::Possible);
    DUMPED.store(true, Ordering::Relaxed);
    result
}
