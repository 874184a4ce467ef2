//! Writes the profile of this image where the name in force says.

#![allow(unsafe_code)]

use core::mem;
use core::sync::atomic::Ordering;

use super::later_writes::LaterWrites;
use super::merged_content::{MergedContent, report_odd_in_memory};
use super::value_scratch::VALUE_SCRATCH;
use super::{continuous_mode, filename, mismatch as message, value_limits};
use crate::dump;
use crate::error::{Error, Result};
use crate::format::header::WORDS;
use crate::layout::{Padding, Part, Plan};
use crate::mismatch;
use crate::os;
use crate::path::PathBuf;
use crate::publish::hash::hash_of;
use crate::publish::{PlainContent, Profile, ProfileContent, is_of_content};
use crate::raw;
use crate::report::{Grade, fail, print, reason, say};
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::state::output::{self, OWN_MEMBERS, Output, STREAM, STREAM_WRITER};
use crate::state::{DUMPED, RESETS};

/// Writes the profile of an image, with its plan, to the stream at an address; `again` as for [`write_file`].
pub type StreamWriter = unsafe fn(&mut Output, usize, &Image, &Plan, LaterWrites) -> Result;

/// Writes the profile and says so when that fails. The error has been reported. `again`: the program goes on.
pub fn write_file(later_writes: LaterWrites) -> Result {
    if DUMPED.load(Ordering::Relaxed) {
        say(Grade::Note, b"Profile data not written to file: already written.");
        return Ok(());
    }
    let _suspended = os::ParentDeath::suspend();
    let Some(mut output) = output::lock() else {
        print(Grade::Error, &[b"Failed to write the profile: ", reason(Error::BUSY), b"."]);
        return Err(Error::BUSY);
    };
    filename::ensure(&mut output);
    let result = write_locked(&mut output, later_writes);
    match result {
        Ok(()) => {
            value_limits::report_dropped();
            report_odd_in_memory();
        }
        Err(Error::NO_NAME) => say(Grade::Error, b"Failed to write file : Filename not set"),
        Err(error) => {
            if let Some(found) = error.mismatched() {
                message::explain(found);
                return result;
            }
            fail(b"Failed to write file \"", output.shown(), error);
        }
    }
    result
}

/// Writes the profile to the destination in force. Reports nothing.
pub(super) fn write_locked(output: &mut Output, later_writes: LaterWrites) -> Result {
    let image = Image::this();
    let version = variables::raw_version();
    mismatch::check(&image, version)?;
    let mut plan = Plan::empty();
    dump::set_plan(&mut plan, &image)?;
    let stream = STREAM.load(Ordering::Acquire);
    if stream != 0 {
        // SAFETY: by the invariant of `STREAM_WRITER`, which was set before the stream.
        let writer = unsafe { mem::transmute::<*mut (), StreamWriter>(STREAM_WRITER.load(Ordering::Relaxed)) };
        // SAFETY: the program gave us the stream to write to and has not taken it back. This image and its plan.
        return unsafe { writer(output, stream, &image, &plan, later_writes) };
    }
    filename::allow(output)?;
    if let Some(written) = continuous_mode::write(output) {
        return written;
    }
    if output.pattern.as_bytes().is_empty() {
        return Err(Error::NO_NAME);
    }
    if output.too_long {
        return Err(Error::NAME_TOO_LONG);
    }
    continuous_mode::avoid_mapped(output)?;
    // A parent's own file of the pool is not its child's.
    if !output.has_own_member() {
        output.stay_in_pool();
    }
    filename::resolve(output)?;
    if output.flags.merge_pool > 0 {
        return write_merged(output, &image, &plan, later_writes);
    }
    let numbered = continuous_mode::is_numbered(output);
    if numbered {
        // With room for the number of the run.
        plan.set_padding(Padding::Pages(8))?;
    }
    let mut words = [const { mem::MaybeUninit::uninit() }; WORDS];
    let header = if output.publisher.looks_for_header() {
        let header = raw::header_span(&plan, &mut words);
        // SAFETY: the span of the words above.
        unsafe { core::slice::from_raw_parts(header.start, header.len) }
    } else {
        &[]
    };
    // SAFETY: this image and its plan.
    let mut content =
        PlainContent(|sink: &mut dyn Sink| unsafe { dump::write_all(&image, &plan, VALUE_SCRATCH, sink) });
    let mut profile = profile(&mut content, header, most_of(&image));
    profile.live_range = (later_writes == LaterWrites::Possible).then(|| live_range(&plan));
    let Output { name, publisher, .. } = output;
    publisher.publish(name.as_bytes(), &mut profile)?;
    if numbered {
        continuous_mode::mark(output);
    }
    Ok(())
}

/// About as many bytes as a profile of the image has, or less. (The plan would have to be walked to know.)
fn most_of(image: &Image) -> u64 {
    let parts = [image.data, image.counters, image.bitmap];
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.len as u64))
}

/// A write that begins a file or adds to it.
#[inline(never)]
pub(super) fn profile<'a>(content: &'a mut dyn ProfileContent, header: &'a [u8], expected: u64) -> Profile<'a> {
    let directory_mode = variables::directory_mode().load(Ordering::Relaxed);
    let round = RESETS.load(Ordering::Relaxed);
    Profile { content, merges: false, header, expected, directory_mode, round, live_range: None, replace_whole: false }
}

