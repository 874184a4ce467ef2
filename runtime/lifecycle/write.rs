//! Writes the profile of this image where the name in force says.

#![allow(unsafe_code)]

use core::mem;
use core::sync::atomic::Ordering;

use super::merged_content::{Merging, report_odd_in_memory};
use super::{continuous_mode, filename, mismatch as message, value_limits};
use crate::dump;
use crate::error::{Error, Result};
use crate::format::header::WORDS;
use crate::layout::{Padding, Part, Plan};
use crate::mismatch;
use crate::os;
use crate::path::PathBuf;
use crate::publish::hash::hash_of;
use crate::publish::{Content, Plain, Profile, is_of_content};
use crate::raw;
use crate::report::{Grade, fail, print, reason, say};
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::state::output::{self, Files, OWN_MEMBERS, STREAM, STREAM_WRITER};
use crate::state::{DUMPED, RESETS};
use crate::value::data::Scratch;

/// Where the writer of value data finds room.
pub(super) const SCRATCH: Scratch = Scratch::Pages(os::map_pages, os::unmap_pages);

/// Writes the profile of an image, with its plan, to the stream at an address; `again` as for [`write_file`].
pub type StreamWriter = unsafe fn(&mut Files, usize, &Image, &Plan, bool) -> Result;

/// Writes the profile and says so when that fails. The error has been reported. `again`: the program goes on.
pub fn write_file(again: bool) -> Result {
    if DUMPED.load(Ordering::Relaxed) {
        say(Grade::Note, b"Profile data not written to file: already written.");
        return Ok(());
    }
    let _suspended = os::ParentDeath::suspend();
    let Some(mut files) = output::files() else {
        print(Grade::Error, &[b"Failed to write the profile: ", reason(Error::BUSY), b"."]);
        return Err(Error::BUSY);
    };
    filename::ensure(&mut files);
    let result = write_locked(&mut files, again);
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
            fail(b"Failed to write file \"", files.shown(), error);
        }
    }
    result
}

