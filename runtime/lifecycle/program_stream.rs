//! Writes the profile to a stream of the program instead of a file.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::content::{LaterWrites, ProfileContent};
use super::write::{STREAM_WRITER, StreamWriter};
use crate::dump;
use crate::error::{Error, Result};
use crate::native::Plan;
use crate::os::c::FILE;
use crate::os::file::{self, Fd};
use crate::output::{self, Output, STREAM, STREAM_MERGES};
use crate::publish::{Content, Old, lock};
use crate::report::{Grade, print, reason, say};
use crate::sections::Image;
use crate::sink::stdio::StdioStream;

/// The name of the stream in messages.
const NAME: &[u8] = b"stream";

/// Directs the profile to a stream of the program, or back to the file when `stream` is null. `merge`: the stream's file holds
/// one profile, to which ours is added. An error has been reported, and changes nothing: in continuous mode the counts stay in their file.
///
/// # Safety
/// `stream` must be null, or an open stream that stays open until the program directs the profile elsewhere.
pub unsafe fn set(stream: *mut FILE, merge: bool) -> Result {
    let Some(mut output) = output::lock_without_write() else {
        print(Grade::Error, &[b"The profile stays where it is: ", reason(Error::BUSY), b"."]);
        return Err(Error::BUSY);
    };
    if output.continuous.has_begun() && !stream.is_null() {
        let path = output.continuous.path.as_bytes();
        print(
            Grade::Warning,
            &[b"The profile stays in \"", path, b"\" and does not go to the stream: its counters are there."],
        );
        return Err(Error::EINVAL);
    }
    output.contribution.forget();
    STREAM_WRITER.set(Some(&(write as StreamWriter)));
    STREAM_MERGES.store(merge, Ordering::Relaxed);
    STREAM.store(stream.addr(), Ordering::Release);
    Ok(())
}

/// Writes the profile to the stream at this address: at its current position, or merged with the profile in its file.
///
/// # Safety
/// - `address` must be that of an open stream of the program.
/// - `image` must be an image of this process, and `plan` its plan.
pub unsafe fn write(output: &mut Output, address: usize, image: &Image, plan: &Plan, later: LaterWrites) -> Result {
    // SAFETY: the caller passes the address of an open stream.
    let mut stream = unsafe { StdioStream::new(address as *mut _) };
    if STREAM_MERGES.load(Ordering::Relaxed) {
        stream.flush()?;
        let fd = file::borrowed(stream.descriptor());
        let status = fd.status()?;
        if status.regular {
            let locked = lock(&fd)?;
            if !locked {
                say(Grade::Warning, b"The stream cannot be locked. What processes add at the same moment may be lost.");
            }
            // SAFETY: the caller passes an image of this process and its plan.
            let mut content = unsafe { ProfileContent::new(image, plan, later, true, &mut output.contribution, false) };
            let written = write_merged(&mut content, &mut stream, &fd);
            if locked {
                fd.unlock();
            }
            written?;
            content.finish(NAME);
            return Ok(());
        }
    }
    // SAFETY: the caller passes an image of this process and its plan.
    unsafe { dump::write_all(image, plan, &mut stream) }?;
    stream.flush()
}

/// Replaces the profile in the stream's file by its sum with ours, whose counts are in memory before the first byte of the old one is
/// overwritten.
fn write_merged(content: &mut ProfileContent<'_>, stream: &mut StdioStream, fd: &Fd) -> Result {
    let status = fd.status()?;
    content.prepare(Old::InPlace(fd, &status))?;
    stream.rewind()?;
    // Every write to an appending stream goes to the end of the file, so the file has to be empty.
    if fd.appends() {
        fd.set_size(0)?;
    }
    content.write(stream)?;
    stream.flush()?;
    let end = fd.position()?;
    fd.set_size(end)
}
