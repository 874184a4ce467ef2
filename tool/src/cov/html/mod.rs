//! A page for people: what ran of which source, to be opened in a browser from a disk.
//!
//! It asks for nothing from elsewhere, and shows names and sources as texts only. [`file`] packs what it knows of a file. The page is one
//! file ([`page::block`]), or a directory ([`directory`]). Its shell, style and scripts are in `tool/templates/cov`.

pub(super) mod detail;
mod directory;
pub(super) mod file;
mod origin;
mod pack;
pub(super) mod shell;
mod source;
mod who;

use std::path::Path;

use anyhow::Result;
use profdata::coverage::{Counts, Mapping};
use serde::Serialize;

use crate::page;
use crate::report::output;
use file::File;
use origin::Origin;
use profrt_coverage::account::{Account, LeftOut};
use profrt_coverage::comparison::{self, Comparison};
use profrt_coverage::exclude::Excluded;
use profrt_coverage::files::{FileReport, Report};
use profrt_coverage::lines;
use profrt_coverage::parallel;
use profrt_coverage::paths::Source;
use profrt_coverage::totals::{ALL, Totals};
pub(super) use who::Tests;

/// Sources whose data are in one block of the page have so many bytes, but for the last of them: the more, the better they are compressed,
/// and the later one is shown.
const BLOCK: usize = 1 << 18;

/// The most names of records of a class that is not counted.
const MOST_NAMES: usize = 200;

/// What the page shows.
pub(super) struct Shown<'r> {
    pub(super) report: &'r Report,
    /// All of the report.
    pub(super) files: &'r [FileReport],
    pub(super) account: &'r Account,
    pub(super) comparison: Option<&'r Comparison>,
    pub(super) tests: Option<&'r Tests<'r>>,
    pub(super) mapping: &'r Mapping<'r>,
    pub(super) counts: &'r Counts<'r>,
    /// All files of the mapping, by their paths.
    pub(super) sources: &'r [Source],
    pub(super) threads: usize,
}

/// Shows a page that is written to others. Errors: those of the system.
pub(super) type Publish = Box<dyn FnOnce() -> Result<()>>;