/// Writes the profile merged with those of earlier runs.
fn write_merged(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites) -> Result {
    match write_merged_into(output, image, plan, later_writes) {
        Err(error) if is_of_pool_file(error) => write_elsewhere(output, image, plan, later_writes, error),
        other => other,
    }
}

/// Whether a write may succeed with another file in the same directory: the pool file is locked by a process that does not continue (it is
/// stopped, or has mapped the file for continuous mode); we may not replace it (a mount point, no space for the file twice); or
/// something is in the way.
fn is_of_pool_file(error: Error) -> bool {
    const REASONS: [Error; 5] = [Error::BUSY, Error::EBUSY, Error::EXDEV, Error::ENOSPC, Error::EDQUOT];
    REASONS.contains(&error) || is_in_the_way(error)
}

/// Whether what has the name is not ours to use: we may not open it for writing (another user's file, a sandbox), it is a directory, a
/// device, a pipe, or a link that leads to none of our files; or it cannot be merged and cannot be moved out of the way.
fn is_in_the_way(error: Error) -> bool {
    const REASONS: [Error; 9] = [
        Error::EACCES,
        Error::EPERM,
        Error::EROFS,
        Error::EISDIR,
        Error::ELOOP,
        Error::ENOENT,
        Error::ENOTDIR,
        Error::NOT_REGULAR,
        Error::NO_REAL_NAME,
    ];
    REASONS.contains(&error) || is_of_content(error)
}

/// How many names are tried for a file of our own.
const OWN_NAMES: u32 = 4;

/// Writes the profile to a pool file that only this process uses, because the one whose turn it is cannot be written for the reason `error`.
/// Later dumps of this process go there at once; when that file cannot be replaced either, they go to another one, with what is new. One
/// line reports each change of the file. When all files fail for the same reason, only the error is reported.
#[cold]
#[inline(never)]
fn write_elsewhere(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites, error: Error) -> Result {
    let process = os::process_id();
    let key = key_of(&output.name);
    let contributed = output.contributions.find(key, process, RESETS.load(Ordering::Relaxed)).is_some();
    let (member, skipped) = (output.member, output.skipped_pool_file);
    let mut next = match member.filter(|_| output.has_own_member()) {
        None => process,
        Some(member) if contributed => member.wrapping_add(OWN_MEMBERS),
        // Another new file would fail in the same way.
        Some(_) => return Err(error),
    };
    let mut pool = PathBuf::new();
    pool.set(output.name.as_bytes())?;
    if contributed || skipped == 0 {
        output.skipped_pool_file = key;
    }
    let mut written = Err(error);
    // Numbers of processes can be guessed: somebody may have put something under these names, too.
    for _ in 0..OWN_NAMES {
        output.member = Some(next);
        written = filename::resolve(output).and_then(|()| write_merged_into(output, image, plan, later_writes));
        if !written.is_err_and(is_in_the_way) {
            break;
        }
        next = next.wrapping_add(OWN_MEMBERS);
    }
    if written.is_err() {
        (output.member, output.skipped_pool_file) = (member, skipped);
    }
    if written == Err(error) {
        output.name.set(pool.as_bytes())?;
        return written;
    }
    let (pool, name) = (pool.as_bytes(), output.name.as_bytes());
    let goes: &[u8] = b", the profile goes to \"";
    match error {
        Error::BUSY => print(Grade::Warning, &[b"\"", pool, b"\" is locked by another process", goes, name, b"\"."]),
        _ => print(Grade::Warning, &[b"\"", pool, b"\" cannot be merged into: ", reason(error), goes, name, b"\"."]),
    }
    written
}

fn write_merged_into(output: &mut Output, image: &Image, plan: &Plan, later_writes: LaterWrites) -> Result {
    let Output { name, publisher, contributions, skipped_pool_file, .. } = output;
    let key = key_of(name);
    let (process, round) = (os::process_id(), RESETS.load(Ordering::Relaxed));
    let (already_written, elsewhere) =
        (contributions.find(key, process, round), contributions.find(*skipped_pool_file, process, round));
    // SAFETY: this image and its plan.
    let mut content =
        unsafe { MergedContent::new(image, plan, already_written, elsewhere, later_writes, name.as_bytes()) };
    let mut profile = profile(&mut content, &[], most_of(image));
    profile.merges = true;
    publisher.publish(name.as_bytes(), &mut profile)?;
    if let Some(contribution) = content.finish() {
        contributions.remember(key, process, round, contribution);
    }
    Ok(())
}

/// What a file is remembered by: its name, and where that is looked up. Not 0.
fn key_of(name: &PathBuf) -> u64 {
    let here = if name.as_bytes().first() == Some(&b'/') { None } else { os::file::status(c".".into()).ok() };
    (hash_of(name.as_bytes()) ^ here.map_or(0, |here| here.inode ^ here.device.rotate_left(32))).max(1)
}

/// Where the counters and bitmaps of a profile are: from, bytes.
fn live_range(plan: &Plan) -> (u64, u64) {
    let (counters, bitmap) = (plan.chunk(Part::Counters), plan.chunk(Part::Bitmap));
    let end = bitmap.offset.wrapping_add(bitmap.len);
    (counters.offset, end.wrapping_sub(counters.offset))
}

/// Writes the profile, and lets nothing be written again until counters are reset.
pub fn dump() -> Result {
    let result = write_file(LaterWrites::Possible);
    DUMPED.store(true, Ordering::Relaxed);
    result
}
