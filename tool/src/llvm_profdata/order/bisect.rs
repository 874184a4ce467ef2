//! Orders functions by balanced partitioning: halves them again and again, so that functions that start in the same traces at about the same
//! time stay together.

use std::cmp::Ordering;
use std::collections::HashMap;

use profdata::sink::Trace;
use rand_mt::Mt;

/// How often functions are halved.
const DEPTH: u32 = 18;
/// How often functions are exchanged between two halves.
const ROUNDS: u32 = 40;
/// How often an exchange is left out, to get away from orders that only look best.
const SKIPPED: f32 = 0.1;

/// A function, and the groups it belongs to: a group has all functions that a trace has seen by one of the times 1, 2, 4, 8, and so on.
struct Node {
    function: u64,
    groups: Vec<usize>,
    /// The place in the order before.
    place: usize,
    bucket: u32,
}

/// How many functions of a group are on each side, and what it gains if one moves.
#[derive(Clone, Default)]
struct Group {
    left: u32,
    right: u32,
    /// Of a move from the left, and of one from the right.
    gains: Option<(f32, f32)>,
}

/// Returns the functions of all traces in their new order.
pub(super) fn order(traces: &[Trace]) -> Vec<u64> {
    let mut nodes = nodes(traces);
    for (place, node) in nodes.iter_mut().enumerate() {
        node.place = place;
    }
    bisect(&mut nodes, 0, 1, 0);
    nodes.sort_by_key(|node| node.bucket);
    nodes.into_iter().map(|node| node.function).collect()
}

fn nodes(traces: &[Trace]) -> Vec<Node> {
    // For each function the first time in any trace, and its groups.
    let mut functions: HashMap<u64, (usize, Vec<usize>)> = HashMap::new();
    let mut group = 0;
    for trace in traces {
        let mut first_groups: HashMap<u64, usize> = HashMap::new();
        let mut next = 1;
        for (time, function) in trace.functions.iter().enumerate() {
            let (first, _) = functions.entry(*function).or_insert((time, Vec::new()));
            *first = (*first).min(time);
            if time >= next {
                group += 1;
                next = 2 * time;
            }
            first_groups.entry(*function).or_insert(group);
        }
        for (function, first) in first_groups {
            functions.entry(function).or_default().1.extend(first..=group);
        }
        group += 1;
    }
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    functions.values().flat_map(|(_, groups)| groups).for_each(|group| *sizes.entry(*group).or_default() += 1);
    let count = functions.len();
    let keeps = |group: &usize| sizes.get(group).is_some_and(|size| *size > 1 && 2 * size <= count);
    let mut nodes: Vec<_> = functions.into_iter().collect();
    nodes.sort_by_key(|(function, (first, _))| (*first, *function));
    let nodes = nodes.into_iter().map(|(function, (_, mut groups))| {
        groups.retain(keeps);
        Node { function, groups, place: 0, bucket: 0 }
    });
    nodes.collect()
}

fn bisect(nodes: &mut [Node], depth: u32, bucket: u32, offset: u32) {
    if nodes.len() <= 1 || depth >= DEPTH {
        nodes.sort_by_key(|node| node.place);
        (offset..).zip(nodes).for_each(|(bucket, node)| node.bucket = bucket);
        return;
    }
    let mut random = Mt::new(bucket);
    let (left, right) = (2 * bucket, 2 * bucket + 1);
    let middle = nodes.len().div_ceil(2);
    nodes.sort_by_key(|node| node.place);
    for (index, node) in nodes.iter_mut().enumerate() {
        node.bucket = if index < middle { left } else { right };
    }
    exchange(nodes, left, &mut random);
    let middle = partition(nodes, |node| node.bucket == left);
    if let Some((lower, upper)) = nodes.split_at_mut_checked(middle) {
        bisect(lower, depth + 1, left, offset);
        bisect(upper, depth + 1, right, offset + middle as u32);
    }
}

