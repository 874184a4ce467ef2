//! Dumps without files: the program passes the sink.

#![allow(unsafe_code)]

use crate::compact;
use crate::error::{Error, Result};
use crate::format::frame::DumpContent;
use crate::link;
use crate::mismatch;
use crate::sink::Sink;
use crate::sink::crc::{Checksum, Crc};
use crate::sink::frame::Frame;

#[cfg(feature = "hosted")]
use crate::{dump, native::empty_plan, sections::Image};
#[cfg(not(feature = "hosted"))]
use crate::{
    format::Variant,
    raw,
    sections::variables,
    sink::latch::Latch,
    value::{node::records, writer::device},
};

/// Writes the raw profile of this image, values included. Errors: the raw versions of compiler and runtime differ,
/// [`Error::RECORDS_NOT_LOADED`], and those of the sink.
///
/// ```no_run
/// let mut profile = Vec::new();
/// profrt::capture(&mut profrt::sink::Bytes(|bytes: &[u8]| -> Result<(), ()> {
///     profile.extend_from_slice(bytes);
///     Ok(())
/// }))?;
/// # Ok::<(), profrt::Error>(())
/// ```
pub fn capture(sink: &mut dyn Sink) -> Result {
    can_capture()?;
    write(sink)
}

/// Checks whether a raw profile can be written. Not inlined into the write, since both need some stack.
pub(crate) fn can_capture() -> Result {
    if link::records_are_elsewhere() { Err(Error::RECORDS_NOT_LOADED) } else { mismatch::check_this() }
}

/// Checks that counters can be dumped.
fn can_capture_counters() -> Result {
    if link::records_are_elsewhere() { Ok(()) } else { mismatch::check_this() }
}

/// Writes the raw profile.
#[cfg(feature = "hosted")]
fn write(sink: &mut dyn Sink) -> Result {
    let image = Image::this();
    let mut plan = empty_plan();
    dump::set_plan(&mut plan, &image)?;
    // SAFETY: this image and its plan.
    unsafe { dump::write_all(&image, &plan, sink) }
}

/// Writes the raw profile with little stack: no step keeps memory for the next one.
#[cfg(not(feature = "hosted"))]
#[inline(never)]
fn write(sink: &mut dyn Sink) -> Result {
    let mut to = Latch::new(sink);
    raw::device::write_this(&mut to);
    if !Variant(variables::raw_version()).has(Variant::DEBUG_CORRELATE) {
        // SAFETY: the image's own records, whose version was checked.
        let records = unsafe { records(link::data::span()) };
        device::write_device_values(records, usize::MAX, &mut to);
    }
    to.result
}

/// Writes the counters of this image in the compact form, from which `profrt device rebuild` makes a profile with the ELF file.
///
/// Errors: the raw versions of compiler and runtime differ, and those of the sink.
///
/// ```no_run
/// # fn send(bytes: &[u8]) -> std::io::Result<()> { Ok(()) }
/// profrt::capture_counters(&mut profrt::sink::Bytes(send))?;
/// # Ok::<(), profrt::Error>(())
/// ```
pub fn capture_counters(sink: &mut dyn Sink) -> Result {
    can_capture_counters()?;
    compact::write(sink)
}

/// Writes the raw profile as lines of text, for `profrt device receive`; data before the offset `from` is left out.
///
/// ```no_run
/// # fn send(bytes: &[u8]) -> std::io::Result<()> { Ok(()) }
/// profrt::capture_frame(&mut profrt::sink::Bytes(send), 0)?;
/// # Ok::<(), profrt::Error>(())
/// ```
#[cfg_attr(not(feature = "hosted"), inline(always))]
pub fn capture_frame(sink: &mut dyn Sink, from: u32) -> Result {
    can_capture()?;
    framed(sink, DumpContent::Raw, from, write)
}

/// Writes the counters in the compact form as lines of text; data before the offset `from` is left out.
///
/// ```no_run
/// # fn send(bytes: &[u8]) -> std::io::Result<()> { Ok(()) }
/// profrt::capture_counters_frame(&mut profrt::sink::Bytes(send), 0)?;
/// # Ok::<(), profrt::Error>(())
/// ```
#[cfg_attr(not(feature = "hosted"), inline(always))]
pub fn capture_counters_frame(sink: &mut dyn Sink, from: u32) -> Result {
    can_capture_counters()?;
    framed(sink, DumpContent::Counters, from, compact::write)
}

/// Returns the length and checksum of a dump.
#[inline(never)]
fn sum(write: fn(&mut dyn Sink) -> Result) -> Result<Checksum> {
    let mut checksum = Checksum { crc: Crc::new(), len: 0 };
    write(&mut checksum)?;
    Ok(checksum)
}

/// Writes a dump as lines of text. Calls `write` twice, since the first packet holds the length of the dump.
#[inline(always)]
fn framed(sink: &mut dyn Sink, content: DumpContent, from: u32, write: fn(&mut dyn Sink) -> Result) -> Result {
    let checksum = sum(write)?;
    let mut frame = Frame::new(sink, &checksum, from);
    frame.begin(content, checksum.len)?;
    write(&mut frame)?;
    frame.end()
}