/// What the page knows before a file is opened.
#[derive(Serialize)]
struct Index<'r> {
    /// The directory of the data; `None`: they are in the page.
    data: Option<&'r str>,
    #[serde(flatten)]
    origin: Origin,
    /// What is counted, by names in the order of the numbers of files.
    parts: [&'static str; 5],
    totals: &'r Totals,
    excluded: &'r Excluded,
    /// Only lines of a change are reported.
    is_change: bool,
    /// What a reader should know.
    notes: &'r [String],
    /// Records that are not counted.
    left_out: Vec<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'r Comparison>,
    /// The names of the categories of a baseline, by their numbers.
    categories: [String; 12],
    /// The name of each test, how many lines it ran, and how many of these no other test ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<(&'r str, u64, u64)>>,
    /// The path, the number of lost lines, the number of the block, and of each part how much ran and how much there is.
    files: Vec<(&'r str, usize, usize, [u64; 10])>,
}

/// Writes a page: one file if the name ends in `.html` or is standard output, else a directory.
///
/// Errors: those of the system, and those of the directory.
pub(super) fn draft(to: &Path, shown: &Shown<'_>) -> Result<Publish> {
    if is_file(to) {
        let page = shown.one_file()?;
        let draft = output::Draft::of(to, page.as_bytes())?;
        return Ok(Box::new(|| draft.publish()));
    }
    let numbers: Vec<usize> = (0..shown.files.len() + shown.parts()).collect();
    let data = parallel::each(&numbers, shown.threads, |number| {
        Ok(format!("profrt({number},{})\n", page::quoted(&shown.data(*number)?)))
    });
    let data = data.into_iter().collect::<Result<Vec<String>>>()?;
    let draft = directory::write(to, &data, |name| shown.page(Some(name), &numbers, &[]))?;
    Ok(Box::new(|| draft.publish()))
}

/// Checks that a page can be written. Errors: those of [`draft`].
pub(super) fn check(to: &Path) -> Result<()> {
    if is_file(to) { output::Draft::check(to) } else { directory::check(to) }
}

fn is_file(to: &Path) -> bool {
    to == Path::new("-") || to.extension().is_some_and(|extension| extension == "html" || extension == "htm")
}

impl Shown<'_> {
    /// Returns how many parts are behind those of the files.
    fn parts(&self) -> usize {
        self.tests.map_or(0, Tests::parts)
    }

    /// Returns what the page loads by a number, as JSON: what is known of a file, or behind the files a part of the tests.
    fn data(&self, number: usize) -> Result<String> {
        let Some(file) = self.files.get(number) else {
            return self.tests.map_or(Ok(String::new()), |tests| tests.part(number - self.files.len()));
        };
        let place = self.sources.binary_search_by(|source| source.path.cmp(&file.path));
        let numbers = place.ok().and_then(|place| self.sources.get(place)).map_or(&[][..], |source| &source.numbers);
        let categories = self.comparison.and_then(|comparison| comparison.categories.get(&file.path));
        let (categories, tests) =
            (categories.map_or(&[][..], Vec::as_slice), self.tests.and_then(|tests| tests.of_file(number)));
        let file = File::of(file, numbers, categories, tests, self.mapping, self.counts);
        Ok(serde_json::to_string(&file)?)
    }

    /// Returns a page with all data in it. Neighbors share blocks: they have words in common.
    fn one_file(&self) -> Result<String> {
        let sizes = self.files.iter().map(|file| std::fs::metadata(&file.path).map_or(0, |found| found.len() as usize));
        let (mut blocks, mut size): (Vec<Vec<usize>>, usize) = (Vec::new(), BLOCK);
        for (number, bytes) in sizes.enumerate() {
            size += bytes;
            match blocks.last_mut().filter(|_| size < BLOCK) {
                Some(block) => block.push(number),
                None => {
                    blocks.push(vec![number]);
                    size = bytes;
                }
            }
        }
        let block_of: Vec<usize> =
            blocks.iter().enumerate().flat_map(|(block, numbers)| numbers.iter().map(move |_| block)).collect();
        blocks.extend((0..self.parts()).map(|part| vec![self.files.len() + part]));
        let packed = parallel::each(&blocks, self.threads, |numbers| {
            let data = numbers.iter().map(|number| self.data(*number)).collect::<Result<Vec<String>>>()?;
            page::block(format!("[{}]", data.join(",\n")).as_bytes())
        });
        let packed = packed.into_iter().collect::<Result<Vec<String>>>()?;
        self.page(None, &block_of, &packed)
    }

    fn page(&self, data: Option<&str>, block_of: &[usize], blocks: &[String]) -> Result<String> {
        let report = self.report;
        let files = self.files.iter().zip(block_of).map(|(file, block)| {
            let lost = self.comparison.and_then(|comparison| comparison.lost.get(&file.path)).map_or(0, Vec::len);
            let mut numbers = [0; 10];
            let parts = ALL.iter().map(|what| file.totals.part(*what)).flat_map(|part| [part.covered, part.count]);
            numbers.iter_mut().zip(parts).for_each(|(number, part)| *number = part);
            (file.path.as_str(), lost, *block, numbers)
        });
        let left_out = self.account.left_out(|hash| lines::name(self.mapping, hash)).into_iter();
        let index = Index {
            data,
            origin: Origin::of(self.files),
            notes: &report.notes,
            parts: ALL.map(|what| what.name()),
            totals: &report.totals,
            excluded: &report.excluded,
            is_change: report.is_change,
            left_out: left_out.map(|left_out| left_out.shortened(MOST_NAMES)).collect(),
            baseline: self.comparison,
            categories: comparison::ALL.map(|category| category.name()),
            tests: self.tests.map(Tests::rows),
            files: files.collect(),
        };
        shell::page(&serde_json::to_string(&index)?, blocks)
    }
}
