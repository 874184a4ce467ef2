//! Dumps on systems without files: what the program calls, into whatever sink it has.

#![allow(unsafe_code)]

use crate::compact;
use crate::dump;
use crate::error::Result;
use crate::layout::Plan;
use crate::mismatch;
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::sink::crc::{Checksum, Crc};
use crate::sink::frame::{Content, Frame};
use crate::value::serialize::Scratch;

/// Writes the raw profile of this image, values included. Errors: [`crate::error::Error::Mismatch`], and those of the sink.
pub fn capture(sink: &mut dyn Sink) -> Result {
    let image = Image::this();
    mismatch::check(&image, variables::raw_version())?;
    let mut plan = Plan::empty();
    dump::set_plan(&mut plan, &image)?;
    // SAFETY: this image and its plan.
    unsafe { dump::write_all(&image, &plan, Scratch::None, sink) }
}

/// Writes the counters of this image in the compact form, from which `profrt rebuild` makes a profile with the ELF file.
pub fn capture_counters(sink: &mut dyn Sink) -> Result {
    compact::write(sink)
}

/// Writes the raw profile as lines of text; data before the offset `from` is left out.
pub fn capture_frame(sink: &mut dyn Sink, from: u32) -> Result {
    framed(sink, Content::Raw, from, capture)
}

/// Writes the counters in the compact form as lines of text.
pub fn capture_counters_frame(sink: &mut dyn Sink, from: u32) -> Result {
    framed(sink, Content::Counters, from, capture_counters)
}

/// Goes over the bytes twice: the first packet says how many there are.
fn framed(sink: &mut dyn Sink, content: Content, from: u32, write: fn(&mut dyn Sink) -> Result) -> Result {
    let mut checksum = Checksum { crc: Crc::new(), len: 0 };
    write(&mut checksum)?;
    let mut frame = Frame::new(sink, content, &checksum, from)?;
    write(&mut frame)?;
    frame.finish()
}
