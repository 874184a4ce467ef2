//! The bytes of an input.

use profdata::correlate::Correlation;
use profdata::error::Error;
use profdata::merge::Merger;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::Sink;

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
    /// Hands everything that is whole of the input to a sink, with what `binaries` have of it.
    ///
    /// Errors: those of the reader; what is wrong with the archive is the cause of what is wrong with the profile.
    pub fn read(&self, binaries: Option<&dyn Correlation>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
        let result = match self.bytes {
            None => Ok(()),
            // Of an archive member nothing could be read: that it is empty would be wrong.
            Some([]) if self.damage.is_some() => Ok(()),
            Some(bytes) => {
                let options = ReadOptions { salvage: true, correlation: binaries, ..ReadOptions::default() };
                read(bytes, &options, sink)
            }
        };
        self.damage.clone().map_or(result, Err)
    }

    /// Adds the input with its weight: everything that is whole of it.
    ///
    /// Errors: its kind does not merge with those before.
    pub fn add_to(
        &self,
        merger: &mut Merger,
        item: &Item,
        weight: u64,
        binaries: Option<&dyn Correlation>,
    ) -> Result<(), Error> {
        merger.number_next(item.number);
        if let (Some(bytes), None) = (self.bytes, &self.damage) {
            return merger.add_bytes(&item.name, weight, bytes).map(|_| ());
        }
        let mut input = merger.input(item.name.clone(), weight);
        let result = self.read(binaries, &mut input);
        input.finish(self.bytes.map_or(0, |bytes| bytes.len() as u64), result).map(|_| ())
    }
}
