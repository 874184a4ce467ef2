//! What is known of a function that has counted. Its regions are read once, and at each tick only what counted is looked at again.

use profdata::coverage::{self, Mapping, Regions};

use crate::cov::live::functions::{Function, Functions, Sums};
use crate::cov::live::marks::Mark;
use crate::cov::who::collect::{Lines, Run};
use profrt_coverage::lines;

/// A function.
pub(super) struct Known<'m> {
    pub(super) name: String,
    /// The line where it starts.
    pub(super) line: u32,
    /// How often it was called between the last two ticks at which it counted.
    pub(super) calls: u64,
    /// One in most programs, more if several programs have it.
    bodies: Vec<Body<'m>>,
    /// The number of the mark since which `since` is.
    mark: u64,
}

/// A function as a program has it. Of the counts of all regions: which are above 0?
struct Body<'m> {
    mapped: &'m coverage::Function<'m>,
    regions: Regions,
    all: Vec<bool>,
    since: Vec<bool>,
    moving: Vec<bool>,
    /// The lines of what is moving: the places of sources, first and last lines; `None` until somebody asks.
    lines: Option<Vec<Run>>,
}

impl<'m> Known<'m> {
    /// Reads a function of which nothing has run. Damaged mappings are left out.
    pub(super) fn of((name, hash): (u64, u64), mapping: &'m Mapping<'m>) -> Known<'m> {
        let fitting = mapping.functions_named(name).filter(|mapped| mapped.hash() == hash && !mapped.is_dummy());
        let body = |mapped| {
            let regions = mapping.decode(mapped).ok()?;
            let (all, since, moving) = Default::default();
            Some(Body { mapped, regions, all, since, moving, lines: None })
        };
        let bodies: Vec<Body<'_>> = fitting.filter_map(body).collect();
        let start = bodies.first().and_then(|body| body.regions.iter().next());
        let line = start.map_or(0, |region| region.start.line);
        Known { name: lines::name(mapping, name), line, calls: 0, bodies, mark: 0 }
    }

    /// Takes the counts of now. Returns whether other regions have run than before, in all or since the mark.
    pub(super) fn update(&mut self, function: &Function, functions: &Functions, before: &Sums, mark: &Mark) -> bool {
        let mut is_new = functions.bitmap(function) != before.bitmaps.get(function.bitmap.clone()).unwrap_or_default();
        let counters = functions.counters(function);
        let (since, moved) = (functions.since(function, &mark.sums), functions.since(function, before));
        let is_other_mark = self.mark != mark.number;
        (self.mark, self.calls) = (mark.number, 0);
        for (place, body) in self.bodies.iter_mut().enumerate() {
            let counts = |counters| body.regions.certain_counts(counters, functions.flags()).unwrap_or_default();
            let ran = |counts: &[[u64; 2]]| counts.iter().flatten().map(|count| *count > 0).collect::<Vec<bool>>();
            let all = ran(&counts(counters));
            let since = if since == counters { all.clone() } else { ran(&counts(&since)) };
            let moved = counts(&moved);
            if place == 0 {
                self.calls = moved.first().map_or(0, |[count, _]| *count);
            }
            is_new |= is_other_mark || body.all != all || body.since != since;
            (body.all, body.since) = (all, since);
            let moving = ran(&moved);
            if body.moving != moving {
                (body.moving, body.lines) = (moving, None);
            }
        }
        is_new
    }

    /// Returns the lines that ran between the last two ticks, of a function that counted between them.
    pub(super) fn lines(
        &mut self,
        function: &Function,
        functions: &Functions,
        before: &Sums,
        lines: &Lines<'m>,
    ) -> impl Iterator<Item = &Run> {
        self.bodies.iter_mut().flat_map(move |body| {
            let lines = body.lines.get_or_insert_with(|| {
                let moved = functions.since(function, before);
                lines.of(body.mapped, &moved, functions.flags(), false).unwrap_or_default()
            });
            lines.iter()
        })
    }
}
