//! Output files, published whole: a reader sees the old file or the new one, never a part.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::Builder;

use crate::inputs::display;

/// Beginning and end of the name of a temporary file.
const TEMPORARY: (&str, &str) = (".profrt-", ".tmp");

/// Returns whether this is the name of a temporary file, which stays when a command is killed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// Writes a file by `write`, in a temporary file next to it, and then gives that its name. `-` is standard output; devices and pipes are
/// written as they are. Returns what `write` returns.
///
/// Errors: those of `write` and of the system; then the old file is as it was.
pub fn publish<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    if path == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        let result = write(&mut out)?;
        out.flush().context("standard output cannot be written")?;
        return Ok(result);
    }
    let cannot = || format!("{} cannot be written; choose another place with -o, or make room there", display(path));
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path).with_context(cannot)?);
        let result = write(&mut out)?;
        out.flush().with_context(cannot)?;
        return Ok(result);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    // Like a file that a program creates, not like a secret one.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let temporary = builder.tempfile_in(directory).with_context(cannot)?;
    let mut out: BufWriter<&File> = BufWriter::with_capacity(1 << 18, temporary.as_file());
    let result = write(&mut out)?;
    out.flush().with_context(cannot)?;
    drop(out);
    temporary.persist(path).map_err(|error| error.error).with_context(cannot)?;
    Ok(result)
}
