//! A report in memory, for programs that want it as it is.

use anyhow::Result;
use profdata::coverage::Mapping;

use crate::account::Account;
use crate::exclude::Exclude;
use crate::files::{FileReport, Report, Wanted};
use crate::format::{Format, Pieces, Text, Whole};
use crate::load::Loaded;
use crate::paths::Paths;

/// Returns the report in some formats, with each instantiation of functions. `status`: what it says of itself, as `profrt cov` does.
///
/// Errors: no file is left, or markers in sources do not match.
pub fn texts(
    loaded: &Loaded<'_>,
    mapping: &Mapping<'_>,
    paths: &Paths,
    exclude: &Exclude,
    formats: &[&dyn Format],
    status: u8,
) -> Result<Vec<String>> {
    let (counts, _) = loaded.counts();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let sources = &paths.files(mapping)?.0;
    let wanted = Wanted { mapping, sources, exclude, linked: None, changes: None, threads, progress: &|| () };
    let pieces = Pieces { mapping, instantiations: true, is_change: false, changes: None };
    let begun = formats.iter().map(|format| (Text::new(*format), format.about().head.to_owned()));
    let mut texts: Vec<(Text<'_>, String)> = begun.collect();
    let look = |file: FileReport| formats.iter().map(|format| format.of_file(&file, &pieces)).collect::<Vec<_>>();
    let report = Report::of(&wanted, &counts, look, |pieces| {
        texts.iter_mut().zip(pieces).try_for_each(|((text, all), piece)| {
            *all += &text.add(piece?);
            Ok(())
        })
    })?;
    let account = &Account::of(loaded, mapping, &counts, &report.damaged);
    let whole = Whole { report: &report, account, comparison: None, status };
    texts.into_iter().map(|(mut text, all)| Ok(all + &text.end(&whole)?)).collect()
}
