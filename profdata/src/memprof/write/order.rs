//! The order of frames and call stacks: LLVM's, which brings frequent frames together.
//!
//! Frames stand by the number of stacks that have them, the largest first; then by the sum of their places in these stacks, the smallest
//! first; then by id. Stacks are compared as words are, seen from the program's start: by the number of stacks that have a frame, the
//! smallest first, then by its id.

use std::cmp::Reverse;

use crate::error::Error;
use crate::memprof::section::MemProf;
use crate::memprof::stacks::StackId;

/// The frames and stacks that records use, in order.
pub(super) struct Order {
    /// Numbers of the used frames, the most frequent first.
    pub(super) frames: Vec<u32>,
    /// For each number of a frame its place in `frames`.
    frame_places: Vec<u32>,
    /// The used stacks, in order.
    pub(super) stacks: Vec<StackId>,
    /// For each stack its place in a walk over the tree.
    ranks: Vec<u32>,
}

/// How often something is in stacks.
#[derive(Clone, Copy, Default)]
struct UseCount {
    /// The number of stacks.
    count: u64,
    /// Of a stack the sum of the lengths of these stacks; of a frame the sum of its places in them.
    sum: u64,
}

impl Order {
    pub(super) fn new(section: &MemProf) -> Result<Order, Error> {
        let stacks = &section.stacks;
        let nodes = stacks.nodes();
        let mut used = vec![false; nodes.len().saturating_add(1)];
        let sites = section.allocations.iter().map(|site| site.stack);
        for stack in sites.chain(section.calls.iter().map(|call| call.stack)) {
            used.get_mut(stack.index()).into_iter().for_each(|used| *used = true);
        }
        // Lengths from callers to callees, then uses from callees to callers.
        let mut depths = vec![0u64; used.len()];
        for (number, node) in (1..).zip(nodes) {
            let depth = depths.get(node.caller.index()).copied().unwrap_or(0).saturating_add(1);
            depths.get_mut(number).into_iter().for_each(|to| *to = depth);
        }
        let mut uses: Vec<UseCount> = used
            .iter()
            .zip(&depths)
            .map(|(used, depth)| if *used { UseCount { count: 1, sum: *depth } } else { UseCount::default() })
            .collect();
        let mut of_frames = vec![UseCount::default(); stacks.frames.len()];
        for (number, node) in (1..nodes.len().saturating_add(1)).zip(nodes).rev() {
            let (own, depth) =
                (uses.get(number).copied().unwrap_or_default(), depths.get(number).copied().unwrap_or(0));
            if let Some(caller) = uses.get_mut(node.caller.index()) {
                caller.count = caller.count.wrapping_add(own.count);
                caller.sum = caller.sum.wrapping_add(own.sum);
            }
            if let Some(frame) = of_frames.get_mut(node.frame as usize) {
                frame.count = frame.count.wrapping_add(own.count);
                frame.sum = frame.sum.wrapping_add(own.sum.wrapping_sub(own.count.wrapping_mul(depth)));
            }
        }
        let mut frames: Vec<_> = (0..)
            .zip(stacks.frames.iter().zip(&of_frames))
            .filter(|(_, (_, uses))| uses.count > 0)
            .map(|(number, (frame, uses))| (Reverse(uses.count), uses.sum, frame.id(), number))
            .collect();
        frames.sort_unstable_by_key(|(count, _, id, _)| (Reverse(*count), *id));
        let mut frame_ranks = vec![0; of_frames.len()];
        for (rank, (.., number)) in (0u32..).zip(&frames) {
            frame_ranks.get_mut(*number as usize).into_iter().for_each(|to| *to = rank);
        }
        frames.sort_unstable();
        let frames: Vec<u32> = frames.into_iter().map(|(.., number)| number).collect();
        let mut frame_places = vec![0; of_frames.len()];
        for (place, number) in (0..).zip(&frames) {
            frame_places.get_mut(*number as usize).into_iter().for_each(|to| *to = place);
        }
        let mut order = Order { frames, frame_places, stacks: Vec::new(), ranks: vec![0; used.len()] };
        order.walk(section, &uses, &used, &frame_ranks);
        Ok(order)
    }

    /// Visits all used parts of the tree: a stack before those that it is the start of, and these by their frames.
    fn walk(&mut self, section: &MemProf, uses: &[UseCount], used: &[bool], frame_ranks: &[u32]) {
        let nodes = section.stacks.nodes();
        let is_used = |number: &usize| uses.get(*number).is_some_and(|uses| uses.count > 0);
        let mut children: Vec<usize> = (1..=nodes.len()).filter(is_used).collect();
        let node = |number: usize| nodes.get_index(number.wrapping_sub(1));
        // The last of a caller first, as the walk takes them from the end.
        children.sort_unstable_by_key(|number| {
            node(*number).map(|node| (node.caller, frame_ranks.get(node.frame as usize).copied().map(Reverse)))
        });
        let mut starts = vec![0usize; nodes.len().saturating_add(2)];
        for number in &children {
            let next = node(*number).and_then(|node| starts.get_mut(node.caller.index().saturating_add(1)));
            next.into_iter().for_each(|count| *count += 1);
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut open = vec![0usize];
        let mut rank = 0;
        while let Some(number) = open.pop() {
            self.ranks.get_mut(number).into_iter().for_each(|to| *to = rank);
            rank += 1;
            if used.get(number) == Some(&true) {
                self.stacks.push(StackId(number as u32));
            }
            let (start, end) = (starts.get(number).copied(), starts.get(number.saturating_add(1)).copied());
            let own = start.zip(end).and_then(|(start, end)| children.get(start..end));
            open.extend_from_slice(own.unwrap_or(&[]));
        }
    }

    /// Returns the place of a frame.
    pub(super) fn frame_place(&self, number: u32) -> u32 {
        self.frame_places.get(number as usize).copied().unwrap_or(0)
    }

    /// Returns the place of a stack.
    pub(super) fn rank(&self, stack: StackId) -> u32 {
        self.ranks.get(stack.index()).copied().unwrap_or(0)
    }
}
