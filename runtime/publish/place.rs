//! A file name whose directory is opened once: all later steps use that directory, also if a directory in the path is renamed or replaced.

use core::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::format::header::magic;
use crate::format::{Variant, WordSize};
use crate::os;
use crate::os::file::{self, At, Fd, Lock, Status};
use crate::path::{PathBuf, Text, directory, is_slash};

/// The size of the longest name in a directory, its NUL included.
pub const NAME_MAX: usize = 256;

/// A name in an opened directory.
pub struct Place<'a> {
    pub directory: Fd,
    path: &'a PathBuf,
    /// Where in the path the name begins.
    base: usize,
}

impl<'a> Place<'a> {
    /// Opens the directory of a name. Creates missing ones.
    pub fn open(path: &'a PathBuf) -> Result<Place<'a>> {
        let way = directory(path.as_bytes());
        let mut made = Ok(());
        let opened = open_directory(way).or_else(|error| {
            if error != Error::ENOENT {
                return Err(error);
            }
            made = make_directories(way);
            made.and_then(|()| open_directory(way))
        });
        made?;
        if way.len() == path.as_bytes().len() {
            return Err(if way.is_empty() { Error::ENOENT } else { Error::EISDIR });
        }
        Ok(Place { directory: opened?, path, base: way.len() })
    }

    /// Returns the name, for messages.
    pub fn name(&self) -> &[u8] {
        self.path.as_bytes()
    }

    /// Returns the name, to be looked up in the directory.
    pub fn at(&self) -> At<'_> {
        self.directory.at(self.path.path_from(self.base))
    }

    /// Returns the status of what has the name, which may be a link.
    pub fn status(&self) -> Result<Status> {
        file::status_of_name(self.at())
    }

    /// Returns whether another user (not root) may have put this link, pipe or socket here. A link is not trusted either in a directory where others
    /// can replace it. A device is trusted: only root can create one. (A pipe without a reader would block us.)
    pub fn is_untrusted(&self, status: &Status) -> bool {
        let others = |user| user != 0 && user != os::user_id();
        let can_exchange = |directory: &Status| others(directory.user) || directory.others_may_replace();
        !status.is_device() && others(status.user)
            || status.link && !self.directory.status().as_ref().is_ok_and(|now| !can_exchange(now))
    }

    /// Sets `name` to the second name.
    pub fn second_name(&self, name: &mut Text<NAME_MAX>, locked: bool) -> Result {
        name.push(b".")?;
        name.push(self.path.as_bytes().get(self.base..).unwrap_or(&[]))?;
        name.push(b".profrt")?;
        if !locked {
            name.push(b"-")?;
            name.push_number(u64::from(os::process_id()))?;
        }
        Ok(())
    }
}

// The **second name** of `NAME` is `.NAME.profrt`. A file that has it was left by a killed writer, or is the old file that a writer has not
// removed yet. Whoever has locked the file with the name creates and frees the second name. A writer whose exchange is done may still remove it
// once, while the next writer has locked the new file: that hits the old file, or the next writer's file before its exchange, which then fails,
// so that this writer starts over. Where files cannot be locked, the second name ends in the process number. (In `closed` the file with
// the second name is the lock.)

/// Gives the new file, which has the second name, the name of the old one, and removes the old one.
pub fn exchange(place: &Place<'_>, second: At<'_>, new: &Fd) -> Result {
    let name = place.at();
    let exchanged = match file::exchange(second, name) {
        Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP) => file::rename(second, name),
        // Gone by then: the next owner of the lock was faster.
        Ok(()) => match file::remove(second) {
            Ok(()) | Err(Error::ENOENT) => return Ok(()),
            // A rename removes the file that it replaces where a sandbox lets nothing else do that: the old one has to be back under the name.
            Err(_) if file::exchange(second, name).is_ok() => file::rename(second, name),
            Err(_) => return Ok(()),
        },
        other => other,
    };
    exchanged.map_err(|error| {
        discard(second, new);
        if error == Error::ENOENT { Error::OVERTAKEN } else { error }
    })
}

