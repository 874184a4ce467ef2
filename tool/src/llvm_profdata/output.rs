//! Where a command writes: standard output, or a file that is replaced as a whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::failure::Failure;
use super::path_of;
use crate::report::links::directory;
use crate::report::output::{Destination, Temporary, destination};

/// Writes to the output `name`, `-` for standard output.
pub(super) fn write(name: &[u8], content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let result = if name == b"-" {
        let mut out = BufWriter::new(io::stdout().lock());
        content(&mut out).and_then(|()| out.flush())
    } else {
        to_file(&path_of(name), content)
    };
    result.map_err(|error| Failure::of_system(if name == b"-" { b"" } else { name }, &error))
}

fn to_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        return Err(io::ErrorKind::NotFound.into()).map_err(|_: io::Error| no_such_file());
    }
    // What a link leads to is replaced, not the link.
    let path = &match destination(path)? {
        Destination::File(path) => path,
        Destination::Stream(stream) => {
            let mut out = BufWriter::new(stream);
            return content(&mut out).and_then(|()| out.flush());
        }
    };
    let existing = fs::metadata(path).ok();
    let mut builder = tempfile::Builder::new();
    builder.prefix(".llvm-profdata-");
    #[cfg(unix)]
    builder.permissions(
        existing.map_or_else(|| std::os::unix::fs::PermissionsExt::from_mode(0o666), |existing| existing.permissions()),
    );
    let temporary = match Temporary::make(&builder, directory(path)) {
        Ok(temporary) => temporary,
        // The directory takes no new files, but the file itself may be written.
        Err(_) if fs::metadata(path).is_ok() => {
            let mut out = BufWriter::new(File::create(path)?);
            return content(&mut out).and_then(|()| out.flush());
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_such_file()),
        Err(error) => return Err(error),
    };
    let mut out = BufWriter::new(temporary.file()?);
    content(&mut out).and_then(|()| out.flush())?;
    drop(out);
    temporary.persist(path)
}

/// Returns the error of a path that is not there, with the C library's words.
pub(super) fn no_such_file() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "No such file or directory")
}
