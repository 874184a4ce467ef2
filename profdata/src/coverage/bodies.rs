//! The bodies of functions, and what of a body is of other functions: lambdas, and methods of local classes. Clang's region of a body goes over
//! them, though they are called on their own, or never.

use std::cmp::Reverse;

use super::counted::Counted;
use super::mapping::Mapping;
use super::region::{Kind, Position, Range, Regions};
use super::runs::Lines;
use super::segments::{Span, SpanKind};

/// The most bodies that are looked at for one that they are in: hostile ones are all in each other.
const MOST_NESTED: usize = 1000;

impl Regions {
    /// Returns the number of the path of the file that the body of the function is in, and where it starts there.
    pub(super) fn place_of_body(&self) -> Option<(u32, Position)> {
        let file = (0..).zip(&self.sites).find(|(_, site)| site.is_none())?.0;
        let first = self.iter().find(|region| region.file == file)?;
        Some((self.path(file), first.start))
    }

    /// Returns the file that the body of the function is in, which is the first that is no expansion, if it has the path with this number. (Of a
    /// macro in an argument of a macro the expansion can be missing.)
    pub(super) fn main_file(&self, path: u32) -> Option<u32> {
        let mut files = (0..).zip(&self.sites);
        files.find(|(_, site)| site.is_none()).map(|(file, _)| file).filter(|file| self.path(*file) == path)
    }

    /// Returns from where to where the body of the function is, if it is in the file with this number. Only clang has a region for all of it.
    pub(super) fn body(&self, path: u32) -> Option<Range> {
        let file = self.main_file(path)?;
        let mut regions = self.iter().filter(|region| region.file == file);
        let first = regions.next()?;
        let code = regions.filter(|region| matches!(region.kind, Kind::Code(_)));
        Some((first.start, code.map(|region| region.end).fold(first.end, Ord::max)))
    }
}

impl Mapping<'_> {
    /// Returns the lines that a function has in the file with this number, without those of functions and classes in its body, which is there, and
    /// without those on which the source has no code.
    pub(super) fn lines_in(&self, function: &Counted<'_>, path: u32, body: Option<Range>) -> Vec<Lines> {
        let layout = self.layout(path);
        let mut nested = body.map_or_else(Vec::new, |body| self.nested(path, body));
        nested.extend(body.zip(layout).into_iter().flat_map(|(body, layout)| layout.classes_in(body)));
        let nested =
            nested.into_iter().map(|(start, end)| Span { start, end, kind: SpanKind::Apart, file: 0, count: 0 });
        let lines = function.lines(path, nested, layout);
        match layout {
            Some(layout) => layout.keep_code(lines),
            None => lines,
        }
    }

    /// Returns the outermost bodies in a body.
    fn nested(&self, path: u32, (start, end): Range) -> Vec<Range> {
        let behind = |bodies: &[Range], is_before: &dyn Fn(&Range) -> bool| bodies.partition_point(is_before);
        let mut bodies = self.bodies(path);
        bodies = bodies.get(behind(bodies, &|(other, _)| *other <= start)..).unwrap_or(&[]);
        let mut nested = Vec::new();
        for _ in 0..MOST_NESTED {
            let Some(body) = bodies.first().filter(|(other, _)| *other < end) else { break };
            let is_in = body.1 <= end;
            nested.extend(is_in.then_some(*body));
            let next = if is_in { behind(bodies, &|(other, _)| *other < body.1).max(1) } else { 1 };
            bodies = bodies.get(next..).unwrap_or(&[]);
        }
        nested
    }

    fn bodies(&self, path: u32) -> &[Range] {
        let body = |function| self.decode(function).ok()?.body(path);
        self.bodies_of(path, || self.functions_in(path).filter_map(body).collect())
    }

    /// Returns all bodies in a file, in rising order, the outer before the inner. If they are not known yet, they are those of `all`.
    pub(super) fn bodies_of(&self, path: u32, all: impl FnOnce() -> Vec<Range>) -> &[Range] {
        let Some(bodies) = self.index().bodies(path) else { return &[] };
        bodies.get_or_init(|| {
            let mut bodies = all();
            bodies.sort_unstable_by_key(|(start, end)| (*start, Reverse(*end)));
            bodies.dedup();
            bodies
        })
    }
}
