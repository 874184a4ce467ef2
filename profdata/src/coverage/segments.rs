//! Segments: a file cut into pieces at the starts and ends of its regions, each with the count of the innermost region.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::counter::Counter;
use super::region::{Kind, Position};
use super::rules::Rules;

/// A region of a file with its count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) start: Position,
    pub(super) end: Position,
    pub(super) kind: SpanKind,
    /// Its number in its function.
    pub(super) file: u32,
    pub(super) count: u64,
}

/// The kinds of regions that make segments, in the order in which regions of one place come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum SpanKind {
    Code,
    Expansion,
    Skipped,
    Gap,
    /// The body of another function, or what stands between code and never can run: a brace behind `break`.
    Apart,
}

impl SpanKind {
    /// Returns the kind of a region; `None` of branches and decisions.
    pub(super) fn of(kind: Kind, rules: Rules) -> Option<SpanKind> {
        match kind {
            Kind::Gap(Counter::ZERO) if rules == Rules::Own => Some(SpanKind::Apart),
            Kind::Code(_) => Some(SpanKind::Code),
            Kind::Expansion { .. } => Some(SpanKind::Expansion),
            Kind::Skipped => Some(SpanKind::Skipped),
            Kind::Gap(_) => Some(SpanKind::Gap),
            Kind::Branch(_) | Kind::Decision { .. } | Kind::Condition { .. } => None,
        }
    }
}

/// A piece of a file, from its start to the start of the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Segment {
    /// Where it starts.
    pub start: Position,
    /// How often it ran; `None`: no region has it, or it was left out by the preprocessor.
    pub count: Option<u64>,
    /// A region starts here.
    pub is_entry: bool,
    /// It stands between code.
    pub is_gap: bool,
}

/// Returns the segments of the regions of a file, which are sorted for that. With `is_byte`, counts of several functions only say
/// whether the code ran.
pub(super) fn segments(spans: &mut Vec<Span>, rules: Rules, is_byte: bool) -> Vec<Segment> {
    spans.sort_by(|one, other| {
        let ends = || other.end.cmp(&one.end);
        let kinds = || (one.kind, one.file).cmp(&(other.kind, other.file));
        one.start.cmp(&other.start).then_with(ends).then_with(kinds)
    });
    unite(spans, rules, is_byte && rules.unites_bytes());
    let segments = Vec::with_capacity(spans.len().saturating_mul(2));
    let mut sweep = Sweep { segments, ..Sweep::default() };
    let mut rest = spans.iter().peekable();
    while let Some(span) = rest.next() {
        sweep.end_before(span.start);
        sweep.start(span, rest.peek().copied(), rules);
    }
    sweep.end_before(Position { line: u32::MAX, column: u32::MAX });
    sweep.segments
}

/// Adds the counts of regions of one place and kind. Of different kinds the first stays. By the rules of this crate those of one file of a function
/// are of one macro of a system header, or of one that an included file has: the first is the innermost, and counts.
fn unite(spans: &mut Vec<Span>, rules: Rules, is_byte: bool) {
    if rules == Rules::Own {
        let key = |span: &Span| (span.start, span.end, span.kind, span.file);
        spans.dedup_by_key(|span| key(span));
    }
    spans.dedup_by(|span, kept| {
        let is_same = (span.start, span.end) == (kept.start, kept.end);
        if is_same && span.kind == kept.kind {
            kept.count = if is_byte { kept.count | span.count } else { kept.count.wrapping_add(span.count) };
        }
        is_same
    });
}

/// The regions that are open at a place.
#[derive(Default)]
struct Sweep {
    segments: Vec<Segment>,
    /// In the order of their starts; those that have ended stay until they are the last.
    open: Vec<(Span, bool)>,
    /// The ends of open regions, with their places in `open`: the first end, and of several the innermost region, is on top.
    ends: BinaryHeap<(Reverse<Position>, usize)>,
}

impl Sweep {
    /// Ends the regions that end before a region starts, or there.
    fn end_before(&mut self, start: Position) {
        while let Some((Reverse(end), place)) = self.ends.peek().copied()
            && end <= start
        {
            self.ends.pop();
            self.open.get_mut(place).into_iter().for_each(|(_, is_open)| *is_open = false);
            while self.open.pop_if(|(_, is_open)| !*is_open).is_some() {}
            let next = self.ends.peek().copied();
            let is_last = next.is_none_or(|(Reverse(other), _)| other != end);
            if is_last && end < start {
                // Regions of different functions may cross: then what ends next has the piece, else the innermost.
                let next =
                    next.filter(|(Reverse(other), _)| *other <= start).and_then(|(_, place)| self.open.get(place));
                match next.or(self.open.last()) {
                    Some((outer, _)) => self.push(end, *outer, false),
                    None => self.segments.push(Segment { start: end, count: None, is_entry: false, is_gap: false }),
                }
            }
        }
    }

    /// Starts a region. Of several that start at one place only the innermost has a segment. An empty one has its own, and then one of what is around it;
    /// for `llvm-cov` only that of what is around it. Before it stands one without a count if it was left out: an empty line.
    fn start(&mut self, span: &Span, next: Option<&Span>, rules: Rules) {
        let is_entry = !matches!(span.kind, SpanKind::Gap | SpanKind::Apart);
        if span.start != span.end {
            if next.is_none_or(|next| next.start != span.start) {
                self.push(span.start, *span, is_entry);
            }
            self.ends.push((Reverse(span.end), self.open.len()));
            self.open.push((*span, true));
            return;
        }
        let outer = self.open.last().map(|(outer, _)| *outer);
        if rules == Rules::Own && span.kind != SpanKind::Skipped {
            // Code that begins in a macro of a system header. Nothing of what is around it begins here.
            self.segments.push(Segment { start: span.start, count: Some(span.count), is_entry, is_gap: !is_entry });
            outer.into_iter().for_each(|outer| self.push(span.start, outer, false));
            return;
        }
        // `llvm-cov` takes an empty region for one that was left out if it is the last one.
        let is_left_out = span.kind == SpanKind::Skipped || rules != Rules::Own && next.is_none();
        if is_left_out {
            self.segments.push(Segment { start: span.start, count: None, is_entry, is_gap: false });
        }
        if let Some(outer) = outer.or((!is_left_out).then_some(*span)) {
            self.push(span.start, outer, is_entry && !is_left_out);
        }
    }

    /// Adds a segment unless nothing changes there.
    fn push(&mut self, start: Position, span: Span, is_entry: bool) {
        let count = (!matches!(span.kind, SpanKind::Skipped | SpanKind::Apart)).then_some(span.count);
        let is_gap = span.kind == SpanKind::Gap;
        if !is_entry && self.segments.last().is_some_and(|last| last.count == count && !last.is_entry) {
            return;
        }
        self.segments.push(Segment { start, count, is_entry, is_gap });
    }
}
