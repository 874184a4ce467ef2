//! What ran of each file, without what is excluded.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use profdata::coverage::{Counts, Mapping, Place, Position, Range, UnitedFunction};

use super::changes::Changes;
use super::exclude::{Exclude, Excluded, Marks, is_in};
use super::parallel;
use super::paths::{Source, source};
use super::totals::Totals;
use crate::inputs::Progress;
use crate::text::many;

/// All files.
pub(super) struct Report {
    /// By their paths.
    pub(super) files: Vec<Brief>,
    pub(super) totals: Totals,
    /// What is excluded of all files.
    pub(super) excluded: Excluded,
    /// Functions whose mappings are damaged or do not fit their records, by name hash and structural hash.
    pub(super) damaged: HashSet<(u64, u64)>,
    pub(super) notes: Vec<String>,
    /// Only lines of a change are reported.
    pub(super) is_change: bool,
}

/// What is kept of each file: all of it would be most of the memory.
pub(super) struct Brief {
    pub(super) path: String,
    pub(super) totals: Totals,
    excluded: Excluded,
    last_line: u32,
    /// The source was read.
    has_source: bool,
}

/// What to look at.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'o> {
    pub(super) mapping: &'o Mapping<'o>,
    pub(super) sources: &'o [Source],
    pub(super) exclude: &'o Exclude<'o>,
    /// Lines of these only.
    pub(super) changes: Option<&'o Changes>,
    pub(super) threads: usize,
}

/// A file.
pub(super) struct FileReport {
    pub(super) path: String,
    /// Lines with code, and how often they ran.
    pub(super) lines: Vec<(u32, u64)>,
    /// Lines with code that are excluded, and how often they ran.
    pub(super) excluded_lines: Vec<(u32, u64)>,
    pub(super) regions: Vec<(Range, u64)>,
    /// How often each condition was true, and false; `None`: it never can be.
    pub(super) branches: Vec<(Place, [Option<u64>; 2])>,
    /// For each condition whether it was shown to decide alone.
    pub(super) decisions: Vec<(Place, Vec<bool>)>,
    pub(super) functions: Vec<(Position, UnitedFunction)>,
    pub(super) totals: Totals,
    pub(super) excluded: Excluded,
    /// The source was read.
    has_source: bool,
}

/// The largest line number: no source has more lines, and a damaged mapping may.
pub(super) const LAST_LINE: u32 = 1 << 21;

impl Report {
    /// Looks at all files: threads give each to `look`, and `take` gets the results, file by file. The result does not depend on the number of
    /// threads.
    ///
    /// Errors: markers of exclusion in a source do not match; those of `take`.
    pub(super) fn of<R: Send>(
        wanted: &Wanted<'_>,
        counts: &Counts<'_>,
        look: impl Fn(FileReport) -> R + Sync,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<Report> {
        let mut report = Report {
            files: Vec::with_capacity(wanted.sources.len()),
            totals: Totals::default(),
            excluded: Excluded::default(),
            damaged: HashSet::new(),
            notes: Vec::new(),
            is_change: wanted.changes.is_some(),
        };
        let (mut wrong, mut missing) = (Vec::new(), 0);
        let progress = Progress::of_files(wanted.sources.len());
        let work = |source: &Source| {
            let mut damaged = Vec::new();
            let file = FileReport::of(source, wanted, counts, &mut damaged);
            let is_wanted = |file: &FileReport| wanted.changes.is_none() || !file.lines.is_empty();
            let file = file.map(|file| is_wanted(&file).then(|| (file.brief(), look(file))));
            progress.add_file();
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
            report.totals.add(&file.totals);
            report.excluded.add(&file.excluded);
            missing += u64::from(!file.has_source);
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
        Ok(report)
    }

    /// Returns the files of each directory, each with its part of an output: an empty one where `parts` has no more.
    pub(super) fn by_directory<'r>(&'r self, parts: &'r [String]) -> BTreeMap<&'r str, Vec<(&'r Brief, &'r str)>> {
        let mut directories = BTreeMap::<_, Vec<_>>::new();
        let parts = parts.iter().map(String::as_str).chain(std::iter::repeat(""));
        for (file, part) in self.files.iter().zip(parts) {
            let directory = Path::new(&file.path).parent().and_then(Path::to_str).unwrap_or("");
            directories.entry(directory).or_default().push((file, part));
        }
        directories
    }

    /// Returns a line for each source that has changed since all programs were linked, or is shorter than its mapping.
    pub(super) fn changed_sources(&self, programs: &[PathBuf]) -> Vec<String> {
        let modified = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        let linked = programs.iter().filter_map(|path| modified(path)).min();
        let changed = self.files.iter().filter(|file| {
            let path = Path::new(&file.path);
            let is_newer = modified(path).zip(linked).is_some_and(|(source, linked)| source > linked);
            let is_shorter = || {
                let lines = source(path).map(|text| text.split(|byte| *byte == b'\n').count());
                lines.is_some_and(|lines| file.last_line as usize > lines)
            };
            is_newer || is_shorter()
        });
        changed
            .map(|file| format!("{} has changed since a program was linked: its lines may be others", file.path))
            .collect()
    }
}

impl FileReport {
    /// Looks at a file. Errors: markers that do not match.
    pub(super) fn of(
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
            excluded_lines: Vec::new(),
            regions: united.regions,
            branches: united.branches,
            decisions: united.decisions,
            functions: united.functions,
            totals: Totals::default(),
            excluded: Excluded::default(),
            has_source: false,
        };
        let marks = wanted.exclude.marks(&file.path, || {
            let names = file.functions.iter().flat_map(|(start, function)| {
                function.instantiations.iter().map(|(name, _)| (*name, start.line, function.end.line))
            });
            names.map(|(name, first, last)| (mapping.name(name).unwrap_or(&[]), first, last)).collect()
        })?;
        file.has_source = marks.has_source;
        file.exclude(&marks);
        if let Some(changes) = wanted.changes {
            file.keep(&changes.of(&file.path).added);
        }
        file.totals = file.count();
        Ok(file)
    }

    /// Gives back memory that is not used: a page keeps all files.
    pub(super) fn shrunk(mut self) -> FileReport {
        self.regions.shrink_to_fit();
        self.branches.shrink_to_fit();
        self.functions.shrink_to_fit();
        self
    }

    fn brief(&self) -> Brief {
        let FileReport { totals, excluded, has_source, .. } = *self;
        // Of the mapping: lines beyond the end of the source have no count.
        let last_line = self.functions.iter().map(|(_, function)| function.end.line).max().unwrap_or(0);
        Brief { path: self.path.clone(), totals, excluded, last_line, has_source }
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
