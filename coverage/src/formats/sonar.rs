//! SonarQube's generic XML: of each line whether it ran, and how many sides of its branches did.

use std::fmt::Write as _;

use anyhow::Result;

use crate::files::FileReport;
use crate::format::{About, Format, Pieces, Whole};
use crate::formats::xml::escaped;
use crate::lines::sides;

#[derive(Debug)]
pub struct Sonar;

impl Format for Sonar {
    fn about(&self) -> About {
        About {
            name: "sonar",
            help: "Write SonarQube's generic XML",
            head: "<coverage version=\"1\">\n",
            ..About::default()
        }
    }

    fn of_file(&self, file: &FileReport, _: &Pieces<'_>) -> Result<String> {
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

    fn end(&self, _: &Whole<'_>, _: &[String]) -> Result<String> {
        Ok("</coverage>\n".to_owned())
    }
}