/// Removes what has the second name. A stranger may have put a directory there: then no new file can take the name.
pub fn free(second: At<'_>) -> Result {
    match file::remove(second) {
        Ok(()) | Err(Error::ENOENT) => Ok(()),
        Err(_) => Err(Error::EBUSY),
    }
}

/// Removes a new file that does not get the name. One that cannot be removed is emptied: readers of the directory would count it.
pub fn discard(second: At<'_>, new: &Fd) {
    if !matches!(file::remove(second), Ok(()) | Err(Error::ENOENT)) {
        let _ = new.set_size(0);
    }
}

/// Opens a directory; an empty name is the working directory. Not inlined: its copy of the name takes stack only here.
#[inline(never)]
fn open_directory(name: &[u8]) -> Result<Fd> {
    match name {
        b"" => file::open_directory(c".".into()),
        directory => {
            let mut name = PathBuf::new();
            name.push(directory)?;
            file::open_directory(name.as_path())
        }
    }
}

/// Creates all missing directories in `path`, up to its last `/`, with the mode that the program has set.
#[inline(never)]
pub fn make_directories(path: &[u8]) -> Result {
    let mode = os::DIRECTORY_MODE.load(Ordering::Relaxed);
    let mut name = PathBuf::new();
    let mut result = Ok(());
    for (at, byte) in path.iter().enumerate() {
        if is_slash(*byte) && at > 0 {
            name.set(path.get(..at).unwrap_or(&[]))?;
            // An outer directory may exist where we may not create one: only the last result counts, or why it has no directory to be in.
            result = match (result, file::make_directory(name.as_path(), mode)) {
                (Err(reason), Err(Error::ENOENT)) => Err(reason),
                (_, made) => made,
            };
        }
    }
    result
}

/// Removes the file of an earlier run. One whose mode or owner is not that of a new file is emptied instead, so that both stay; so is a raw
/// profile that a link leads to. A locked file is not emptied.
pub fn remove_old(path: &PathBuf) -> Result {
    let status = file::status_of_name(path.as_path().into())?;
    if status.link {
        let place = Place::open(path)?;
        if place.is_untrusted(&place.status()?) || !file::status(place.at())?.regular {
            return Ok(());
        }
        let target = file::open_or_create(place.at())?;
        return if is_raw(&target)? { empty(&target) } else { Ok(()) };
    }
    if !status.regular {
        return Ok(());
    }
    if status.is_usual() && status.user == os::user_at_start() && file::remove(path.as_path().into()).is_ok() {
        return Ok(());
    }
    let old = file::open_for_appending(path.as_path().into())?;
    // One of several hard links: the file may be something else, so only this name is removed.
    if old.status()?.links > 1 { file::remove(path.as_path().into()) } else { empty(&old) }
}

/// Empties a file, unless another process is writing to it.
fn empty(file: &Fd) -> Result {
    if !matches!(file.try_lock(), Lock::Busy | Lock::HeldByReader) {
        file.set_size(0)?;
        file.unlock();
    }
    Ok(())
}

/// Returns the raw version of the first profile in a file; 0: it does not begin as raw profiles of this machine do.
#[inline(never)]
pub fn raw_version(file: &Fd) -> Result<u32> {
    const MAGIC: [u8; 8] = magic(WordSize::NATIVE).to_ne_bytes();
    let mut begin = [0; 16];
    file.read_at(&mut begin, 0)?;
    let (first, version) = (begin.first_chunk(), begin.last_chunk());
    let version = version.map_or(0, |version| Variant(u64::from_ne_bytes(*version)).number() as u32);
    Ok(if first == Some(&MAGIC) { version } else { 0 })
}

/// Returns whether a file begins as raw profiles of this machine do.
pub fn is_raw(file: &Fd) -> Result<bool> {
    raw_version(file).map(|version| version != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_made_has_a_reason() {
        // Nobody may make a directory there, and the one below it is missing for this reason.
        let outer = make_directories(b"/sys/profrt/");
        assert!(outer.is_err_and(|error| error != Error::ENOENT));
        assert_eq!(make_directories(b"/sys/profrt/inner/"), outer);
    }
}
