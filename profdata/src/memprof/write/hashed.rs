//! Version 2.

use super::{Layout, Out};
use crate::error::Error;
use crate::memprof::stacks::StackId;

impl Layout<'_> {
    /// Writes the section.
    pub(super) fn hashed(&self, out: &mut Out) -> Result<(), Error> {
        let stacks = &self.section.stacks;
        let frame_ids: Vec<u64> = stacks.frames.iter().map(|frame| frame.id()).collect();
        // What is written: LLVM's ids, in the order of their first use, and the id of each stack that is used.
        let (mut used_frames, mut used_stacks) = (Vec::new(), Vec::new());
        let mut ids: Vec<Option<u64>> = vec![None; stacks.nodes().len() + 1];
        let mut seen = vec![false; frame_ids.len()];
        let mut bytes = Vec::new();
        for stack in self.uses() {
            let Some(id @ None) = ids.get_mut(stack.index()) else { continue };
            bytes.clear();
            for number in stacks.frame_numbers(stack) {
                let frame = frame_ids.get(number as usize).copied().unwrap_or(0);
                bytes.extend_from_slice(&frame.to_le_bytes());
                if let Some(seen @ false) = seen.get_mut(number as usize) {
                    *seen = true;
                    used_frames.push((frame, number));
                }
            }
            let new = crate::memprof::id(&bytes);
            *id = Some(new);
            used_stacks.push((new, stack));
        }

        out.header(2, 5);
        self.schema(out);
        let records = self.record_table(out, |out, stack| {
            out.u64(ids.get(stack.index()).copied().flatten().unwrap_or(0));
        })?;
        let frame_payload = out.offset();
        let frame_keys: Vec<u64> = used_frames.iter().map(|(id, _)| *id).collect();
        let frames = out.table(&frame_keys, true, |out, item| {
            let Some((id, number)) = used_frames.get(item) else { return };
            let frame = stacks.frames.get_index(*number as usize).copied().unwrap_or_default().to_bytes();
            out.u64(frame.len() as u64);
            out.u64(*id);
            out.bytes.extend_from_slice(&frame);
        })?;
        let stack_payload = out.offset();
        let stack_keys: Vec<u64> = used_stacks.iter().map(|(id, _)| *id).collect();
        let stack_table = out.table(&stack_keys, false, |out, item| {
            let Some((id, stack)) = used_stacks.get(item) else { return };
            let ids = || stacks.frame_numbers(*stack).filter_map(|number| frame_ids.get(number as usize));
            out.u64(8 * ids().count() as u64);
            out.u64(*id);
            ids().for_each(|id| out.u64(*id));
        })?;
        out.offsets(&[records, frame_payload, frames, stack_payload, stack_table]);
        Ok(())
    }

    /// Returns the stacks of the records, in order.
    fn uses(&self) -> impl Iterator<Item = StackId> + '_ {
        self.records().into_iter().flat_map(|record| {
            let allocations = record.allocations.iter().map(|number| self.stack_of(*number));
            allocations.chain(record.calls.iter().map(|call| call.stack))
        })
    }
}
