//! The bytes of an input.

use profdata::correlate::Correlation;
use profdata::error::Error;
use profdata::merge::Merger;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::Sink;

use super::archive::{Found, packed, unpack};
use super::feed::{Content, read_whole};

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

/// Hands out the profiles that bytes in memory are or, as an archive, have, with their names; without anything, the names of what does not count.
pub fn load_bytes(name: &str, bytes: &[u8], take: &mut dyn FnMut(&str, Option<Loaded<'_>>)) {
    if packed(bytes).is_none() {
        return take(name, Some(Loaded { bytes: Some(bytes), damage: None }));
    }
    let failed = unpack(name, bytes, &mut |found| match found {
        Found::Member { name, bytes, damage } => take(&name, Some(Loaded { bytes: Some(&bytes), damage })),
        Found::Ignored(name) => take(&name, None),
    });
    if failed.is_some() {
        take(name, Some(Loaded { bytes: None, damage: failed }));
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

    /// Adds the input with its weight, under a number and a name of its own: everything that is whole of it.
    ///
    /// Errors: its kind does not merge with those before.
    pub fn add_to(
        &self,
        merger: &mut Merger,
        number: u32,
        name: &str,
        weight: u64,
        binaries: Option<&dyn Correlation>,
    ) -> Result<(), Error> {
        merger.number_next(number);
        if let (Some(bytes), None) = (self.bytes, &self.damage) {
            return merger.add_bytes(name, weight, bytes).map(|_| ());
        }
        let mut input = merger.input(name, weight);
        let result = self.read(binaries, &mut input);
        input.finish(self.bytes.map_or(0, |bytes| bytes.len() as u64), result).map(|_| ())
    }
}
