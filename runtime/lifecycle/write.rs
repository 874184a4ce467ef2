//! Writes the profile of this image to its destination: the program's stream, the continuous file, a pool file, a plain file, or a
//! numbered file.
//!
//! [`crate::publish`] shows which functions write a plain file, [`crate::merge`] which ones write a pool file (`%m`).

#![allow(unsafe_code)]

use core::mem;
use core::sync::atomic::{AtomicBool, Ordering};

use super::merged_content::{
    EarlierContributions, LaterWrites, MergedContent, VALUE_SCRATCH, report_saturated_in_memory,
};
use super::{filename, mismatch as message, run, value_limits};
use crate::continuous::mode;
use crate::continuous::numbered::after_plain_write;
use crate::dump;
use crate::error::classes::{needs_next_private_file, needs_private_file};
use crate::error::{Error, Result};
use crate::format::layout::{Part, STAMPED};
use crate::mismatch;
use crate::native::{Plan, empty_plan};
use crate::os;
use crate::path::PathBuf;
use crate::publish::recent::Key;
use crate::publish::{PlainContent, ProfileContent, Publication, QuarantineName};
use crate::report::{Grade, fail, print, reason, say};
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::state::member::Member;
use crate::state::output::{self, Output, STREAM, STREAM_WRITER};
use crate::state::{DUMPED, RESETS};

/// Writes an image's profile with its plan to the stream at an address.
pub type StreamWriter = unsafe fn(&mut Output, usize, &Image, &Plan, LaterWrites) -> Result;

/// A write after which others may follow was requested: by the program, by a signal, or by the exit handler while signals are watched. Such
/// a program may also write in a destructor, or on another thread, after the exit handler.
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Writes the profile, unless it was dumped already. A returned error has been reported.
pub fn write_file(mut later_writes: LaterWrites) -> Result {
    if later_writes == LaterWrites::Possible {
        REQUESTED.store(true, Ordering::Relaxed);
    } else if REQUESTED.load(Ordering::Relaxed) {
        later_writes = LaterWrites::Possible;
    }
    if DUMPED.load(Ordering::Relaxed) {
        say(Grade::Note, b"Profile data not written to file: already written.");
        return Ok(());
    }
    let _suspended = os::ParentDeath::suspend();
    let mut again = false;
    let (output, result) = loop {
        let Some(mut output) = output::lock() else {
            print(Grade::Error, &[b"Failed to write the profile: ", reason(Error::BUSY), b"."]);
            return Err(Error::BUSY);
        };
        if again {
            // In a child, what the fork handler could not do inside of the parent's write; else it changes nothing.
            run::in_child(&mut output);
        } else {
            output.publisher.begin();
        }
        filename::ensure(&mut output);
        let result = write_locked(&mut output, later_writes);
        if result != Err(Error::BEGIN_AGAIN) {
            break (output, result);
        }
        again = true;
    };
    match result {
        Ok(()) => {
            value_limits::report_dropped();
            report_saturated_in_memory();
        }
        Err(Error::NO_NAME) => say(Grade::Error, b"Failed to write file : Filename not set"),
        Err(error) => {
            if let Some(found) = error.mismatched() {
                message::explain(found);
                return result;
            }
            if !mode::report_lost_values(&output, error) {
                fail(b"Failed to write file \"", output.shown(), error);
            }
        }
    }
    result
}

/// Writes the profile when a signal requests it.
pub extern "C" fn dump_in_handler() {
    if STREAM.load(Ordering::Relaxed) != 0 {
        return say(
            Grade::Warning,
            b"No profile is written when a signal comes: it goes to a stream of the program, which may be in use.",
        );
    }
    // Errors have been reported.
    let _ = write_file(LaterWrites::Possible);
}

/// Where a profile goes.
enum Destination {
    /// A stream of the program, by its address.
    Stream(usize),
    /// The continuous file, which has the counters already.
    Mapped,
    /// A pool file, with which the profile is merged.
    Pool,
    /// A file of this run, in which each image and process has a share of its own.
    Plain,
    /// A file of this process, which a later run finds by its number.
    Numbered,
}

