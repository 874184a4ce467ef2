//! Output files, published whole: a reader sees the old file or the new one, never a part.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Result, ensure};
use tempfile::{Builder, NamedTempFile};

use super::links::{Place, directory, place};
use crate::text::display;

/// Beginning and end of the name of a temporary file.
const TEMPORARY: (&str, &str) = (".profrt-", ".tmp");

/// Temporary files, for the handler of signals.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit status after a signal that ends the program while it has a temporary file.
const INTERRUPTED: i32 = 130;

/// Returns whether this is the name of a temporary file, which stays when a command is killed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// Returns whether two paths are one file, or would be one. Devices and pipes are written one after the other.
pub fn is_same(one: &Path, other: &Path) -> bool {
    if is_stream(one) || is_stream(other) {
        return false;
    }
    let full = |path: &Path| match place(path) {
        Ok(Place::File(path)) => Some(directory(&path).canonicalize().ok()?.join(path.file_name()?)),
        _ => None,
    };
    let id = |path| identity(path, &fs::metadata(path).ok()?);
    one == other
        || full(one).is_some_and(|one| Some(one) == full(other))
        || id(one).is_some_and(|one| Some(one) == id(other))
}

fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Checks that the output that `option` names is none of the inputs.
///
/// Errors: it is one, and would be replaced.
pub fn check_keeps<'a>(option: &str, output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    for input in inputs {
        ensure!(!is_same(output, input), "{option} would replace the input {}; give another file", display(input));
    }
    Ok(())
}

/// Writes an output whole or not at all: what a link leads to is replaced, and `-` is standard output. Errors: those of [`Draft`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    Draft::of(path, bytes)?.publish()
}

/// Returns the numbers of a file, or of a pipe with a name, that all its names share. Whoever writes to a pipe does so once: a reader that opens it
/// again waits for ever.
#[cfg(unix)]
pub(crate) fn identity(_path: &Path, metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let has_identity = metadata.is_file() || metadata.file_type().is_fifo();
    has_identity.then(|| (metadata.dev(), metadata.ino()))
}

/// Returns a number of the path of a file without links.
#[cfg(not(unix))]
pub(crate) fn identity(path: &Path, _metadata: &Metadata) -> Option<(u64, u64)> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    path.canonicalize().ok()?.hash(&mut hasher);
    Some((0, hasher.finish()))
}

/// An output that is written, and not yet seen.
pub struct Draft {
    path: PathBuf,
    to: To,
}

enum To {
    /// Standard output, a device, a pipe, or a file that is open already.
    Stream(Box<dyn Write>, Vec<u8>),
    /// A file to be replaced, whose name is no link.
    File(BufWriter<Temporary>, PathBuf),
}

/// A temporary file, which is removed when it is dropped, and when a signal ends the program.
struct Temporary(Option<NamedTempFile>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
            files.retain(|path| path != file.path());
            drop(file);
        }
    }
}

impl Temporary {
    /// Makes a file in a directory. Errors: those of the system.
    fn make(builder: &Builder<'_, '_>, directory: &Path) -> io::Result<Temporary> {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(|| {
            // Without a handler, files stay when the program is ended.
            let _ = ctrlc::set_handler(|| {
                // The lock is never given back: no file is made any more.
                let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
                files.iter().for_each(|path| _ = fs::remove_file(path));
                std::process::exit(INTERRUPTED);
            });
        });
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let file = builder.tempfile_in(directory)?;
        files.push(file.path().to_path_buf());
        Ok(Temporary(Some(file)))
    }

