//! Writing into the file itself, where the directory takes no new one beside it.

#![allow(unsafe_code)]

use super::publisher::Publisher;
use super::{Profile, quiet};
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, Fd, Lock};
use crate::sink::buffer::Buffer;
use crate::sink::file::File;
use crate::span::Span;

impl Publisher {
    /// No new file could be made beside the real name, or given that name: because of `refused`, the file is made under its name.
    /// A kill can leave a torn file then. It is locked, so that who finds it there waits for the rest.
    #[cold]
    #[inline(never)]
    pub(super) fn create_in_place(&mut self, refused: Error, profile: &mut Profile<'_>) -> Result {
        let new = match file::create_new(self.at(&self.real), 0o666) {
            Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
            Err(_) => return Err(refused),
            Ok(new) => new,
        };
        file::close_inherited();
        let lock = new.try_lock();
        let ours = lock != Lock::Busy && self.look_at(&new).is_ok() && self.is_still() && self.status.size == 0;
        let written = if ours {
            let quiet = quiet();
            let written = self.fill_quietly(&new, profile, None).and_then(|()| new.settle());
            drop(quiet);
            if written.is_err() {
                // One of them will work, and an empty file counts as none.
                let _ = new.set_size(0);
                let _ = file::remove(self.at(&self.real));
            }
            written
        } else {
            Err(Error::OVERTAKEN)
        };
        if lock != Lock::Busy {
            new.unlock();
        }
        written?;
        self.remember(profile, &new);
        Ok(())
    }

    /// The directory takes no new file, or the name cannot be given to one: the file itself is written to. The one case
    /// in which a kill can leave a torn file; a failing write leaves an appended-to file as it was.
    pub(super) fn write_in_place(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result {
        let size = self.status.size;
        if self.dropped.end != size {
            // What stands behind our part stays where it is: only a part of the same length takes its place. (It gets longer when a
            // site has seen a new value; then both stay.)
            if self.overwrite_part(old, profile)? {
                self.written = self.dropped.end.wrapping_sub(self.dropped.start);
                self.remember(profile, old);
                return Ok(());
            }
            self.dropped = size..size;
        }
        let offset = self.dropped.start;
        let quiet = quiet();
        old.seek(offset)?;
        let mut sink = File::new(old);
        let written = profile.content.write(None, sink.sink());
        drop(quiet);
        self.written = sink.written;
        let end = offset.wrapping_add(if written.is_ok() { self.written } else { 0 });
        if self.dropped.end == size && (written.is_err() || end < size) {
            // An unreadable rest would make readers refuse all of the file.
            old.set_size(end)?;
        }
        written?;
        self.remember(profile, old);
        Ok(())
    }

    /// Writes the profile over the part that it takes the place of, if it is as long as that: whether it is. It is put together in memory
    /// before, for a second pass over the counters and values could find more of them than one that only counts.
    fn overwrite_part(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result<bool> {
        let part = self.dropped.end.wrapping_sub(self.dropped.start);
        let len = usize::try_from(part).map_err(|_| Error::OVERFLOW)?;
        let pages = os::map_pages(len).ok_or(Error::ENOMEM)?;
        // SAFETY: fresh pages of this length, which nothing else uses, and which stay as long as the buffer is used.
        let mut buffer = unsafe { Buffer::new(pages, len) };
        let written = match profile.content.write(None, &mut buffer) {
            Err(Error::NO_SPACE) => Ok(false),
            Ok(()) if buffer.room() > 0 => Ok(false),
            Ok(()) => {
                let _quiet = quiet();
                // SAFETY: the pages, all of which were filled.
                unsafe { old.write(&[Span { start: pages, len }], part, Some(self.dropped.start)) }.map(|()| true)
            }
            Err(error) => Err(error),
        };
        os::unmap_pages(pages, len);
        written
    }
}
