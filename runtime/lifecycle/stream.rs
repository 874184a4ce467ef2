//! The profile goes to a stream of the program instead of a file.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::merging::{Merging, warn_unlocked};
use super::write::{SCRATCH, StreamWriter};
use crate::dump;
use crate::error::{Error, Result};
use crate::layout::Plan;
use crate::merge::pages::Pages;
use crate::merge::source::{Opened, Source};
use crate::os;
use crate::os::file::{self, Fd, Lock};
use crate::sections::Image;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sink::count::Count;
use crate::sink::stream::Stream;
use crate::span::Span;
use crate::state::RESETS;
use crate::state::files::{Files, STREAM, STREAM_MERGES, STREAM_WRITER};

/// What messages call it.
const NAME: &[u8] = b"stream";
/// Values that threads may see for the first time while their number is taken: bytes of room.
const SLACK: usize = 64 * 1024;

/// Lets the profile go to a stream of the program, or back to the file when it is null. `merge`: the stream's file holds one
/// profile, to which ours is added.
pub fn set(stream: *mut libc::FILE, merge: bool) {
    const WRITER: StreamWriter = write;
    STREAM_WRITER.store(WRITER as *mut (), Ordering::Release);
    STREAM_MERGES.store(merge, Ordering::Relaxed);
    STREAM.store(stream.addr(), Ordering::Release);
}

/// Writes the profile to the stream at this address: at its place, or united with the profile in its file.
///
/// # Safety
/// An open stream of the program; `image` must be an image of this process, and `plan` its plan.
pub unsafe fn write(files: &mut Files, address: usize, image: &Image, plan: &Plan, again: bool) -> Result {
    // SAFETY: the caller's contract.
    let mut stream = unsafe { Stream::new(address as *mut _) };
    if STREAM_MERGES.load(Ordering::Relaxed) {
        stream.flush()?;
        let fd = file::borrowed(stream.descriptor());
        let status = fd.status()?;
        if status.regular {
            lock(&fd)?;
            // SAFETY: the caller's contract.
            let written = unsafe { write_merged(files, &mut stream, &fd, image, plan, again) };
            fd.unlock();
            return written;
        }
    }
    // SAFETY: the caller's contract.
    unsafe { dump::write_all(image, plan, SCRATCH, &mut stream) }?;
    stream.flush()
}

/// Locks the stream's file against others that merge into it. Where there are no locks we do without.
fn lock(fd: &Fd) -> Result {
    for _ in 0..os::PATIENCE {
        match fd.try_lock_borrowed() {
            Lock::Taken => return Ok(()),
            Lock::Impossible(error) => {
                warn_unlocked(NAME, error);
                return Ok(());
            }
            Lock::Busy => os::pause(),
        }
    }
    Err(Error::BUSY)
}

/// # Safety
/// As for [`write`]; `fd` must be the stream's.
unsafe fn write_merged(
    files: &mut Files,
    stream: &mut Stream,
    fd: &Fd,
    image: &Image,
    plan: &Plan,
    again: bool,
) -> Result {
    // A stream has no name: its file is known by where it is.
    let status = fd.status()?;
    let key = status.inode ^ status.device.rotate_left(32);
    let (process, round) = (os::process_id(), RESETS.load(Ordering::Relaxed));
    let had = files.gifts.find(key, process, round);
    // SAFETY: the caller's contract.
    let mut content = unsafe { Merging::new(image, plan, had, again, NAME) };
    let opened = Opened { fd, size: status.size, holes: false };
    let source: Option<&dyn Source> = if status.size > 0 { Some(&opened) } else { None };
    if let Some(source) = source {
        content.take_in_from(source)?;
    }
    // All of it is in memory before the first byte of the old profile is overwritten.
    let mut count = Count(0);
    content.write_with(source, &mut count)?;
    let size = usize::try_from(count.0).map_err(|_| Error::OVERFLOW)?.saturating_add(SLACK);
    let mut pages = Pages::new(size).ok_or(Error::ENOMEM)?;
    let room = pages.bytes_mut();
    // SAFETY: memory of our own.
    let mut buffer = unsafe { Buffer::new(room.as_mut_ptr(), room.len()) };
    content.write_with(source, &mut buffer)?;
    let len = size.wrapping_sub(buffer.room());
    stream.rewind()?;
    // Every write to such a stream goes to the end, so the end has to be where the profile begins.
    if fd.appends() {
        fd.set_size(0)?;
    }
    // SAFETY: the part of the memory that was just filled.
    unsafe { stream.write(&[Span::of(pages.bytes()).prefix(len)]) }?;
    stream.flush()?;
    fd.set_size(len as u64)?;
    if let Some(given) = content.finish() {
        files.gifts.remember(key, process, round, given);
    }
    Ok(())
}
