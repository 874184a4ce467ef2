//! Version 2: hash tables of records, of frames by id, and of call stacks by id.

use hashbrown::HashMap;

use super::{SectionInput, record, schema, table};
use crate::error::Error;
use crate::memprof::section::MemProf;
use crate::memprof::stacks::{Frame, StackId};
use crate::read::indexed::cursor::{Cursor, words};

/// Reads the section after its version.
pub(super) fn section(input: SectionInput<'_>, mut cursor: Cursor<'_>) -> Result<MemProf, Error> {
    let mut offset = |field| input.offset(&mut cursor, field);
    let records = offset("MemProf.RecordTableOffset")?;
    let frame_payload = offset("MemProf.FramePayloadOffset")?;
    let frames = offset("MemProf.FrameTableOffset")?;
    let stack_payload = offset("MemProf.CallStackPayloadOffset")?;
    let stacks = offset("MemProf.CallStackTableOffset")?;
    let schema = schema(&mut cursor)?;
    let mut read = MemProf::new(2, schema);

    let mut frame_numbers = HashMap::new();
    table::walk(input, (frame_payload, frames), true, |id, data| {
        let bytes = data.rest().try_into().map_err(|_| data.malformed("MemProf.Frame").expected("17 bytes"))?;
        let frame = Frame::from_bytes(bytes).ok_or_else(|| data.malformed("MemProf.Frame"))?;
        frame_numbers.insert(id, read.stacks.frame(frame)?);
        Ok(())
    })?;
    let mut stack_ids = HashMap::new();
    table::walk(input, (stack_payload, stacks), false, |id, data| {
        if !data.rest().len().is_multiple_of(8) {
            return Err(data.malformed("MemProf.CallStack").expected("a multiple of 8 bytes"));
        }
        let mut stack = StackId::EMPTY;
        // The last frame is the program's first.
        for id in words(data.rest()).rev() {
            let frame = frame_numbers.get(&id);
            let frame = frame.ok_or_else(|| data.malformed("MemProf.CallStack").expected("a known frame").found(id))?;
            stack = read.stacks.call(stack, *frame)?;
        }
        stack_ids.insert(id, stack);
        Ok(())
    })?;
    table::walk(input, (cursor.offset(), records), true, |function, data| {
        record(&mut read, function, data, |_, cursor| {
            let id = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.CallStackId"))?;
            let stack = stack_ids.get(&id).copied();
            stack.ok_or_else(|| cursor.malformed("MemProf.CallStackId").expected("a known stack").found(id))
        })
    })?;
    Ok(read)
}
