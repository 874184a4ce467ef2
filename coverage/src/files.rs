//! What ran of each file, without what is excluded.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};
use profdata::coverage::{Counts, Mapping, Place, Position, Range, UnitedFunction};

use crate::changes::Changes;
use crate::exclude::{Exclude, Excluded, Marks, is_in};
use crate::parallel;
use crate::paths::{Source, is_newer};
use crate::text::many;
use crate::totals::Totals;

/// All files.
#[derive(Default)]
pub struct Report {
    /// By their paths.
    pub files: Vec<Brief>,
    /// The sums of all files.
    pub totals: Totals,
    /// What is excluded of all files.
    pub excluded: Excluded,
    /// Functions whose mappings are damaged or do not fit their records, by name hash and structural hash.
    pub damaged: HashSet<(u64, u64)>,
    /// What a reader should know of the report.
    pub notes: Vec<String>,
    /// Only lines of a change are reported.
    pub is_change: bool,
}

/// What is kept of each file: all of it would be most of the memory.
pub struct Brief {
    /// The path.
    pub path: String,
    /// Its sums.
    pub totals: Totals,
    excluded: Excluded,
    has_source: bool,
    has_changed: bool,
}

/// What to look at.
#[derive(Clone, Copy)]
pub struct Wanted<'o> {
    /// The mappings of the programs.
    pub mapping: &'o Mapping<'o>,
    /// The files, by their paths.
    pub sources: &'o [Source],
    /// What does not count.
    pub exclude: &'o Exclude,
    /// When the last program was linked: newer sources are named.
    pub linked: Option<SystemTime>,
    /// Lines of these only.
    pub changes: Option<&'o Changes>,
    /// How many threads look at files.
    pub threads: usize,
    /// Is called when a file was looked at.
    pub progress: &'o (dyn Fn() + Sync),
}

/// A file.
#[derive(Default)]
pub struct FileReport {
    /// The path.
    pub path: String,
    /// Lines with code, and how often they ran.
    pub lines: Vec<(u32, u64)>,
    /// Lines with code that are excluded, and how often they ran.
    pub excluded_lines: Vec<(u32, u64)>,
    /// Regions of code, and how often they ran.
    pub regions: Vec<(Range, u64)>,
    /// How often each condition was true, and false; `None`: it never can be.
    pub branches: Vec<(Place, [Option<u64>; 2])>,
    /// For each condition whether it was shown to decide alone.
    pub decisions: Vec<(Place, Vec<bool>)>,
    /// Functions by where they begin.
    pub functions: Vec<(Position, UnitedFunction)>,
    /// The sums.
    pub totals: Totals,
    /// What is excluded.
    pub excluded: Excluded,
    /// The source was read.
    has_source: bool,
    /// It is newer than the programs, or shorter than their mapping.
    has_changed: bool,
}

/// The largest line number: no source has more lines, and a damaged mapping may.
pub const LAST_LINE: u32 = 1 << 21;

