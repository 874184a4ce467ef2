//! The bytes of an input.

use profdata::error::Error;

use crate::inputs::{Content, read_whole};

/// What could be read of an input.
pub(super) struct Loaded<'a> {
    /// `None`: it cannot be read at all.
    pub(super) bytes: Option<&'a [u8]>,
    /// Why its end is missing, or all of it.
    pub(super) damage: Option<Error>,
}

/// Reads the bytes of an input; those of a file go to `buffer`.
pub(super) fn load<'a>(content: &'a Content, buffer: &'a mut Vec<u8>) -> Loaded<'a> {
    match content {
        Content::File { path } => match read_whole(path, buffer) {
            Ok(()) => Loaded { bytes: Some(buffer), damage: None },
            Err(error) => Loaded { bytes: None, damage: Some(error) },
        },
        Content::Bytes { bytes, damage } => Loaded { bytes: Some(bytes), damage: damage.clone() },
        Content::Unreadable(error) => Loaded { bytes: None, damage: Some(error.clone()) },
    }
}
