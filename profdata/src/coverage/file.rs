//! What a file has: the regions of all functions in it, with their counts.

use super::counts::Counts;
use super::mapping::Mapping;
use super::rules::Rules;
use super::segments::{Segment, segments};
use super::summary::{Counted, Groups, Summary};
use crate::error::Error;
use crate::flags::Flags;
use crate::read::Lookup;

/// The coverage of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FileCoverage {
    /// The segments of all functions together, in rising order; [`lines`](super::lines()) makes lines of them.
    pub segments: Vec<Segment>,
    /// The sums of the functions whose bodies are in the file.
    pub summary: Summary,
}

impl Mapping<'_> {
    /// Returns the coverage of the file with a number. Functions whose structural hash the profile does not have are left out, and those that it
    /// does not know have not run.
    ///
    /// Errors: a function of the file is damaged, or its record is of another build.
    pub fn file(&self, path: u32, counts: &Counts<'_>, rules: Rules) -> Result<FileCoverage, Error> {
        let (mut spans, mut groups) = (Vec::new(), Groups::default());
        let is_byte = counts.flags().has(Flags::BYTE_COVERAGE);
        for function in self.functions_in(path) {
            let record = match counts.find(function) {
                Lookup::HashMismatch => continue,
                Lookup::Found(record) => Some(record),
                Lookup::Unknown => None,
            };
            let regions = self.decode(function)?;
            let values = match record {
                Some(record) => regions.counts(record.counters, counts.flags(), rules)?,
                None => regions.zeros(),
            };
            let bitmap = record.map_or(&[][..], |record| record.bitmap);
            let format = counts.format();
            let counted = Counted { regions: &regions, counts: &values, bitmap, format, is_byte, rules };
            spans.extend(counted.spans(|file| regions.path(file) == path));
            groups.add(&counted, path)?;
        }
        let segments = segments(&mut spans, rules, is_byte);
        Ok(FileCoverage { segments, summary: groups.summary() })
    }
}
