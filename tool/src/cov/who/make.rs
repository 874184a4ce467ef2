//! Makes an index of profiles, of which each thread has one in memory.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Error, Result, ensure};
use indexmap::IndexSet;
use profdata::coverage::Rules;
use profdata::merge::{MergeOptions, Merger};
use profrt_coverage::load::check_kind;
use profrt_coverage::parallel;
use profrt_coverage::paths::Paths;

use super::collect::{Collected, Lines};
use super::name::Names;
use crate::cov::load;
use crate::inputs::{self, Feed, Item, Progress, display};
use crate::report::style::{Styled, WARNING};
use crate::report::{Verdict, explained, output};
use crate::text::many;

/// Makes an index, and returns the exit status. The index does not depend on the number of threads. Errors: there is no result.
pub(in crate::cov) fn run(
    inputs: &[PathBuf],
    objects: &[PathBuf],
    paths: &Paths,
    names: &Names,
    output: &Path,
) -> Result<u8> {
    let inputs = inputs::expand(inputs, Some(output));
    inputs.check_keeps("--output", output)?;
    output::check_keeps("--output", output, inputs.files().chain(objects.iter().map(PathBuf::as_path)))?;
    let programs = load::programs(objects)?;
    let (mut mapping, binaries) = (load::mapping(&programs, Rules::Own)?, load::binaries(&programs));
    mapping.set_sources(paths);
    let (sources, outside) = paths.files(&mapping)?;
    outside.into_iter().for_each(|note| complainln!("{} {note}", Styled(WARNING, "note:")));
    let lines = Lines::new(&mapping, &sources);
    let (tests, collected) = (Mutex::<IndexSet<String>>::default(), Mutex::new(Collected::new(&mapping, &sources)));
    let feed = Feed::new(&inputs.sources);
    let progress = Progress::of(&inputs, &feed, "");

    // The tests have numbers in the order of the inputs, whoever is first done.
    let next = || -> Option<(Item, u32)> {
        let mut tests = lock(&tests);
        let item = feed.next()?;
        let (test, _) = tests.insert_full(names.of(&item.name));
        Some((item, test as u32))
    };
    let work = || -> Result<()> {
        let mut buffer = Vec::new();
        while let Some((item, test)) = next() {
            let correlation = binaries.clone();
            let mut merger = Merger::new(MergeOptions { correlation, unnamed: true, ..MergeOptions::default() });
            let loaded = inputs::load(&item.content, &mut buffer);
            let added = loaded.add_to(&mut merger, item.number, &item.name, 1, binaries.as_deref());
            added.map_err(|error| Error::msg(explained(&error)))?;
            progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
            let (profile, report) = merger.finish()?;
            check_kind(&profile)?;
            let ran = lines.ran(&profile);
            let mut collected = lock(&collected);
            collected.damage.insert(item.number, inputs::damage(&report));
            if report.total.whole + report.total.salvaged > 0 {
                collected.add(test, ran);
            }
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    parallel::each(&vec![(); threads], threads, |()| work()).into_iter().collect::<Result<()>>()?;
    drop(progress);

    let collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (profiles, left_out) = (collected.profiles, collected.left_out);
    let damage: Vec<String> = collected.damage.values().flatten().cloned().collect();
    ensure!(profiles > 0, "no profile can be read\n{}", damage.join("\n"));
    let mut tests = tests.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Those without a profile, too.
    tests.extend(names.given().cloned());
    let index = collected.finish(tests.into_iter().collect());
    output::write(output, &index.bytes()?)?;
    complainln!("{}: {} in {}", display(output), many(index.tests.len() as u64, "test"), many(profiles, "profile"));
    if left_out > 0 {
        complainln!(
            "{} {} of functions that no program has as they are; profrt cov --explain lists them",
            Styled(WARNING, "note:"),
            many(left_out, "record")
        );
    }
    Ok(Verdict { damage, ..Verdict::default() }.end("cov who"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
