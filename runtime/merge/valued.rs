//! The part of a merge that has to do with values, linked where something counts them ([`crate::value::optional`]).

#![allow(unsafe_code)]

use super::pages::{Pages, pages};
use super::source::Source;
use super::values::{self, Streams};
use super::write::Old;
use crate::error::{Error, Result};
use crate::os;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::span::Span;
use crate::value::data::{self, Budget, Scratch};
use crate::value::node::Record;
use crate::value::optional::provide;
use crate::value::{pairs, serialize};

/// Reads and checks the value data of these records: from where in the source, and how many bytes.
pub type Read = fn(&dyn Source, u64, u64, &[Record]) -> Result<Pages>;

/// Writes the values of this process with those of a file. The bytes are those that the file, or another file of its pool, has from this process. What it has
/// now.
pub type Unite = fn(&[Record], Option<&Old>, &[u8], &mut dyn Sink) -> Result<Pages>;

provide!("profrt_values_read");
provide!("profrt_values_unite");

/// See [`Read`].
#[cfg_attr(feature = "archive", unsafe(export_name = "profrt_values_read"))]
pub fn read(source: &dyn Source, from: u64, len: u64, records: &[Record]) -> Result<Pages> {
    // Not what a file of this size would take, which may be a hole of terabytes.
    if len > values::most(records) {
        return Err(Error::CORRUPT);
    }
    let len = usize::try_from(len).map_err(|_| Error::OVERFLOW)?;
    let mut data = pages(len)?;
    source.bytes(from, len, data.bytes_mut())?;
    values::check(data.bytes(), records)?;
    Ok(data)
}

/// See [`Unite`].
#[cfg_attr(feature = "archive", unsafe(export_name = "profrt_values_unite"))]
pub fn unite(records: &[Record], old: Option<&Old>, had: &[u8], sink: &mut dyn Sink) -> Result<Pages> {
    let live = live_values(records)?;
    if old.is_none() && had.is_empty() {
        // The first run's values are as a plain file has them, those without counts included.
        // SAFETY: memory of our own.
        unsafe { sink.write(&[Span::of(live.bytes())]) }?;
    } else {
        let theirs = old.map_or(&[][..], |old| old.values.bytes());
        let mut room = pages(theirs.len().saturating_add(live.bytes().len()))?;
        let streams = Streams { old: theirs, live: live.bytes(), had };
        values::merge(records, streams, old.map(|old| &old.theirs.rebase), room.words_mut(), sink)?;
    }
    Ok(live)
}

/// The value data of this process as of now.
fn live_values(records: &[Record]) -> Result<Pages> {
    const SCRATCH: Scratch = Scratch::Pages(os::map_pages, os::unmap_pages);
    let pairs = pairs::count_first(records, usize::MAX);
    let mut live = pages(usize::try_from(data::size(records, pairs)).map_err(|_| Error::OVERFLOW)?)?;
    let room = live.bytes_mut();
    // SAFETY: the memory just made.
    let mut buffer = unsafe { Buffer::new(room.as_mut_ptr(), room.len()) };
    // Other threads may have added values since: there is room for as many as there were.
    serialize::write(records, Budget(pairs), SCRATCH, &mut buffer)?;
    Ok(live)
}
