//! Lines and their counts, from segments.

use super::layout::Layout;
use super::region::Position;
use super::rules::Rules;
use super::runs::{Lines, push};
use super::segments::Segment;

/// Returns the lines of segments that have counts, in rising order: of lines that follow each other and have one count, one run.
///
/// A line has the largest count of the regions that start on it, and of the segment that is still open from the lines before. It has none
/// if it starts with a comment or code that the preprocessor left out, unless a region starts on it (LLVM 18 and before: not even then). By the rules of
/// this crate what stands between code counts only alone.
pub fn lines(segments: &[Segment], rules: Rules) -> impl Iterator<Item = Lines> {
    lines_of(segments, rules, None).into_iter()
}

/// Returns the same of a file whose source looks so.
pub(super) fn lines_of(segments: &[Segment], rules: Rules, layout: Option<&Layout>) -> Vec<Lines> {
    let mut lines = Vec::new();
    let mut before: Option<&Segment> = None;
    for on_line in segments.chunk_by(|one, other| one.start.line == other.start.line) {
        let line = on_line.first().map_or(0, |segment| segment.start.line);
        let open = before.filter(|segment| segment.count.is_some());
        if let Some(Segment { start, count: Some(count), .. }) = open {
            let (first, last) = (start.line.saturating_add(1), line.saturating_sub(1));
            if first <= last {
                push(&mut lines, Lines { first, last, count: *count });
            }
        }
        // Clang ends what it leaves out at the end of a line, unless code is on it: what is open again there has no code. (Behind `#elif` it
        // ends what is left out at the start of the next line, as if that were empty.)
        let is_end = before.is_some_and(|segment| segment.count.is_none() && segment.is_entry);
        let resumed = if rules == Rules::Own && !is_end { on_line } else { &[] };
        if let Some(count) = count(open, on_line, resumed, rules, layout) {
            push(&mut lines, Lines { first: line, last: line, count });
        }
        before = on_line.last();
    }
    lines
}

/// Returns the count of a line with these segments, and an open one from before; of `resumed` where there is no other.
///
/// In a source one counts beside others only if words stand in it on the line. What is left out and has words is an `if constexpr`.
fn count(
    open: Option<&Segment>,
    on_line: &[Segment],
    resumed: &[Segment],
    rules: Rules,
    layout: Option<&Layout>,
) -> Option<u64> {
    let first = on_line.first()?;
    let behind = |segment: &Segment| {
        let next = on_line.partition_point(|other| other.start <= segment.start);
        on_line.get(next).map_or(u32::MAX, |next| next.start.column)
    };
    let has_words = |segment: &&Segment| layout.is_none_or(|layout| layout.has_word(segment.start, behind(segment)));
    let starts = on_line.iter().filter(|segment| segment.is_entry && !segment.is_gap);
    let is_left_out = first.count.is_none() && first.is_entry && (layout.is_none() || !has_words(&first));
    if is_left_out && (rules.hides_lines() || starts.clone().all(|segment| segment.count.is_none())) {
        return None;
    }
    let most = |segments: &mut dyn Iterator<Item = &Segment>| segments.filter_map(|segment| segment.count).max();
    let code = open.filter(|open| rules != Rules::Own || !open.is_gap);
    let line = Position { line: first.start.line, column: 1 };
    let stands = |layout: &Layout| layout.has_word(line, first.start.column);
    most(&mut code.filter(|_| layout.is_none_or(stands)).into_iter().chain(starts.clone().filter(has_words)))
        .or_else(|| most(&mut code.into_iter().chain(starts)))
        .or_else(|| most(&mut resumed.iter().filter(has_words)))
        .or_else(|| most(&mut open.into_iter().chain(resumed)))
}