impl Report {
    /// Looks at all files: threads give each to `look`, and `take` gets the results, file by file. The result does not depend on the number of
    /// threads.
    ///
    /// Errors: markers of exclusion in a source do not match; those of `take`.
    pub fn of<R: Send>(
        wanted: &Wanted<'_>,
        counts: &Counts<'_>,
        look: impl Fn(FileReport) -> R + Sync,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<Report> {
        let mut report = Report {
            files: Vec::with_capacity(wanted.sources.len()),
            is_change: wanted.changes.is_some(),
            ..Report::default()
        };
        let (mut wrong, mut missing, mut changed) = (Vec::new(), 0, Vec::new());
        let work = |source: &Source| {
            let mut damaged = Vec::new();
            let file = FileReport::of(source, wanted, counts, &mut damaged);
            let is_wanted = |file: &FileReport| wanted.changes.is_none() || !file.lines.is_empty();
            let file = file.map(|file| is_wanted(&file).then(|| (file.brief(), look(file))));
            (wanted.progress)();
            (damaged, file)
        };
        parallel::in_order(wanted.sources, wanted.threads, work, |(damaged, file)| {
            report.damaged.extend(damaged);
            let (file, made) = match file {
                Ok(Some(looked)) => looked,
                Ok(None) => return Ok(()),
                Err(markers) => {
                    wrong.extend(markers);
                    return Ok(());
                }
            };
            report.totals += file.totals;
            report.excluded += file.excluded;
            missing += u64::from(!file.has_source);
            changed.extend(file.has_changed.then(|| file.path.clone()));
            report.files.push(file);
            take(made)
        })?;
        if !wrong.is_empty() {
            bail!("markers do not match:\n  {}", wrong.join("\n  "));
        }
        if missing > 0 {
            report.notes.push(format!(
                "{} cannot be read: blank lines and comments in them count, and markers are not seen; --path-map says where they are",
                many(missing, "source file")
            ));
        }
        if let Some(first) = changed.first() {
            let others = match changed.len() {
                1 => String::new(),
                number => format!(" (of {number} sources)"),
            };
            report
                .notes
                .push(format!("{first}{others} has changed since the programs were linked: its lines may be others"));
        }
        Ok(report)
    }

    /// Returns the files of each directory (`.`: that of the root), each with its part of an output: an empty one where `parts` has no more.
    pub fn by_directory<'r>(&'r self, parts: &'r [String]) -> BTreeMap<&'r str, Vec<(&'r Brief, &'r str)>> {
        let mut directories = BTreeMap::<_, Vec<_>>::new();
        let parts = parts.iter().map(String::as_str).chain(std::iter::repeat(""));
        for (file, part) in self.files.iter().zip(parts) {
            let directory =
                Path::new(&file.path).parent().and_then(Path::to_str).filter(|path| !path.is_empty()).unwrap_or(".");
            directories.entry(directory).or_default().push((file, part));
        }
        directories
    }
}

impl FileReport {
    /// Looks at a file. Errors: markers that do not match.
    pub fn of(
        source: &Source,
        wanted: &Wanted<'_>,
        counts: &Counts<'_>,
        damaged: &mut Vec<(u64, u64)>,
    ) -> std::result::Result<FileReport, Vec<String>> {
        let mapping = wanted.mapping;
        let united = mapping.united(&source.numbers, counts, |function, _| {
            damaged.push((function.name_hash(), function.hash()));
        });
        let runs = united.lines.iter().filter(|run| run.last <= LAST_LINE);
        let mut file = FileReport {
            path: source.path.clone(),
            lines: runs.flat_map(|run| (run.first..=run.last).map(|line| (line, run.count))).collect(),
            regions: united.regions,
            branches: united.branches,
            decisions: united.decisions,
            functions: united.functions,
            ..FileReport::default()
        };
        let marks = wanted.exclude.marks(&file.path, || {
            let names = file.functions.iter().flat_map(|(start, function)| {
                function.instantiations.iter().map(|(name, _)| (*name, start.line, function.end.line))
            });
            names.map(|(name, first, last)| (mapping.name(name).unwrap_or(&[]), first, last)).collect()
        })?;
        file.has_source = marks.source_lines.is_some();
        // Of the mapping: lines beyond the end of the source have no count.
        let last_line = file.functions.iter().map(|(_, function)| function.end.line).max();
        file.has_changed = is_newer(&file.path, wanted.linked) || file.has_source && last_line > marks.source_lines;
        file.exclude(&marks);
        if let Some(changes) = wanted.changes {
            file.keep(&changes.of(&file.path).added);
        }
        file.totals = file.count();
        Ok(file)
    }

    /// Gives back memory that is not used: a page keeps all files.
    pub fn shrunk(mut self) -> FileReport {
        self.regions.shrink_to_fit();
        self.branches.shrink_to_fit();
        self.functions.shrink_to_fit();
        self
    }

    fn brief(&self) -> Brief {
        let FileReport { totals, excluded, has_source, has_changed, .. } = *self;
        Brief { path: self.path.clone(), totals, excluded, has_source, has_changed }
    }

    /// Takes out what is excluded.
    fn exclude(&mut self, marks: &Marks) {
        if marks.is_empty() {
            return;
        }
        let excluded = &mut self.excluded;
        self.lines.retain(|(line, count)| {
            let is_out = marks.has_line(*line);
            if is_out {
                excluded.lines.add(*count > 0);
                self.excluded_lines.push((*line, *count));
            }
            !is_out
        });
        self.functions.retain(|(start, function)| {
            let is_out = marks.has_line(start.line);
            if is_out {
                excluded.functions.add(function.count > 0);
            }
            !is_out
        });
        self.branches.retain(|(place, counts)| {
            let is_out = marks.has_branch(place.range.0.line);
            if is_out {
                counts.iter().flatten().for_each(|count| excluded.branches.add(*count > 0));
            }
            !is_out
        });
        self.regions.retain(|((start, _), _)| !marks.has_line(start.line));
        self.decisions.retain(|(place, _)| !marks.has_branch(place.range.0.line));
    }

    /// Keeps what is on some lines only.
    fn keep(&mut self, lines: &[(u32, u32)]) {
        let has = |line: u32| is_in(lines, line);
        self.lines.retain(|(line, _)| has(*line));
        self.excluded_lines.retain(|(line, _)| has(*line));
        self.functions.retain(|(start, _)| has(start.line));
        self.regions.retain(|((start, _), _)| has(start.line));
        self.branches.retain(|(place, _)| has(place.range.0.line));
        self.decisions.retain(|(place, _)| has(place.range.0.line));
    }

    fn count(&self) -> Totals {
        let mut totals = Totals::default();
        self.functions.iter().for_each(|(_, function)| totals.functions.add(function.count > 0));
        self.lines.iter().for_each(|(_, count)| totals.lines.add(*count > 0));
        self.regions.iter().for_each(|(_, count)| totals.regions.add(*count > 0));
        let sides = self.branches.iter().flat_map(|(_, counts)| counts).flatten();
        sides.for_each(|count| totals.branches.add(*count > 0));
        let conditions = self.decisions.iter().flat_map(|(_, covered)| covered);
        conditions.for_each(|covered| totals.mcdc.add(*covered));
        totals
    }
}
