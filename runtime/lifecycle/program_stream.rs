//! Writes the profile to a stream of the program instead of a file.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::merged_content::{EarlierContributions, LaterWrites, MergedContent, VALUE_SCRATCH, warn_unlocked};
use super::write::{StreamWriter, contribution_key, write_locked};
use crate::continuous::request::enabled;
use crate::continuous::{mode, start};
use crate::dump;
use crate::error::{Error, Result};
use crate::merge::pages::pages;
use crate::merge::source::FileSource;
use crate::native::Plan;
use crate::os;
use crate::os::file::{self, Fd, Lock};
use crate::report::{Grade, print, reason};
use crate::sections::Image;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sink::count::Count;
use crate::sink::stdio::StdioStream;
use crate::span::Span;
use crate::state::RESET_MAPPED;
use crate::state::output::{self, Output, STREAM, STREAM_MERGES, STREAM_WRITER};

/// The name of the stream in messages.
const NAME: &[u8] = b"stream";
/// Spare bytes for values that other threads see for the first time between the pass that counts bytes and the one that writes them.
const SLACK: usize = 64 * 1024;

/// Directs the profile to a stream of the program, or back to the file when `stream` is null. `merge`: the stream's file holds
/// one profile, to which ours is added. An error has been reported, and changes nothing.
///
/// In continuous mode each count goes to one destination: counts from before this call stay in the file.
///
/// # Safety
/// `stream` must be null, or an open stream that stays open until the program directs the profile elsewhere.
pub unsafe fn set(stream: *mut libc::FILE, merge: bool) -> Result {
    // Without the mode, programs need not wait for a dump. (Disabled, it still has the counters mapped.)
    if !enabled() && RESET_MAPPED.load(Ordering::Relaxed).is_null() {
        direct_to(stream, merge);
        return Ok(());
    }
    let Some(mut output) = output::lock() else {
        print(Grade::Error, &[b"The profile stays where it is: ", reason(Error::BUSY), b"."]);
        return Err(Error::BUSY);
    };
    if !mode::has_begun(&output) {
        direct_to(stream, merge);
        // The page size is 0 if the program calls this before the name is known; then the mode begins later.
        if stream.is_null() && output.continuous.page_size != 0 {
            start::begin_or_move(&mut output);
        }
        return Ok(());
    }
    if stream.is_null() {
        return Ok(());
    }
    let own = output.continuous.is_mapped();
    // SAFETY: the caller passes an open stream; it is not null here.
    let moved = if merge && own { unsafe { leave_file(&mut output, stream) } } else { Err(Error::EINVAL) };
    if let Err(error) = moved {
        let why = match merge {
            _ if !own => b"the file belongs to the parent process, whose counts it has, too",
            true => reason(error),
            false => b"continuous mode (%c) can only merge into a stream",
        };
        let parts: [&[u8]; 4] =
            [b"The profile stays in \"", output.continuous.name.as_bytes(), b"\" and does not go to the stream: ", why];
        print(Grade::Warning, &parts);
    }
    moved
}

/// Sets the destination of later writes.
fn direct_to(stream: *mut libc::FILE, merge: bool) {
    const WRITER: StreamWriter = write;
    STREAM_WRITER.store(WRITER as *mut (), Ordering::Release);
    STREAM_MERGES.store(merge, Ordering::Relaxed);
    STREAM.store(stream.addr(), Ordering::Release);
}

/// Ends continuous mode in favor of a stream that is merged into: the file keeps the counts so far, and the stream gets later ones. A first
/// write to the stream, which adds nothing, tests whether its file can be merged into; if not, the continuous file is mapped again.
///
/// # Safety
/// `stream` must be an open stream of the program.
unsafe fn leave_file(output: &mut Output, stream: *mut libc::FILE) -> Result {
    // SAFETY: the caller passes an open stream.
    let descriptor = unsafe { StdioStream::new(stream) }.descriptor();
    if !file::borrowed(descriptor).status()?.regular {
        return Err(Error::ESPIPE);
    }
    mode::leave(output)?;
    direct_to(stream, true);
    let written = write_locked(output, LaterWrites::Possible);
    if written.is_err() {
        direct_to(core::ptr::null_mut(), false);
        start::begin_or_move(output);
    }
    written
}