    /// Returns the file. Errors: none.
    fn file(&self) -> io::Result<&fs::File> {
        self.0.as_ref().map(NamedTempFile::as_file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Gives the file its name, and the mode of the file that it replaces. Errors: those of the system.
    fn persist(mut self, path: &Path) -> io::Result<()> {
        let Some(file) = self.0.take() else { return Err(io::ErrorKind::NotFound.into()) };
        #[cfg(unix)]
        if let Ok(old) = fs::metadata(path) {
            // A file system that has no modes may refuse; then the file stays as private as it was made.
            let _ = file.as_file().set_permissions(old.permissions());
        }
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|other| other != file.path());
        file.persist(path).map(|_| ()).map_err(|error| error.error)
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an error of the system with what to do about it.
pub fn unwritable(path: &Path, error: io::Error) -> anyhow::Error {
    let name = if path == Path::new("-") { "standard output".to_owned() } else { display(path) };
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "there is no space left; make room there, or choose another place"
        }
        io::ErrorKind::FileTooLarge => {
            "no file may be so large; raise the limit (`ulimit -f`), or choose another place"
        }
        _ => "choose another place, or make it writable",
    };
    anyhow::Error::new(error).context(format!("{name} cannot be written; {remedy}"))
}

impl To {
    /// Begins to write to a path. Errors: those of the system, and those of [`place`].
    fn begin(path: &Path) -> io::Result<To> {
        let stream = |stream: Box<dyn Write>| Ok(To::Stream(stream, Vec::new()));
        if path == Path::new("-") {
            return stream(Box::new(io::stdout()));
        }
        let mut options = fs::OpenOptions::new();
        let path = match place(path)? {
            // What others have written to an open file stays.
            Place::Descriptor(path) => return stream(Box::new(options.append(true).open(path)?)),
            Place::File(path) if fs::metadata(&path).is_ok_and(|found| !found.is_file()) => {
                return stream(Box::new(options.write(true).open(path)?));
            }
            Place::File(path) => path,
        };
        let mut builder = Builder::new();
        builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
        // A new file is like any that a program creates. The file that is replaced may be private, so its successor is until it has that mode.
        #[cfg(unix)]
        let mode = if path.exists() { 0o600 } else { 0o666 };
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        let temporary = Temporary::make(&builder, directory(&path))?;
        Ok(To::File(BufWriter::with_capacity(1 << 18, temporary), path))
    }
}

impl Draft {
    /// Writes these bytes. Errors: those of [`Draft::begin`].
    pub fn of(path: &Path, bytes: &[u8]) -> Result<Draft> {
        let mut draft = Draft::begin(path)?;
        draft.add(bytes).map(|()| draft)
    }

    /// Begins an output: a file as a temporary one next to it. `-` is standard output. What a link leads to is replaced, not the link. The mode
    /// of a file that is replaced stays.
    ///
    /// Errors: those of the system, and those of [`place`].
    pub fn begin(path: &Path) -> Result<Draft> {
        let to = To::begin(path).map_err(|error| unwritable(path, error))?;
        Ok(Draft { path: path.to_path_buf(), to })
    }

    /// Checks that an output can be begun; of a pipe or device nothing is known. Errors: those of [`Draft::begin`].
    pub fn check(path: &Path) -> Result<()> {
        if is_stream(path) && !path.is_dir() { Ok(()) } else { Draft::begin(path).map(drop) }
    }

    /// Writes a part. Errors: those of the system.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.out().write_all(bytes).map_err(|error| unwritable(&self.path, error))
    }

    fn out(&mut self) -> &mut dyn Write {
        match &mut self.to {
            To::Stream(_, bytes) => bytes,
            To::File(file, _) => file,
        }
    }

    /// Writes an output by `write`. Returns what that returns.
    ///
    /// Errors: those of `write`, and those of [`Draft::begin`]; then everything is as it was.
    pub fn write<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<(Draft, T)> {
        let mut draft = Draft::begin(path)?;
        let result = write(draft.out())?;
        draft.out().flush().map_err(|error| unwritable(path, error))?;
        Ok((draft, result))
    }

    /// Returns whether this is a file, which appears at once, where a stream may take a part.
    pub fn is_file(&self) -> bool {
        matches!(self.to, To::File(..))
    }

    /// Shows the output to others. Errors: those of the system.
    pub fn publish(self) -> Result<()> {
        let done = match self.to {
            To::Stream(mut stream, bytes) => stream.write_all(&bytes).and_then(|()| stream.flush()),
            To::File(file, path) => {
                file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| file.persist(&path))
            }
        };
        done.map_err(|error| unwritable(&self.path, error))
    }
}
