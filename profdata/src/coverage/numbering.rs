//! The numbers of the paths through the conditions of a decision.
//!
//! A path ends where the decision is made. Since LLVM 19 its number is the sum of an offset for each value on the way: to a condition it is
//! the number of the paths that came there before, at an end the first number of that end.

use std::cmp::Reverse;
use std::collections::VecDeque;

/// A condition: its place in a vector, and the numbers of the conditions after it if it is true and if it is false.
pub(super) type Node = (usize, [Option<u16>; 2]);

/// Where the number of a path grows by how much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbering {
    /// Of each condition, if it is true and if it is false.
    pub(super) offsets: Vec<[usize; 2]>,
    /// The number of paths.
    pub(super) paths: usize,
}

impl Numbering {
    /// Returns the numbering of conditions; `None` if they form a circle, or some are never evaluated.
    pub(super) fn of(nodes: &[Node]) -> Option<Numbering> {
        let mut before = vec![0usize; nodes.len()];
        for next in nodes.iter().flat_map(|(_, next)| next).flatten() {
            let before = before.get_mut(usize::from(*next))?;
            *before = before.checked_add(1)?;
        }
        let mut offsets = vec![[0; 2]; nodes.len()];
        let mut widths = vec![0usize; nodes.len()];
        *widths.first_mut()? = 1;
        let mut ready = VecDeque::from([0]);
        let (mut ends, mut done) = (Vec::new(), 0usize);
        while let Some(node) = ready.pop_front() {
            done = done.checked_add(1)?;
            let (width, (_, next)) = (*widths.get(node)?, nodes.get(node)?);
            // If it is false, and then if it is true.
            for side in [1, 0] {
                let Some(next) = next.get(side)?.map(usize::from) else {
                    ends.push((Reverse(width), ends.len(), node, side));
                    continue;
                };
                let next_width = widths.get_mut(next)?;
                *offsets.get_mut(node)?.get_mut(side)? = *next_width;
                *next_width = next_width.checked_add(width)?;
                let before = before.get_mut(next)?;
                *before = before.checked_sub(1)?;
                if *before == 0 {
                    ready.push_back(next);
                }
            }
        }
        // The ends of most paths first.
        ends.sort_unstable();
        let mut paths = 0usize;
        for (Reverse(width), _, node, side) in ends {
            *offsets.get_mut(node)?.get_mut(side)? = paths;
            paths = paths.checked_add(width)?;
        }
        (done == nodes.len()).then_some(Numbering { offsets, paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_counted() {
        // (a && b) || (c && d)
        let nodes = [(0, [Some(2), Some(1)]), (2, [Some(3), None]), (1, [None, Some(1)]), (3, [None, None])];
        assert_eq!(Numbering::of(&nodes).unwrap().paths, 7);
        assert_eq!(Numbering::of(&[]), None);
        assert_eq!(Numbering::of(&[(0, [Some(0), None])]), None);
        assert_eq!(Numbering::of(&[(0, [Some(1), None]), (1, [Some(0), None])]), None);
        assert_eq!(Numbering::of(&[(0, [None, None]), (1, [None, None])]), None);
        assert_eq!(Numbering::of(&[(0, [Some(7), None])]), None);
        // As many paths as no number has.
        let mut many: Vec<Node> = (1..100).map(|next| (0, [Some(next); 2])).collect();
        many.push((0, [None; 2]));
        assert_eq!(Numbering::of(&many), None);
    }
}
