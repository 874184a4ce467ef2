//! Reads the old profile of a file, and checks it. Functions in a file of their own, since methods of [`OldProfile`] are linked wherever that is
//! used.

#![allow(unsafe_code)]

use core::hint::black_box;
use core::ops::Range;

use super::check::{CheckedProfile, check, read_plan};
use super::linked;
use super::old::{OldProfile, sites, trim_to_sites};
use super::pages::Pages;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::header::MAX_WORDS;
use crate::format::layout::Part;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::native::{Plan, Record, empty_plan};
use crate::os::Fd;
use crate::os::file::borrowed;
use crate::sections::Image;
use crate::span::Span;
use crate::value::node::records;
use crate::value::writer;

/// Counters of more bytes are read, added and written in windows of this size. Temporal profiles are read whole: time stamps stand between counters.
pub const WINDOW: usize = 256 * 1024;

/// The most that paddings and binary ids of a profile can take beyond ours.
const SLACK: u64 = 1 << 20;

/// Reads the profile in a file of `size` bytes into `old`. Counters that do not fit into a window are left out, unless `whole`; they are read while
/// the sum is written. The file is read, not mapped: if another program truncates it, that is an error and not a fatal signal.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, loaded into `loaded_range`, and `plan` its plan.
pub unsafe fn read_old(
    old: &mut Option<OldProfile>,
    file: &Fd,
    size: u64,
    whole: bool,
    image: &Image,
    loaded_range: Span,
    plan: &Plan,
) -> Result {
    // SAFETY: an image of this process, by this function's contract.
    let records = unsafe { records(image.data) };
    // Bounded by the largest profile of this image, and not by the file size: a sparse file may have terabytes.
    let values = writer::size(records, sites(records).saturating_mul(MAX_VALUES_PER_SITE));
    let most = plan.fixed_size().wrapping_add(SLACK).saturating_add(values);
    let mut bytes = Pages::EMPTY;
    bytes.renew(usize::try_from(size.min(most)).map_err(|_| Error::OVERFLOW)?)?;
    let profile = bytes.bytes_mut();
    let left_out = if whole { 0..0 } else { streamed_counters(file, profile, image, plan)? };
    read_part(file, profile, 0..left_out.start, 0)?;
    read_part(file, profile, left_out.end..profile.len(), left_out.end as u64)?;
    // SAFETY: this function's contract.
    let checked = unsafe { check(profile, image, loaded_range, plan) }?;
    check_values(profile, &checked, records)?;
    // Last: an error that names the reason (`FOREIGN`) is better than `CORRUPT`.
    if size > most {
        return Err(Error::CORRUPT);
    }
    let counters_in = (left_out.end > 0).then(|| borrowed(file.number()));
    *old = Some(OldProfile { bytes, counters_in, checked });
    Ok(())
}

/// Reads a range of `bytes` from an offset of the file.
#[inline(never)]
fn read_part(file: &Fd, bytes: &mut [u8], range: Range<usize>, offset: u64) -> Result {
    file.read_all(bytes.get_mut(range).unwrap_or_default(), offset)
}

/// Returns where a profile has its counters, if they do not fit into a window and are as many as ours; else nothing. Reads its header.
fn streamed_counters(file: &Fd, profile: &mut [u8], image: &Image, ours: &Plan) -> Result<Range<usize>> {
    let len = image.counters.len;
    let streams = len > WINDOW && len < profile.len() && !ours.variant().has(Variant::TEMPORAL);
    let Some(header) = profile.get_mut(..MAX_WORDS * 8).filter(|_| streams) else { return Ok(0..0) };
    file.read_all(header, 0)?;
    let mut theirs = empty_plan();
    if read_plan(&mut theirs, header).is_err() {
        return Ok(0..0);
    }
    let chunk = theirs.chunk(Part::Counters);
    let end = chunk.offset.saturating_add(chunk.len);
    let fits = chunk.len == len as u64 && end <= profile.len() as u64;
    Ok(if fits { chunk.offset as usize..end as usize } else { 0..0 })
}

/// Reads `len` bytes of the counters from the byte `at` of them on, where they are in the file only. They take the place of those read before.
pub fn read_window(old: &mut OldProfile, at: usize, len: usize) -> Result {
    let Some(file) = old.counters_in.as_ref().map(|file| borrowed(file.number())) else { return Ok(()) };
    let from = old.checked.counters.wrapping_add(at as u64);
    let window = old.part(old.checked.counters, len);
    // Most counters of most programs are 0, and reading a hole takes the system longer than reading data.
    let (mut at, end) = (from, from.wrapping_add(len as u64));
    while at < end {
        let data = file.data(at..end);
        let index = |offset: u64| offset.wrapping_sub(from) as usize;
        let (words, bytes) = window.get_mut(index(at)..index(data.start)).unwrap_or_default().as_chunks_mut::<8>();
        // The compiler must not see the value: it would call `memset` for zeros.
        let zeros = black_box([0; 8]);
        for word in words {
            *word = zeros;
        }
        for byte in bytes {
            *byte = black_box(0);
        }
        read_part(&file, window, index(data.start)..index(data.end), data.start)?;
        at = data.end;
    }
    Ok(())
}

/// Checks the value data of a profile that is checked but for it.
pub fn check_values(bytes: &[u8], checked: &CheckedProfile, records: &[Record]) -> Result {
    let records = trim_to_sites(records);
    let values = bytes.get(checked.values as usize..).unwrap_or(&[]);
    match linked::check() {
        _ if records.is_empty() || checked.sites_left_out => values.is_empty().then_some(()).ok_or(Error::CORRUPT),
        // Every write to a file writes value records, also without values. (Profiles from LLVM's buffer calls have none.)
        _ if values.is_empty() => Err(Error::TRUNCATED),
        Some(check) => check(values, records),
        // Nothing in this program counts values: a file that has some is another program's.
        None if values.len() as u64 == writer::size(records, 0) => Ok(()),
        None => Err(Error::FOREIGN),
    }
}
