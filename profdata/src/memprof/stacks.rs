//! Call stacks as a tree, which has the frames that several stacks begin with (seen from the program's start) only once. The size of the
//! tree is bounded by the size of a section; the sum of the lengths of all stacks is not.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use super::id;
use crate::error::{Error, ErrorKind};

/// A frame of a call stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Frame {
    /// MD5 of the function's name: its first 8 bytes.
    pub function: u64,
    /// Lines from the first line of the function.
    pub line_offset: u32,
    /// Column.
    pub column: u32,
    /// The function is inlined into the next one of the stack.
    pub inline: bool,
}

impl Frame {
    /// Bytes of a frame in a section.
    pub(super) const SIZE: usize = 17;

    pub(super) fn to_bytes(self) -> [u8; Frame::SIZE] {
        let mut bytes = [0; Frame::SIZE];
        let fields = self.function.to_le_bytes().into_iter().chain(self.line_offset.to_le_bytes());
        let fields = fields.chain(self.column.to_le_bytes()).chain([self.inline.into()]);
        bytes.iter_mut().zip(fields).for_each(|(to, byte)| *to = byte);
        bytes
    }

    /// Returns the frame in these bytes; `None` if the last of them is not a truth value.
    pub(super) fn from_bytes(bytes: &[u8; Frame::SIZE]) -> Option<Frame> {
        let (function, rest) = bytes.split_first_chunk()?;
        let (line_offset, rest) = rest.split_first_chunk()?;
        let (column, rest) = rest.split_first_chunk()?;
        Some(Frame {
            function: u64::from_le_bytes(*function),
            line_offset: u32::from_le_bytes(*line_offset),
            column: u32::from_le_bytes(*column),
            inline: match rest {
                [0] => false,
                [1] => true,
                _ => return None,
            },
        })
    }

    /// Returns LLVM's id.
    pub(super) fn id(self) -> u64 {
        id(&self.to_bytes())
    }
}

/// A call stack of a [`Stacks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StackId(pub(super) u32);

impl StackId {
    /// The stack without frames.
    pub const EMPTY: StackId = StackId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The frame that a function called from another frame has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct StackNode {
    /// The stack of the caller.
    pub(super) caller: StackId,
    /// Number of the frame.
    pub(super) frame: u32,
}

/// Frames and call stacks, each of them once.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    pub(super) frames: IndexSet<Frame, DefaultHashBuilder>,
    /// The stack with the id `n + 1` is `nodes[n]`. A caller stands before those that it calls.
    nodes: IndexSet<StackNode, DefaultHashBuilder>,
}

impl Stacks {
    /// Returns the number of a frame. Errors: there are 2^31 frames.
    pub(super) fn frame(&mut self, frame: Frame) -> Result<u32, Error> {
        number(self.frames.insert_full(frame).0)
    }

    /// Returns the stack in which `caller` has called what is at `frame`. Errors: there are 2^31 stacks.
    pub(super) fn call(&mut self, caller: StackId, frame: u32) -> Result<StackId, Error> {
        Ok(StackId(number(self.nodes.insert_full(StackNode { caller, frame }).0)?.saturating_add(1)))
    }

    pub(super) fn nodes(&self) -> &IndexSet<StackNode, DefaultHashBuilder> {
        &self.nodes
    }

    /// Returns the node of a stack; `None` for the empty one.
    pub(super) fn node(&self, stack: StackId) -> Option<StackNode> {
        self.nodes.get_index(stack.index().checked_sub(1)?).copied()
    }

    /// Returns the numbers of the frames of a stack, the one that allocates or calls first.
    pub(super) fn frame_numbers(&self, stack: StackId) -> impl Iterator<Item = u32> + '_ {
        let nodes = std::iter::successors(self.node(stack), |node| self.node(node.caller));
        nodes.map(|node| node.frame)
    }

    /// Returns the frames of a stack, the one that allocates or calls first.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = Frame> + '_ {
        self.frame_numbers(stack).filter_map(|frame| self.frames.get_index(frame as usize).copied())
    }

    /// Adds all frames and stacks of another one, and returns for each of its stacks, by id, the one here.
    pub(super) fn absorb(&mut self, other: &Stacks) -> Result<Vec<StackId>, Error> {
        let frames: Vec<u32> = other.frames.iter().map(|frame| self.frame(*frame)).collect::<Result<_, _>>()?;
        let mut stacks = Vec::with_capacity(other.nodes.len().saturating_add(1));
        stacks.push(StackId::EMPTY);
        for node in &other.nodes {
            let caller = stacks.get(node.caller.index()).copied().unwrap_or(StackId::EMPTY);
            let frame = frames.get(node.frame as usize).copied().unwrap_or(0);
            stacks.push(self.call(caller, frame)?);
        }
        Ok(stacks)
    }
}

/// Returns a place as a number. The sign bit of a number is taken: it marks jumps in the array of stacks.
fn number(place: usize) -> Result<u32, Error> {
    let number = u32::try_from(place).ok().filter(|number| *number < 1 << 31);
    number.ok_or_else(|| Error::new(ErrorKind::TooLarge, "MemProf.Frames").expected("less than 2^31").found(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(stacks: &mut Stacks, functions: &[u64]) -> StackId {
        functions.iter().rev().fold(StackId::EMPTY, |caller, function| {
            let frame = stacks.frame(Frame { function: *function, ..Frame::default() }).unwrap();
            stacks.call(caller, frame).unwrap()
        })
    }

    #[test]
    fn equal_stacks_are_one_and_keep_their_frames_in_another_tree() {
        let mut a = Stacks::default();
        let short = stack(&mut a, &[2, 1]);
        let long = stack(&mut a, &[3, 2, 1]);
        assert_eq!(stack(&mut a, &[2, 1]), short);
        assert_eq!(a.nodes().len(), 3);
        let mut b = Stacks::default();
        stack(&mut b, &[9, 3]);
        let places = b.absorb(&a).unwrap();
        let functions: Vec<u64> = b.frames(places[long.index()]).map(|frame| frame.function).collect();
        assert_eq!(functions, [3, 2, 1]);
        assert_eq!(b.frames(places[0]).count(), 0);
    }

    #[test]
    fn a_frame_is_its_bytes() {
        let frame = Frame { function: 0x0102_0304_0506_0708, line_offset: 9, column: 10, inline: true };
        assert_eq!(Frame::from_bytes(&frame.to_bytes()), Some(frame));
        let mut bytes = frame.to_bytes();
        bytes[16] = 2;
        assert_eq!(Frame::from_bytes(&bytes), None);
    }
}
