//! What the page knows of a file, packed ([`pack`](super::pack)).

use indexmap::IndexSet;
use profdata::coverage::{Counts, Mapping};
use serde::Serialize;

use super::detail::{self, Decision, Instances};
use super::pack::{Instance, Packer, Pieces, runs};
use super::source::Source;
use super::who;
use profrt_coverage::comparison::Category;
use profrt_coverage::files::FileReport;
use profrt_coverage::lines::name_of_all;

/// A file.
#[derive(Serialize)]
pub(in crate::cov) struct File {
    /// `None`: the source cannot be read.
    source: Option<String>,
    /// Runs of lines with code, and their counts.
    lines: Vec<u64>,
    /// Runs of lines that are excluded, and whether they ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluded: Vec<u64>,
    /// Runs of lines, and the numbers of their categories. With a baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    categories: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<who::Packed>,
    #[serde(flatten)]
    pieces: Pieces,
    /// Where the macros with branches are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    macros: Vec<(String, u32)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<Decision>,
    functions: Vec<Function>,
}

/// A function: its name, the line after the start of the one before, the number of further lines, how often it was called, and its
/// instantiations, if there are several.
#[derive(Serialize)]
pub(super) struct Function(String, u32, u32, u64, #[serde(skip_serializing_if = "Vec::is_empty")] Vec<Instance>);

impl File {
    /// Packs a file, which has these numbers in the mapping.
    pub(in crate::cov) fn of(
        file: &FileReport,
        numbers: &[u32],
        categories: &[(u32, Category)],
        tests: Option<who::Packed>,
        mapping: &Mapping<'_>,
        counts: &Counts<'_>,
    ) -> File {
        let source = Source::read(&file.path);
        let mut packer = Packer { source: source.as_ref(), macros: IndexSet::new(), mapping };
        let mut instances = Instances::of(file, numbers, &mut packer, counts);
        let decisions = detail::decisions(file, numbers, &packer, counts);
        let mut before = 0;
        let functions = file.functions.iter().map(|(start, function)| {
            let skipped = start.line.saturating_sub(before);
            before = start.line;
            let lines = function.end.line.saturating_sub(start.line);
            Function(name_of_all(mapping, function), skipped, lines, function.count, instances.take(function.end))
        });
        let functions = functions.collect();
        let pieces = packer.pieces(&file.lines, &file.regions, &file.branches);
        let excluded = file.excluded_lines.iter().map(|(line, count)| (*line, u64::from(*count > 0)));
        File {
            lines: runs(file.lines.iter().copied()),
            excluded: runs(excluded),
            categories: runs(categories.iter().map(|(line, category)| (*line, *category as u64))),
            tests,
            pieces,
            macros: packer.macros.into_iter().collect(),
            decisions,
            functions,
            source: source.as_ref().map(Source::text),
        }
    }
}
