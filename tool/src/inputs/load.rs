//! The bytes of an input.

use profdata::error::Error;
use profdata::merge::Merger;
use profdata::read::{ReadOptions, read};

use super::feed::{Content, Item, read_whole};

/// What could be read of an input.
pub struct Loaded<'a> {
    /// `None`: it cannot be read at all.
    pub bytes: Option<&'a [u8]>,
    /// Why its end is missing, or all of it.
    pub damage: Option<Error>,
}

/// Reads the bytes of an input; those of a file go to `buffer`.
pub fn load<'a>(content: &'a Content, buffer: &'a mut Vec<u8>) -> Loaded<'a> {
    match content {
        Content::File { path } => match read_whole(path, buffer) {
            Ok(()) => Loaded { bytes: Some(buffer), damage: None },
            Err(error) => Loaded { bytes: None, damage: Some(error) },
        },
        Content::Bytes { bytes, damage } => Loaded { bytes: Some(bytes), damage: damage.clone() },
        Content::Unreadable(error) => Loaded { bytes: None, damage: Some(error.clone()) },
    }
}

impl Loaded<'_> {
    /// Adds the input with its weight: everything that is whole of it.
    ///
    /// Errors: its kind does not merge with those before.
    pub fn add_to(&self, merger: &mut Merger, item: &Item, weight: u64) -> Result<(), Error> {
        merger.number_next(item.number);
        if let (Some(bytes), None) = (self.bytes, &self.damage) {
            return merger.add_bytes(&item.name, weight, bytes).map(|_| ());
        }
        let bytes = self.bytes.unwrap_or(&[]);
        let mut input = merger.input(item.name.clone(), weight);
        let salvage = ReadOptions { salvage: true, release: None };
        let mut result = if bytes.is_empty() { Ok(()) } else { read(bytes, &salvage, &mut input) };
        // What is wrong with the archive is the cause of what is wrong with the profile.
        if let Some(damage) = &self.damage {
            result = Err(damage.clone());
        }
        input.finish(bytes.len() as u64, result).map(|_| ())
    }
}