/// Exchanges functions between the halves as long as it helps.
fn exchange(nodes: &mut [Node], left: u32, random: &mut Mt) {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    nodes.iter().flat_map(|node| &node.groups).for_each(|group| *sizes.entry(*group).or_default() += 1);
    let count = nodes.len();
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for node in nodes.iter_mut() {
        // A group of one function, or of all, tells nothing.
        node.groups.retain(|group| sizes.get(group).is_some_and(|size| *size != 1 && *size != count));
        for group in &mut node.groups {
            let next = numbers.len();
            *group = *numbers.entry(*group).or_insert(next);
            groups.resize(numbers.len(), Group::default());
            if let Some(group) = groups.get_mut(*group) {
                let side = if node.bucket == left { &mut group.left } else { &mut group.right };
                *side += 1;
            }
        }
    }
    for _ in 0..ROUNDS {
        if !round(nodes, left, &mut groups, random) {
            break;
        }
    }
}

/// Exchanges the functions with the largest gains, and returns whether any has moved.
fn round(nodes: &mut [Node], left: u32, groups: &mut [Group], random: &mut Mt) -> bool {
    groups.iter_mut().for_each(Group::compute_gains);
    let mut gains: Vec<(f32, usize, bool)> = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let is_left = node.bucket == left;
        let gain = node.groups.iter().filter_map(|group| groups.get(*group)?.gains);
        let gain = gain.fold(0.0, |sum, (from_left, from_right)| sum + if is_left { from_left } else { from_right });
        gains.push((gain, index, is_left));
    }
    let middle = partition(&mut gains, |(_, _, is_left)| *is_left);
    let Some((lefts, rights)) = gains.split_at_mut_checked(middle) else { return false };
    lefts.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    rights.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    let mut moved = false;
    for ((left_gain, left_node, _), (right_gain, right_node, _)) in lefts.iter().zip(rights.iter()) {
        if left_gain + right_gain <= 0.0 {
            break;
        }
        for index in [*left_node, *right_node] {
            moved |= nodes.get_mut(index).is_some_and(|node| move_node(node, left, groups, random));
        }
    }
    moved
}

fn move_node(node: &mut Node, left: u32, groups: &mut [Group], random: &mut Mt) -> bool {
    // As GNU's C++ library makes a number from 0 to 1.
    if random.next_u32() as f32 / 4_294_967_296.0 <= SKIPPED {
        return false;
    }
    let from_left = node.bucket == left;
    node.bucket = if from_left { left + 1 } else { left };
    for group in &node.groups {
        if let Some(group) = groups.get_mut(*group) {
            let (from, to) =
                if from_left { (&mut group.left, &mut group.right) } else { (&mut group.right, &mut group.left) };
            *from -= 1;
            *to += 1;
            group.gains = None;
        }
    }
    true
}

impl Group {
    fn compute_gains(&mut self) {
        let (left, right) = (self.left, self.right);
        if self.gains.is_none() {
            let cost = cost(left, right);
            let from_left = left.checked_sub(1).map_or(0.0, |less| cost - self::cost(less, right + 1));
            let from_right = right.checked_sub(1).map_or(0.0, |less| cost - self::cost(left + 1, less));
            self.gains = Some((from_left, from_right));
        }
    }
}

/// The cost of a group with so many functions on each side: the smaller, the more unequal they are.
fn cost(left: u32, right: u32) -> f32 {
    let part = |count: u32| count as f32 * ((count + 1) as f32).log2();
    -(part(left) + part(right))
}

/// Moves the items for which `left` holds before all others, and returns their number. GNU's C++ library leaves them in the same order.
fn partition<T>(items: &mut [T], mut left: impl FnMut(&T) -> bool) -> usize {
    let (mut first, mut last) = (0, items.len());
    loop {
        while first < last && items.get(first).is_some_and(&mut left) {
            first += 1;
        }
        if first == last {
            return first;
        }
        last -= 1;
        while first < last && !items.get(last).is_some_and(&mut left) {
            last -= 1;
        }
        if first == last {
            return first;
        }
        items.swap(first, last);
        first += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_parted() {
        let mut items = [1, 8, 3, 4, 6, 5, 7];
        assert_eq!(partition(&mut items, |item| item % 2 == 1), 4);
        assert_eq!(items, [1, 7, 3, 5, 6, 4, 8]);
        assert_eq!(partition::<u8>(&mut [], |_| true), 0);
    }
}
