//! Versions 3 and 4.

use super::{Layout, Out};
use crate::error::{Error, ErrorKind};
use crate::memprof::stacks::StackId;

impl Layout<'_> {
    /// Writes the section.
    pub(super) fn linear(&self, out: &mut Out) -> Result<(), Error> {
        let section = self.section;
        let has_data_accesses = section.version >= 4;
        out.header(section.version, if has_data_accesses { 4 } else { 3 });
        if has_data_accesses {
            let fields = self.summary().fields();
            out.u32(fields.len() as u32);
            fields.into_iter().for_each(|field| out.u64(field));
        }
        self.schema(out);
        let frames = &section.stacks.frames;
        for number in &self.order.frames {
            let frame = frames.get_index(*number as usize).copied().unwrap_or_default();
            out.bytes.extend_from_slice(&frame.to_bytes());
        }
        let stacks = out.offset();
        let (array, places) = self.array()?;
        array.iter().rev().for_each(|word| out.u32(*word));
        let payload = out.offset();
        let records = self.record_table(out, |out, stack| {
            // Places were counted from the end.
            let place = places.get(stack.index()).copied().unwrap_or(0);
            out.u32((array.len() as u32).wrapping_sub(place).wrapping_sub(1));
        })?;
        let mut data_accesses = 0;
        let accesses = section.data_accesses.write();
        if has_data_accesses && !accesses.is_empty() {
            data_accesses = out.offset();
            out.bytes.extend(accesses);
        }
        match has_data_accesses {
            true => out.offsets(&[stacks, payload, records, data_accesses]),
            false => out.offsets(&[stacks, payload, records]),
        }
        Ok(())
    }

    /// Returns the array of call stacks from its end to its start, and the place of each stack in it.
    fn array(&self) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let (stacks, order) = (&self.section.stacks, &self.order);
        let mut array: Vec<u32> = Vec::new();
        let mut starts = vec![0; stacks.nodes().len().saturating_add(1)];
        // Of each stack, the place of its last frame.
        let mut places = vec![u32::MAX; starts.len()];
        let mut lens = vec![0u32; starts.len()];
        let mut path = Vec::new();
        for stack in order.stacks.iter().rev() {
            let mut at = *stack;
            while places.get(at.index()) == Some(&u32::MAX)
                && let Some(node) = stacks.node(at)
            {
                path.push((at, node.frame));
                at = node.caller;
            }
            let mut len = lens.get(at.index()).copied().unwrap_or(0);
            if at != StackId::EMPTY {
                let from = places.get(at.index()).copied().unwrap_or(0);
                array.push(from.wrapping_sub(array.len() as u32));
            }
            while let Some((stack, frame)) = path.pop() {
                len += 1;
                places.get_mut(stack.index()).into_iter().for_each(|to| *to = array.len() as u32);
                lens.get_mut(stack.index()).into_iter().for_each(|to| *to = len);
                array.push(order.frame_place(frame));
            }
            starts.get_mut(stack.index()).into_iter().for_each(|to| *to = array.len() as u32);
            array.push(len);
            if array.len() >= 1 << 31 {
                let error = Error::new(ErrorKind::TooLarge, "MemProf.CallStacks");
                return Err(error.expected("less than 2^31 words").found(array.len()));
            }
        }
        Ok((array, starts))
    }
}
