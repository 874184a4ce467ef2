//! Zip archives.

use std::io::{Read, Seek};

use profdata::error::{Error, ErrorKind};
use zip::result::ZipError;

use super::{Found, Stop, Unpacker};
use crate::inputs::printable;

impl Unpacker<'_> {
    pub(super) fn zip(&mut self, name: &str, file: impl Read + Seek, depth: usize) -> Result<(), Stop> {
        let failed = |error: Error| Stop::Failed(error.in_input(name));
        let mut archive = zip::ZipArchive::new(file).map_err(|error| failed(failure(&error)))?;
        for index in 0..archive.len() {
            let own = archive.name_for_index(index).and_then(Result::ok).map_or("?".into(), |name| name.into_owned());
            let member = format!("{name}:{}", printable(&own));
            match archive.by_index(index) {
                Ok(entry) if entry.is_dir() => {}
                Ok(entry) if entry.is_symlink() => self.found(Found::Ignored(format!("{member} (a link)")))?,
                Ok(entry) => {
                    let mut reader = self.expanding(entry);
                    let result = self.stream(&member, &mut reader, depth, true);
                    self.or_damaged(member, result)?;
                }
                // A member that is encrypted, or compressed by another method; those after it may be readable.
                Err(error) => self.or_damaged(member, Err(Stop::Failed(failure(&error))))?,
            }
        }
        // The library has read the last one of joined archives, and the last member of each name.
        let more = match (archive.offset() > 0, archive.has_duplicate_names()) {
            (true, _) => "other bytes before it",
            (_, true) => "several members of one name, of which the last counts",
            _ => return Ok(()),
        };
        let error =
            Error::new(ErrorKind::Malformed, "archive").expected("one zip archive, with a name for each member");
        Err(failed(error.found(format_args!("zip: {more}"))))
    }
}

fn failure(error: &ZipError) -> Error {
    if matches!(error, ZipError::UnsupportedArchive(why) if why.contains("ncrypted") || *why == ZipError::PASSWORD_REQUIRED)
    {
        return Error::new(ErrorKind::UncompressFailed, "encrypted archive member");
    }
    let text = printable(&error.to_string());
    Error::new(ErrorKind::UncompressFailed, "archive").found(format_args!("zip: {text}"))
}
