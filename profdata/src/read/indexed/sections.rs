//! The sections after the function table. Each function returns where its section ends, 0 if there is none.

use super::cursor::{Cursor, words};
use super::header::Header;
use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::read::names;
use crate::sink::{Sink, Trace};

/// Hands over the binary ids.
pub(super) fn binary_ids(bytes: &[u8], header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<usize, Error> {
    let Some(offset) = header.binary_ids else { return Ok(0) };
    let mut cursor = header.section(bytes, offset, "BinaryIdOffset")?;
    let size = cursor.u64().ok_or_else(|| cursor.too_short("BinaryIdsSize"))?;
    if !size.is_multiple_of(8) {
        return Err(cursor.malformed("BinaryIdsSize").expected("a multiple of 8").found(size));
    }
    let ids = cursor.take_items(size, 1).ok_or_else(|| cursor.too_large("BinaryIdsSize", size))?;
    let mut ids = Cursor::new(ids, cursor.offset());
    while !ids.is_empty() {
        let start = ids;
        let size = ids.u64().ok_or_else(|| ids.too_short("BinaryIdLen"))?;
        let id = ids.take_padded(size).ok_or_else(|| start.too_large("BinaryIdLen", size))?;
        if id.is_empty() {
            return Err(start.malformed("BinaryIdLen").expected("at least 1").found(0));
        }
        sink.binary_id(id);
    }
    Ok(cursor.offset())
}

/// Hands over the names of vtables.
pub(super) fn vtable_names(bytes: &[u8], header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<usize, Error> {
    let Some(offset) = header.vtable_names else { return Ok(0) };
    let mut cursor = header.section(bytes, offset, "VTableNamesOffset")?;
    let size = cursor.u64().ok_or_else(|| cursor.too_short("VTableNamesSize"))?;
    let names = cursor.take_items(size, 1).ok_or_else(|| cursor.too_large("VTableNamesSize", size))?;
    let start = cursor.offset().saturating_sub(names.len());
    let read = names::for_each(names, &mut Vec::new(), |name| sink.vtable_name(name));
    read.map_err(|error| error.after(start as u64))?;
    Ok(cursor.offset())
}

/// Hands over the temporal traces.
pub(super) fn traces(bytes: &[u8], header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<usize, Error> {
    if header.lacks_place_for(Flags::TEMPORAL, 10) {
        return Err(Error::new(ErrorKind::BadHeader, "Version").at(8u64).expected("at least 10 with traces"));
    }
    let Some(offset) = header.traces else { return Ok(0) };
    let mut cursor = header.section(bytes, offset, "TemporalProfTracesOffset")?;
    let count = cursor.u64().ok_or_else(|| cursor.too_short("NumTraces"))?;
    let stream_size = cursor.u64().ok_or_else(|| cursor.too_short("TraceStreamSize"))?;
    // A trace has 16 bytes at least.
    if count > cursor.rest().len() as u64 / 16 {
        return Err(cursor.too_large("NumTraces", count));
    }
    let mut traces = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let weight = cursor.u64().ok_or_else(|| cursor.too_short("Trace.Weight"))?;
        let functions = cursor.u64().ok_or_else(|| cursor.too_short("Trace.NumFunctions"))?;
        let names = cursor.take_items(functions, 8).ok_or_else(|| cursor.too_large("Trace.NumFunctions", functions))?;
        traces.push(Trace { weight, functions: words(names).collect() });
    }
    sink.traces(&traces, stream_size);
    Ok(cursor.offset())
}

/// Hands over the MemProf section, unread.
pub(super) fn memprof(bytes: &[u8], header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<usize, Error> {
    if header.lacks_place_for(Flags::MEMPROF, 8) {
        return Err(Error::new(ErrorKind::BadHeader, "Version").at(8u64).expected("at least 8 with MemProf"));
    }
    let Some(offset) = header.memprof else { return Ok(0) };
    let section = header.section(bytes, offset, "MemProfOffset")?;
    if section.rest().len() < 8 {
        return Err(section.too_short("MemProf"));
    }
    sink.memprof(section.rest(), offset);
    Ok(section.offset().saturating_add(section.rest().len()))
}
