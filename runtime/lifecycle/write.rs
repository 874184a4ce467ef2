//! Writes the profile of this image where the name in force says.

#![allow(unsafe_code)]

use core::mem;
use core::sync::atomic::Ordering;

use super::merging::{Merging, report_odd_in_memory};
use super::{continuous, filename, fork, mismatch as message, values};
use crate::dump;
use crate::error::{Error, Result};
use crate::format::header::WORDS;
use crate::layout::{Part, Plan};
use crate::mismatch;
use crate::os;
use crate::path::PathBuf;
use crate::publish::hash::hash_of;
use crate::publish::{Content, Plain, Profile};
use crate::raw;
use crate::report::{Grade, fail, print, reason, say};
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::state::files::{self, Files, STREAM, STREAM_WRITER};
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
    let Some(mut files) = files::files() else {
        print(Grade::Error, &[b"Failed to write the profile: ", reason(Error::BUSY), b"."]);
        return Err(Error::BUSY);
    };
    filename::ensure(&mut files);
    let result = write_locked(&mut files, again);
    match result {
        Ok(()) => {
            values::report_dropped();
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

fn write_locked(files: &mut Files, again: bool) -> Result {
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
    if let Some(written) = continuous::write(files) {
        return written;
    }
    if files.pattern.as_bytes().is_empty() {
        return Err(Error::NO_NAME);
    }
    if files.too_long {
        return Err(Error::NAME_TOO_LONG);
    }
    continuous::avoid_mapped(files)?;
    filename::resolve(files)?;
    if files.wishes.merge_pool > 0 {
        return write_merged(files, &image, &plan, again);
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
    places.publish(name.as_bytes(), &mut profile)
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
    Profile {
        content,
        merges: false,
        header,
        expected,
        directory_mode,
        round,
        again: None,
        before_lock: fork::before_lock,
        alone: false,
    }
}

/// Writes the profile united with those of earlier runs.
fn write_merged(files: &mut Files, image: &Image, plan: &Plan, again: bool) -> Result {
    match write_merged_into(files, image, plan, again) {
        Err(Error::BUSY) if files.member != Some(os::process_id()) => write_elsewhere(files, image, plan, again),
        other => other,
    }
}

/// The file is locked by one who does not go on (he is stopped, or has mapped it for continuous mode): the profile goes to
/// another file of the pool, with a number that nobody else has.
#[cold]
#[inline(never)]
fn write_elsewhere(files: &mut Files, image: &Image, plan: &Plan, again: bool) -> Result {
    let mut busy = PathBuf::new();
    busy.set(files.name.as_bytes())?;
    files.member = Some(os::process_id());
    filename::resolve(files)?;
    let (busy, name) = (busy.as_bytes(), files.name.as_bytes());
    let parts: [&[u8]; 5] = [b"\"", busy, b"\" is locked by another process, the profile goes to \"", name, b"\"."];
    print(Grade::Warning, &parts);
    write_merged_into(files, image, plan, again)
}

fn write_merged_into(files: &mut Files, image: &Image, plan: &Plan, again: bool) -> Result {
    let Files { name, places, gifts, .. } = files;
    let key = key_of(name);
    let (process, round) = (os::process_id(), RESETS.load(Ordering::Relaxed));
    // SAFETY: this image and its plan.
    let mut content = unsafe { Merging::new(image, plan, gifts.find(key, process, round), again, name.as_bytes()) };
    let mut profile = profile(&mut content, &[], most_of(image));
    profile.merges = true;
    places.publish(name.as_bytes(), &mut profile)?;
    if let Some(given) = content.finish() {
        gifts.remember(key, process, round, given);
    }
    Ok(())
}

/// What a file is remembered by: its name, and where that is looked up.
fn key_of(name: &PathBuf) -> u64 {
    let here = if name.as_bytes().first() == Some(&b'/') { None } else { os::file::status(c".".into()).ok() };
    hash_of(name.as_bytes()) ^ here.map_or(0, |here| here.inode ^ here.device.rotate_left(32))
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