/// Writes the profile to the destination in force. Reports nothing.
pub(super) fn write_locked(files: &mut Files, again: bool) -> Result {
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
        return unsafe { writer(files, stream, &image, &plan, again) };
    }
    filename::allow(files)?;
    if let Some(written) = continuous_mode::write(files) {
        return written;
    }
    if files.pattern.as_bytes().is_empty() {
        return Err(Error::NO_NAME);
    }
    if files.too_long {
        return Err(Error::NAME_TOO_LONG);
    }
    continuous_mode::avoid_mapped(files)?;
    // A parent's own file of the pool is not its child's.
    if !files.has_own_member() {
        files.stay_in_pool();
    }
    filename::resolve(files)?;
    if files.wishes.merge_pool > 0 {
        return write_merged(files, &image, &plan, again);
    }
    let numbered = continuous_mode::is_numbered(files);
    if numbered {
        // With room for the number of the run.
        plan.set_padding(Padding::Pages(8))?;
    }
    let mut words = [const { mem::MaybeUninit::uninit() }; WORDS];
    let header = if files.places.looks_for_header() {
        let header = raw::header_span(&plan, &mut words);
        // SAFETY: the span of the words above.
        unsafe { core::slice::from_raw_parts(header.start, header.len) }
    } else {
        &[]
    };
    // SAFETY: this image and its plan.
    let mut content = Plain(|sink: &mut dyn Sink| unsafe { dump::write_all(&image, &plan, SCRATCH, sink) });
    let mut profile = profile(&mut content, header, most_of(&image));
    profile.again = again.then(|| live(&plan));
    let Files { name, places, .. } = files;
    places.publish(name.as_bytes(), &mut profile)?;
    if numbered {
        continuous_mode::mark(files);
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
pub(super) fn profile<'a>(content: &'a mut dyn Content, header: &'a [u8], expected: u64) -> Profile<'a> {
    let directory_mode = variables::directory_mode().load(Ordering::Relaxed);
    let round = RESETS.load(Ordering::Relaxed);
    Profile { content, merges: false, header, expected, directory_mode, round, again: None, alone: false }
}

/// Writes the profile merged with those of earlier runs.
fn write_merged(files: &mut Files, image: &Image, plan: &Plan, again: bool) -> Result {
    match write_merged_into(files, image, plan, again) {
        Err(error) if is_of_pool_file(error) => write_elsewhere(files, image, plan, again, error),
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
fn write_elsewhere(files: &mut Files, image: &Image, plan: &Plan, again: bool, error: Error) -> Result {
    let process = os::process_id();
    let key = key_of(&files.name);
    let given = files.gifts.find(key, process, RESETS.load(Ordering::Relaxed)).is_some();
    let (member, left) = (files.member, files.left);
    let mut next = match member.filter(|_| files.has_own_member()) {
        None => process,
        Some(member) if given => member.wrapping_add(OWN_MEMBERS),
        // Another new file would fail in the same way.
        Some(_) => return Err(error),
    };
    let mut pool = PathBuf::new();
    pool.set(files.name.as_bytes())?;
    if given || left == 0 {
        files.left = key;
    }
    let mut written = Err(error);
    // Numbers of processes can be guessed: somebody may have put something under these names, too.
    for _ in 0..OWN_NAMES {
        files.member = Some(next);
        written = filename::resolve(files).and_then(|()| write_merged_into(files, image, plan, again));
        if !written.is_err_and(is_in_the_way) {
            break;
        }
        next = next.wrapping_add(OWN_MEMBERS);
    }
    if written.is_err() {
        (files.member, files.left) = (member, left);
    }
    if written == Err(error) {
        files.name.set(pool.as_bytes())?;
        return written;
    }
    let (pool, name) = (pool.as_bytes(), files.name.as_bytes());
    let goes: &[u8] = b", the profile goes to \"";
    match error {
        Error::BUSY => print(Grade::Warning, &[b"\"", pool, b"\" is locked by another process", goes, name, b"\"."]),
        _ => print(Grade::Warning, &[b"\"", pool, b"\" cannot be merged into: ", reason(error), goes, name, b"\"."]),
    }
    written
}

fn write_merged_into(files: &mut Files, image: &Image, plan: &Plan, again: bool) -> Result {
    let Files { name, places, gifts, left, .. } = files;
    let key = key_of(name);
    let (process, round) = (os::process_id(), RESETS.load(Ordering::Relaxed));
    let (had, elsewhere) = (gifts.find(key, process, round), gifts.find(*left, process, round));
    // SAFETY: this image and its plan.
    let mut content = unsafe { Merging::new(image, plan, had, elsewhere, again, name.as_bytes()) };
    let mut profile = profile(&mut content, &[], most_of(image));
    profile.merges = true;
    places.publish(name.as_bytes(), &mut profile)?;
    if let Some(given) = content.finish() {
        gifts.remember(key, process, round, given);
    }
    Ok(())
}

/// What a file is remembered by: its name, and where that is looked up. Not 0.
fn key_of(name: &PathBuf) -> u64 {
    let here = if name.as_bytes().first() == Some(&b'/') { None } else { os::file::status(c".".into()).ok() };
    (hash_of(name.as_bytes()) ^ here.map_or(0, |here| here.inode ^ here.device.rotate_left(32))).max(1)
}

/// Where the counters and bitmaps of a profile are: from, bytes.
fn live(plan: &Plan) -> (u64, u64) {
    let (counters, bitmap) = (plan.chunk(Part::Counters), plan.chunk(Part::Bitmap));
    let end = bitmap.offset.wrapping_add(bitmap.len);
    (counters.offset, end.wrapping_sub(counters.offset))
}

/// Writes the profile, and lets nothing be written again until counters are reset.
pub fn dump() -> Result {
    let result = write_file(true);
    DUMPED.store(true, Ordering::Relaxed);
    result
}