/// Decides where the profile goes, and makes the name of the file.
fn destination(output: &mut Output) -> Result<Destination> {
    let stream = STREAM.load(Ordering::Acquire);
    if stream != 0 {
        return Ok(Destination::Stream(stream));
    }
    filename::allow(output)?;
    if mode::has_begun(output) {
        return Ok(Destination::Mapped);
    }
    if output.pattern.as_bytes().is_empty() {
        return Err(Error::NO_NAME);
    }
    if output.too_long {
        return Err(Error::NAME_TOO_LONG);
    }
    // A child does not use its parent's private pool file.
    if matches!(output.member, Member::Private { .. }) && !output.member.is_private() {
        output.forget_member();
    }
    // Only with `%c`.
    mode::avoid_mapped(output)?;
    filename::resolve(output)?;
    Ok(match output.flags.merge_pool {
        0 if output.flags.continuous && output.member.is_numbered() => Destination::Numbered,
        0 => Destination::Plain,
        _ => Destination::Pool,
    })
}

/// Writes the profile to its destination. Prints warnings about other problems; the caller reports the error that is returned.
pub(super) fn write_locked(output: &mut Output, later_writes: LaterWrites) -> Result {
    let image = Image::this();
    mismatch::check(&image, variables::raw_version())?;
    let mut plan = empty_plan();
    dump::set_plan(&mut plan, &image)?;
    match destination(output)? {
        Destination::Stream(stream) => {
            // SAFETY: by the invariant of `STREAM_WRITER`, which was set before the stream.
            let write = unsafe { mem::transmute::<*mut (), StreamWriter>(STREAM_WRITER.load(Ordering::Relaxed)) };
            // SAFETY: `STREAM` is an open stream until the program sets another one (contract of `program_stream::set`). The image is this
            // one, and `set_plan` has made its plan.
            // Its functions are the program's, and may wait for a signal.
            os::with_mask(output.publisher.mask_of_waits(), || unsafe {
                write(output, stream, &image, &plan, later_writes)
            })
        }
        Destination::Mapped => mode::update(output),
        Destination::Pool => match write_merged(output, &image, &plan, later_writes) {
            Err(error) if needs_private_file(error) => write_elsewhere(output, &image, &plan, later_writes, error),
            other => other,
        },
        Destination::Plain => {
            let first = !output.publisher.has_written();
            write_plain(output, &image, &plan, later_writes)?;
            after_plain_write(output, first);
            Ok(())
        }
        Destination::Numbered => {
            // The padding before the counters has space for the stamp of the run.
            plan.set_padding(STAMPED)?;
            write_plain(output, &image, &plan, later_writes)?;
            output.written_member = output.member;
            mode::mark(output);
            Ok(())
        }
    }
}

/// Writes the profile into the file `output.name`, next to the shares of other images and processes.
fn write_plain(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites) -> Result {
    // SAFETY: `write_locked` passes this image, and the plan that it made for it.
    let mut content = PlainContent(|sink: &mut dyn Sink| unsafe { dump::write_all(image, plan, VALUE_SCRATCH, sink) });
    let mut profile = profile(&mut content, least_size(image));
    profile.recognized_by = (later_writes == LaterWrites::Possible).then(|| recognized_by(plan));
    let Output { name, publisher, .. } = output;
    publisher.publish(name.as_bytes(), &mut profile)
}

/// Returns a lower bound of the profile's size: records, counters and bitmaps. (The exact size takes a walk over the plan.)
fn least_size(image: &Image) -> u64 {
    let parts = [image.data, image.counters, image.bitmap];
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.len as u64))
}

/// Returns a profile with the defaults: it is not merged, no later write of this process follows, and it shares the file. Callers change
/// fields.
#[inline(never)]
pub(super) fn profile(content: &mut dyn ProfileContent, expected: u64) -> Publication<'_> {
    let directory_mode = variables::directory_mode().load(Ordering::Relaxed);
    let round = RESETS.load(Ordering::Relaxed);
    Publication {
        content,
        merges: false,
        may_overwrite: false,
        expected,
        directory_mode,
        round,
        recognized_by: None,
        quarantine: QuarantineName::Numbered,
        replace_whole: false,
    }
}

/// How many names are tried for a private pool file.
const OWN_NAMES: u32 = 4;

