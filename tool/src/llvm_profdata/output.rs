//! Where a command writes: standard output, or a file that is replaced as a whole.

use std::io::{self, Write};

use super::failure::Failure;
use super::path_of;
use crate::report::links::{Place, place};
use crate::report::output;

/// Writes to the output `name`, `-` for standard output.
pub(super) fn write(name: &[u8], content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let written =
        content(&mut bytes).and_then(|()| if name.is_empty() { Err(no_such_file()) } else { whole(name, &bytes) });
    written.map_err(|error| Failure::of_system(if name == b"-" { b"" } else { name }, &error))
}

fn whole(name: &[u8], bytes: &[u8]) -> io::Result<()> {
    let path = path_of(name);
    output::write(&path, bytes).or_else(|error| match error.downcast::<io::Error>() {
        Ok(error) if error.kind() == io::ErrorKind::NotFound => Err(no_such_file()),
        Ok(error) if error.kind() == io::ErrorKind::PermissionDenied => match place(&path) {
            // The directory takes no new files, but the file itself may be written.
            Ok(Place::File(path)) if path.is_file() => std::fs::write(path, bytes),
            _ => Err(error),
        },
        Ok(error) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    })
}

/// Returns the error of a path that is not there, with the C library's words.
pub(super) fn no_such_file() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "No such file or directory")
}
