//! Reads sections of version 2 to 4. Places count from the start of the section until an error has left it.

mod hashed;
mod linear;
mod table;

use super::schema::Schema;
use super::section::{Call, MemProf, Site};
use super::stacks::StackId;
use crate::error::{Error, ErrorKind};
use crate::read::indexed::cursor::{Cursor, words};

impl MemProf {
    /// Reads the section that starts `start` bytes into its profile: all of it is checked.
    ///
    /// Errors: [`ErrorKind::UnsupportedVersion`] for a version other than 2 to 4 and for unknown fields, others for a damaged section.
    pub fn read(section: &[u8], start: u64) -> Result<MemProf, Error> {
        self::section(section, start).map_err(|error| error.after(start))
    }
}

/// Reads a section whose offsets count from `start` bytes before it.
fn section(bytes: &[u8], start: u64) -> Result<MemProf, Error> {
    let input = SectionInput { bytes, start };
    let mut cursor = Cursor::new(bytes, bytes.len());
    let version = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.Version"))?;
    match version {
        2 => hashed::section(input, cursor),
        3 | 4 => linear::section(input, cursor, version),
        _ => Err(Error::new(ErrorKind::UnsupportedVersion, "MemProf.Version").expected("2 to 4").found(version)),
    }
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionInput<'a> {
    pub(super) bytes: &'a [u8],
    /// Where the offsets count from, before the section.
    pub(super) start: u64,
}

impl<'a> SectionInput<'a> {
    /// Reads an offset, and returns where in the section it leads.
    pub(super) fn offset(self, cursor: &mut Cursor<'_>, field: &'static str) -> Result<usize, Error> {
        let offset = cursor.u64().ok_or_else(|| cursor.too_short(field))?;
        let place = offset.checked_sub(self.start).and_then(|place| usize::try_from(place).ok());
        place.filter(|place| *place <= self.bytes.len()).ok_or_else(|| {
            let error = Error::new(ErrorKind::Malformed, field).at(cursor.offset().saturating_sub(8) as u64);
            error.expected("an offset in the section").found(offset)
        })
    }

    /// Returns what stands between two places. Errors: the second is before the first.
    fn range(self, start: usize, end: usize, field: &'static str) -> Result<Cursor<'a>, Error> {
        match self.bytes.get(start..end) {
            Some(bytes) => Ok(Cursor::new(bytes, end)),
            None => {
                let error = Error::new(ErrorKind::Malformed, field).at(start as u64);
                Err(error.expected("at most where the next part starts").found(format_args!("{start}, {end}")))
            }
        }
    }
}

/// Reads the schema.
fn schema(cursor: &mut Cursor<'_>) -> Result<Schema, Error> {
    let count = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.Schema"))?;
    let ids = cursor.take_items(count, 8).ok_or_else(|| cursor.too_large("MemProf.Schema", count))?;
    Schema::new(words(ids)).map_err(|error| error.at(cursor.offset().saturating_sub(ids.len()) as u64))
}

/// Reads the record of a function. `stack` reads the reference to a call stack.
fn record<'a>(
    to: &mut MemProf,
    function: u64,
    mut data: Cursor<'a>,
    mut stack: impl FnMut(&mut MemProf, &mut Cursor<'a>) -> Result<StackId, Error>,
) -> Result<(), Error> {
    let cursor = &mut data;
    to.functions.push(function);
    let count = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.NumAllocSites"))?;
    for _ in 0..count {
        let stack = stack(to, cursor)?;
        let block = cursor.take(to.schema.size()).ok_or_else(|| cursor.too_short("MemProf.MemInfoBlock"))?;
        to.blocks.extend_from_slice(block);
        to.allocations.push(Site { function, stack });
    }
    let count = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.NumCallSites"))?;
    for _ in 0..count {
        let stack = stack(to, cursor)?;
        to.add_call(Call { function, stack, callee: None });
        if to.version < 4 {
            continue;
        }
        let callees = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.NumCalleeGuids"))?;
        let guids = cursor.take_items(callees, 8).ok_or_else(|| cursor.too_large("MemProf.NumCalleeGuids", callees))?;
        for guid in words(guids) {
            to.add_call(Call { function, stack, callee: Some(guid) });
        }
    }
    match cursor.rest().len() {
        0 => Ok(()),
        rest => Err(cursor.malformed("MemProf.Record").expected("its end").found(format_args!("{rest} bytes"))),
    }
}
