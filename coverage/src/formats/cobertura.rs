//! Cobertura's XML, which GitLab, Jenkins and Azure read. A directory is a package, a file a class.
//! Each line is there once, not again in its method: GitLab takes 10 MiB.

use std::fmt::Write as _;
use std::time::SystemTime;

use anyhow::Result;
use profdata::coverage::Mapping;

use crate::files::{FileReport, Report};
use crate::format::{About, Format, Pieces, Whole};
use crate::formats::xml::escaped;
use crate::lines::{sides, symbol};
use crate::paths::root;
use crate::totals::{Part, Totals};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                    <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n";

#[derive(Debug)]
pub struct Cobertura;

impl Format for Cobertura {
    fn about(&self) -> About {
        About { name: "cobertura", help: "Write Cobertura's XML", keeps_pieces: true, ..About::default() }
    }

    fn of_file(&self, file: &FileReport, pieces: &Pieces<'_>) -> Result<String> {
        Ok(class(file, pieces.mapping))
    }

    fn end(&self, whole: &Whole<'_>, classes: &[String]) -> Result<String> {
        Ok(text(whole.report, classes))
    }
}

/// Returns the document of all classes. A string takes everything, so that errors of writing cannot be.
fn text(report: &Report, classes: &[String]) -> String {
    let mut text = HEAD.to_owned();
    let Totals { lines, branches, .. } = report.totals;
    let _ = writeln!(
        text,
        "<coverage {} lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" \
         version=\"profrt {}\" timestamp=\"{}\">\n<sources><source>{}</source></sources>\n<packages>",
        rates(&report.totals),
        lines.covered,
        lines.count,
        branches.covered,
        branches.count,
        env!("CARGO_PKG_VERSION"),
        milliseconds(),
        escaped(&root().to_string_lossy())
    );
    for (directory, files) in report.by_directory(classes) {
        let mut sum = Totals::default();
        files.iter().for_each(|(file, _)| sum += file.totals);
        let name = escaped(directory);
        let _ = writeln!(text, "<package name=\"{name}\" {} complexity=\"0\">\n<classes>", rates(&sum));
        text.extend(files.iter().map(|(_, class)| *class));
        text += "</classes>\n</package>\n";
    }
    text + "</packages>\n</coverage>\n"
}

/// Returns the class of a file.
fn class(file: &FileReport, mapping: &Mapping<'_>) -> String {
    let mut class = String::new();
    let text = &mut class;
    let path = escaped(&file.path);
    let _ = writeln!(
        text,
        "<class name=\"{path}\" filename=\"{path}\" {} complexity=\"0\">\n<methods>",
        rates(&file.totals)
    );
    let sides = sides(&file.branches);
    for (start, function) in &file.functions {
        let name = function.instantiations.first().map(|(name, _)| *name).unwrap_or_default();
        let mut totals = Totals::default();
        let first = file.lines.partition_point(|(line, _)| *line < start.line);
        let lines = file.lines.iter().skip(first).take_while(|(line, _)| *line <= function.end.line);
        lines.for_each(|(_, count)| totals.lines.add(*count > 0));
        for (_, [all, ran]) in sides.range(start.line..=function.end.line.max(start.line)) {
            totals.branches.count += all;
            totals.branches.covered += ran;
        }
        let name = escaped(&symbol(mapping, name));
        let _ = writeln!(
            text,
            "<method name=\"{name}\" signature=\"\" {} complexity=\"0\"><lines/></method>",
            rates(&totals)
        );
    }
    text.push_str("</methods>\n<lines>\n");
    file.lines.iter().for_each(|one| line(text, one, sides.get(&one.0)));
    text.push_str("</lines>\n</class>\n");
    class
}

fn line(text: &mut String, (line, count): &(u32, u64), sides: Option<&[u64; 2]>) {
    let _ = match sides {
        None => writeln!(text, "<line number=\"{line}\" hits=\"{count}\" branch=\"false\"/>"),
        Some([all, ran]) => writeln!(
            text,
            "<line number=\"{line}\" hits=\"{count}\" branch=\"true\" condition-coverage=\"{}% ({ran}/{all})\"/>",
            100 * ran / all
        ),
    };
}

/// Returns the attributes of the shares that ran.
fn rates(totals: &Totals) -> String {
    // Down, so that 1 is all.
    let rate = |part: Part| {
        let parts = (10_000 * u128::from(part.covered)).checked_div(part.count.into()).unwrap_or(10_000);
        format!("{}.{:04}", parts / 10_000, parts % 10_000)
    };
    format!("line-rate=\"{}\" branch-rate=\"{}\"", rate(totals.lines), rate(totals.branches))
}

/// Returns the time that the document names: `SOURCE_DATE_EPOCH`, or now.
fn milliseconds() -> u128 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse::<u128>().ok());
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    given.map_or_else(now, |seconds| seconds.saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded_down() {
        let lines = Part { count: 30_004, covered: 30_003 };
        let totals = Totals { lines, ..Totals::default() };
        assert_eq!(rates(&totals), "line-rate=\"0.9999\" branch-rate=\"1.0000\"");
    }
}