/// Writes the profile to the stream at this address: at its current position, or merged with the profile in its file.
///
/// # Safety
/// - `address` must be that of an open stream of the program.
/// - `image` must be an image of this process, and `plan` its plan.
pub unsafe fn write(
    output: &mut Output,
    address: usize,
    image: &Image,
    plan: &Plan,
    later_writes: LaterWrites,
) -> Result {
    // SAFETY: the caller passes the address of an open stream.
    let mut stream = unsafe { StdioStream::new(address as *mut _) };
    if STREAM_MERGES.load(Ordering::Relaxed) {
        stream.flush()?;
        let fd = file::borrowed(stream.descriptor());
        let status = fd.status()?;
        if status.regular {
            lock(&fd)?;
            // SAFETY: the caller passes an image of this process and its plan; `fd` is the stream's descriptor.
            let written = unsafe { write_merged(output, &mut stream, &fd, image, plan, later_writes) };
            fd.unlock();
            return written;
        }
    }
    // SAFETY: the caller passes an image of this process and its plan.
    unsafe { dump::write_all(image, plan, VALUE_SCRATCH, &mut stream) }?;
    stream.flush()
}

/// Locks the stream's file against other processes that merge into it. Warns where the file system has no locks.
fn lock(fd: &Fd) -> Result {
    let mut deadline = os::Deadline::new();
    let reason = loop {
        match fd.try_lock_borrowed() {
            Lock::Taken => return Ok(()),
            Lock::HeldByReader => break Error::EAGAIN,
            Lock::Impossible(error) => break error,
            Lock::Busy if deadline.is_over() => return Err(Error::FILE_IN_USE),
            Lock::Busy => os::pause(),
        }
    };
    warn_unlocked(NAME, reason);
    Ok(())
}

/// Replaces the profile in the stream's file by its sum with ours.
///
/// # Safety
/// `image` must be an image of this process, and `plan` its plan; `fd` must be the stream's descriptor.
unsafe fn write_merged(
    output: &mut Output,
    stream: &mut StdioStream,
    fd: &Fd,
    image: &Image,
    plan: &Plan,
    later_writes: LaterWrites,
) -> Result {
    // A stream has no name: its file is identified by device and inode.
    let status = fd.status()?;
    let key = contribution_key(status.inode ^ status.device.rotate_left(32));
    let earlier = EarlierContributions { to_file: output.contributions.find(key), to_other_file: None };
    // SAFETY: the caller passes an image of this process and its plan.
    let mut content = unsafe { MergedContent::new(image, plan, earlier, later_writes, NAME) };
    let opened = FileSource { fd, size: status.size, holes: false };
    let source = (status.size > 0).then(|| opened.source());
    if let Some(source) = source {
        content.read_old_from(source)?;
    }
    // The whole profile is in memory before the first byte of the old one is overwritten.
    let mut count = Count(0);
    content.write_sum(source, &mut count)?;
    let size = usize::try_from(count.0).map_err(|_| Error::OVERFLOW)?.saturating_add(SLACK);
    let mut pages = pages(size)?;
    let room = pages.bytes_mut();
    // SAFETY: the pages were mapped above, and live longer than the buffer.
    let mut buffer = unsafe { Buffer::new(room.as_mut_ptr(), room.len()) };
    content.write_sum(source, &mut buffer)?;
    let len = size.wrapping_sub(buffer.room());
    stream.rewind()?;
    // Every write to an appending stream goes to the end of the file, so the file has to be empty.
    if fd.appends() {
        fd.set_size(0)?;
    }
    // SAFETY: the span is the part of the mapped pages that the buffer has filled.
    unsafe { stream.write(&[Span::of(pages.bytes()).prefix(len)]) }?;
    stream.flush()?;
    fd.set_size(len as u64)?;
    if let Some(contribution) = content.finish() {
        output.contributions.remember(key, contribution);
    }
    Ok(())
}
