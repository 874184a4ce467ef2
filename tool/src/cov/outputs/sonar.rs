//! SonarQube's generic XML: of each line whether it ran, and how many sides of its branches did.

use std::fmt::Write as _;

use anyhow::Result;

use super::cobertura::escaped;
use super::{Format, Pieces};
use crate::cov::files::FileReport;
use crate::cov::lines::sides;

pub(super) const FORMAT: Format = Format {
    name: "sonar",
    help: "Write SonarQube's generic XML",
    head: "<coverage version=\"1\">\n",
    of_file,
    end: |_, _| Ok("</coverage>\n".to_owned()),
    ..Format::NONE
};

fn of_file(file: &FileReport, _: &Pieces<'_>) -> Result<String> {
    let mut text = format!("<file path=\"{}\">\n", escaped(&file.path));
    let sides = sides(&file.branches);
    for (line, count) in &file.lines {
        write!(text, "<lineToCover lineNumber=\"{line}\" covered=\"{}\"", *count > 0)?;
        if let Some([all, ran]) = sides.get(line) {
            write!(text, " branchesToCover=\"{all}\" coveredBranches=\"{ran}\"")?;
        }
        text += "/>\n";
    }
    Ok(text + "</file>\n")
}
