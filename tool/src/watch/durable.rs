//! Files that are whole and stay, also when the machine stops: written under a temporary name, synced, renamed, and the directory synced.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use super::files::head;
use crate::inputs::{display, is_profile_name};
use crate::report::json::is_report;
use crate::report::links::{Place, place};
use crate::report::output::is_same;

/// The paths of what a watcher writes, all in the directory of its output.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) output: PathBuf,
    /// The sum, and the list of what is in it.
    pub(super) state: PathBuf,
    lock: PathBuf,
    pub(super) report: Option<PathBuf>,
}

impl Places {
    /// Returns the places for an output and a report, behind links. Errors: a directory does not exist, or a path is of no file.
    pub(super) fn new(output: &Path, report: Option<&Path>) -> io::Result<Places> {
        let output = resolved(output)?;
        let sibling = |ending: &str| {
            let mut name = output.file_name().unwrap_or_default().to_os_string();
            name.push(ending);
            resolved(&output.with_file_name(name))
        };
        let (state, lock) = (sibling(".watch")?, sibling(".watch.lock")?);
        let report = report.map(resolved).transpose()?;
        Ok(Places { output, state, lock, report })
    }

    /// Errors: the report would replace one of the other files, or a file that is no report, such as an input.
    pub(super) fn check_report(&self, root: &Path) -> Result<()> {
        let Some(report) = &self.report else { return Ok(()) };
        let own = [&self.output, &self.state, &self.lock];
        let temporary = own.map(|path| temporary(path));
        ensure!(
            !own.into_iter().chain(&temporary).any(|own| is_same(report, own)),
            "--report and {} are one file; give the report another one",
            display(&self.output)
        );
        let head = match head(report) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            result => result?,
        };
        let is_named_otherwise = !report.starts_with(root) && !is_profile_name(report.as_os_str().as_encoded_bytes());
        ensure!(
            is_report(&head) || head.is_empty() && is_named_otherwise,
            "--report would replace {}, which is no report; give the report another file",
            display(report)
        );
        Ok(())
    }

    /// Returns whether a path is one of these.
    pub(super) fn has(&self, path: &Path) -> bool {
        [&self.output, &self.state, &self.lock].into_iter().chain(&self.report).any(|own| own == path)
    }

    /// Takes the lock that only one watcher has, until the file is closed. `None`: another one has it. Errors: those of the system.
    ///
    /// The file stays: with it removed, two watchers could have a lock each.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        // A link may be another user's, who wants a file made where it leads to.
        let flags = NO_WAIT | OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().create(true).truncate(false).write(true).custom_flags(flags).open(&self.lock)?;
        check_kind(&file)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// An open that does not wait for the other end of a pipe.
const NO_WAIT: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// Errors: this is a pipe, a device, or a directory.
fn check_kind(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { Ok(()) } else { Err(io::Error::other("it is no file")) }
}

/// Returns the bytes of a file. Errors: those of the system; it is no regular file.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(NO_WAIT).open(path)?;
    check_kind(&file)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the path of a file, with all links resolved. Errors: those of [`place`]; it is no regular file.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let path = match place(path)? {
        Place::File(path) => path,
        Place::Descriptor(path) => return Err(io::Error::other(format!("{} is no file", display(&path)))),
    };
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = parent.canonicalize()?.join(name);
    match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other(format!("{} is no file", display(&path)))),
        _ => Ok(path),
    }
}

/// Returns the temporary name of a file.
fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".profrt-tmp");
    path.with_file_name(name)
}

/// Puts bytes in the place of a file, whose mode stays. When this returns, no crash of the machine brings the old file back.
///
/// Only one process writes the file, so that the temporary name is always the same: what a kill leaves is replaced the next time. Errors: the
/// old file is as it was; or the new one is there, and may not be durable.
pub(super) fn publish(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let written = (|| {
        // The temporary name may be a link that another user created.
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let old = fs::metadata(path);
        // The old file may be private.
        let mode = if old.is_ok() { 0o600 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        if let Ok(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The disk may be full: removing the leftover frees space.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_directory(path.parent().unwrap_or(Path::new("/")))
}

/// Makes the names in a directory durable. Errors: those of the system; not that the file system cannot do it.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|directory| directory.sync_all()) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}