/// Writes the profile to a private pool file, which only this process uses, because the current pool file cannot be written for the reason
/// `error`. Later dumps of this process go there at once. The private file must not get the counts that a file has which was given up:
/// `skipped_pool_file` names that file, for [`EarlierContributions::to_other_file`].
///
/// | file that failed | `is_private` | `contributed` | tried | `skipped_pool_file` afterwards |
/// | --- | --- | --- | --- | --- |
/// | a shared one, with or without counts of this process | no | any | private files | the file that failed |
/// | the same, after another one was given up: `avoid_mapped` has chosen it in place of a private one | no | no | private files | as before: the counts are in that one |
/// | a private one with counts of this process | yes | yes | more private files | the file that failed |
/// | a private one without | yes | no | nothing: others would fail, too | as before |
///
/// `member` is the private file that was written. If all that are tried fail, `member` and `skipped_pool_file` are as before. One line reports a
/// change of the file.
#[cold]
#[inline(never)]
fn write_elsewhere(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites, error: Error) -> Result {
    let key = output.publisher.hash_of_name(output.name.as_bytes());
    let contributed = output.contributions.find(contribution_key(key)).is_some();
    let (member, skipped) = (output.member, output.skipped_pool_file);
    if member.is_private() && !contributed {
        return Err(error);
    }
    let mut pool = PathBuf::new();
    pool.set(output.name.as_bytes())?;
    // Set before the writes: `write_merged` reads it.
    output.skipped_pool_file = match (contributed, skipped) {
        (true, _) | (false, 0) => key,
        (false, earlier) => earlier,
    };
    let mut written = Err(error);
    // Process ids can be guessed: a stranger may have created files with these names.
    for _ in 0..OWN_NAMES {
        output.member = output.member.next_private();
        written = filename::resolve(output).and_then(|()| write_merged(output, image, plan, later_writes));
        if !written.is_err_and(needs_next_private_file) {
            break;
        }
    }
    if written.is_err() {
        (output.member, output.skipped_pool_file) = (member, skipped);
    }
    if let Err(last) = written {
        // The same reason for all files: the message names the one that the user knows. Another reason is that of the last private file.
        if last == error {
            output.name.set(pool.as_bytes())?;
        }
        return written;
    }
    let (pool, name) = (pool.as_bytes(), output.name.as_bytes());
    let goes: &[u8] = b", the profile goes to \"";
    match error {
        Error::FILE_IN_USE => {
            print(Grade::Warning, &[b"\"", pool, b"\" is locked by another process", goes, name, b"\"."])
        }
        _ => print(Grade::Warning, &[b"\"", pool, b"\" cannot be merged into: ", reason(error), goes, name, b"\"."]),
    }
    written
}

/// Merges the profile into the pool file `output.name`, and remembers the contribution where a later write needs it.
fn write_merged(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites) -> Result {
    let Output { name, publisher, contributions, skipped_pool_file, .. } = output;
    let key = publisher.hash_of_name(name.as_bytes());
    let earlier = EarlierContributions {
        to_file: contributions.find(contribution_key(key)),
        to_other_file: contributions.find(contribution_key(*skipped_pool_file)),
    };
    // SAFETY: `write_locked` passes this image and the plan that it made for it.
    let mut content = unsafe { MergedContent::new(image, plan, earlier, later_writes, name.as_bytes()) };
    let mut profile = profile(&mut content, least_size(image));
    profile.merges = true;
    publisher.publish(name.as_bytes(), &mut profile)?;
    if let Some(contribution) = content.finish() {
        // The directory may be new.
        let key = publisher.hash_of_name(name.as_bytes());
        contributions.remember(contribution_key(key), contribution);
    }
    Ok(())
}

/// Returns the key of a contribution of this process since the last reset. `name`: the hash of a file's name, or of its device and inode.
pub(super) fn contribution_key(name: u64) -> Key {
    Key::new(name, RESETS.load(Ordering::Relaxed))
}

/// Returns the ranges of the profile by which a later write finds it (offset, bytes): the header, and counters and bitmaps.
fn recognized_by(plan: &Plan) -> [(u64, u64); 2] {
    let (counters, bitmap) = (plan.chunk(Part::Counters), plan.chunk(Part::Bitmap));
    let end = bitmap.offset.wrapping_add(bitmap.len);
    [(0, plan.chunk(Part::Header).len), (counters.offset, end.wrapping_sub(counters.offset))]
}

/// Writes the profile, and suppresses further writes until the counters are reset.
pub fn dump() -> Result {
    let result = write_file(LaterWrites::Possible);
    DUMPED.store(true, Ordering::Relaxed);
    result
}
