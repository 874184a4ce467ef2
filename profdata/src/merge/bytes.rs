//! Inputs as bytes of any format.

use super::Merger;
use crate::error::Error;
use crate::finding::Outcome;
use crate::read::raw::is_raw;
use crate::read::{ReadOptions, read};

impl Merger {
    /// Adds an input of any format, with all its counts multiplied by `weight`: everything that is whole of it. `name` stands in the report.
    /// Returns what became of it.
    ///
    /// Errors: [`crate::error::ErrorKind::Incompatible`]: its kind does not merge with those before. Any other damage is in the report.
    pub fn add_bytes(&mut self, name: &str, weight: u64, bytes: &[u8]) -> Result<Outcome, Error> {
        if crate::read::detect(bytes) == Some(crate::read::Detected::Partial) {
            return match self.add_partial(name, weight, bytes) {
                // Its header cannot be read, so nothing was added.
                Err(error) if error.kind() != crate::error::ErrorKind::Incompatible => {
                    self.input(name, weight).finish(bytes.len() as u64, Err(error))
                }
                result => result,
            };
        }
        let correlation = self.options.correlation.clone();
        let options = ReadOptions { salvage: true, release: None, correlation: correlation.as_deref() };
        let mut input = self.input(name, weight);
        let added = if is_raw(bytes) { input.add_sections(bytes) } else { Ok(false) };
        let result = added.and_then(|added| if added { Ok(()) } else { read(bytes, &options, &mut input) });
        input.finish(bytes.len() as u64, result)
    }
}
