//! Writes into the profile file itself: where its directory allows no new file or no renaming, where the file is a mount point, where
//! the system does not tell its real name, where a share is appended and the disk has no space for a copy of the file; and into devices,
//! pipes, and files that a process has open.

#![allow(unsafe_code)]

use super::content::Publication;
use super::fill::without_size_signal;
use super::fingerprint::make_distinct;
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Lock};
use crate::os::{self, Deadline, WriteSignalsBlocked};
use crate::sink::buffer::Buffer;
use crate::sink::file::File;
use crate::span::Span;

impl Publisher {
    /// Creates the file under its real name, because no temporary file could be created or renamed (`refused`). A kill can leave a truncated
    /// file then. The file is locked, so that other writers wait for the rest.
    #[cold]
    #[inline(never)]
    pub(super) fn create_in_place(&mut self, refused: Error, publication: &mut Publication<'_>) -> Result {
        let new = match file::create_new(self.at(&self.real), 0o666) {
            Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
            Err(_) => return Err(refused),
            Ok(new) => new,
        };
        file::close_inherited();
        let lock = new.try_lock();
        let ours = lock != Lock::Busy && self.record_status(&new).is_ok() && self.is_still() && self.status.size == 0;
        let written = if ours {
            let blocked = without_size_signal();
            let written = self.fill_unprotected(&new, publication, None).and_then(|()| new.close_errors());
            drop(blocked);
            if written.is_err() {
                // If the file cannot be removed, it is empty: readers skip it.
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
        self.remember(publication, &new);
        Ok(())
    }

    /// Writes into the existing file, because it cannot be replaced. A kill can leave a truncated file; a failed append leaves the old one.
    pub(super) fn write_in_place(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result {
        let size = self.status.size;
        if self.replaced.end != size {
            // The bytes after our share keep their offset: only a share of the same length can replace ours. (A share gets longer when a
            // site has seen a new value; then both shares stay.)
            if self.overwrite_share(old, publication)? {
                self.written = self.replaced.end.wrapping_sub(self.replaced.start);
                make_distinct(old, self.earlier_fingerprint);
                self.remember(publication, old);
                return Ok(());
            }
            self.replaced = size..size;
        }
        let offset = self.replaced.start;
        let blocked = without_size_signal();
        old.seek(offset)?;
        let mut sink = File::new(old);
        let written = publication.content.write_profile(None, sink.sink());
        drop(blocked);
        self.written = sink.written;
        let end = offset.wrapping_add(if written.is_ok() { self.written } else { 0 });
        if self.replaced.end == size && (written.is_err() || end < size) {
            // An unreadable rest would make readers refuse all of the file.
            old.set_size(end)?;
        }
        written?;
        make_distinct(old, self.earlier_fingerprint);
        self.remember(publication, old);
        Ok(())
    }

    /// Overwrites the share that the profile replaces, if both have the same length. Returns whether they have. The profile is built in memory
    /// before: the program goes on counting, so a separate pass for the length could find another length than the one that writes.
    fn overwrite_share(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result<bool> {
        let size = self.replaced.end.wrapping_sub(self.replaced.start);
        let len = usize::try_from(size).map_err(|_| Error::OVERFLOW)?;
        let pages = os::map_pages(len).ok_or(Error::ENOMEM)?;
        // SAFETY: fresh pages of this length, which nothing else uses, and which stay as long as the buffer is used.
        let mut buffer = unsafe { Buffer::new(pages, len) };
        let written = match publication.content.write_profile(None, &mut buffer) {
            Err(Error::NO_SPACE) => Ok(false),
            Ok(()) if buffer.room() > 0 => Ok(false),
            Ok(()) => {
                let _blocked = without_size_signal();
                // SAFETY: the span is the mapped pages, and the buffer has filled all of them.
                unsafe { old.write(&[Span { start: pages, len }], size, Some(self.replaced.start)) }.map(|()| true)
            }
            Err(error) => Err(error),
        };
        os::unmap_pages(pages, len);
        written
    }

    /// Writes the profile to a device, a pipe, a terminal, or a file that another process has open.
    pub(super) fn write_special(
        &mut self,
        name: &[u8],
        publication: &mut Publication<'_>,
        deadline: &mut Deadline,
    ) -> Result {
        self.real.set(name)?;
        // Whoever reads the other end may let us wait.
        os::with_mask(self.mask_of_waits(), || self.write_stream(publication, deadline))
    }

    /// Writes the profile to the special file with the real name.
    fn write_stream(&self, publication: &mut Publication<'_>, deadline: &mut Deadline) -> Result {
        loop {
            match file::open_stream(self.real.as_path()) {
                // The file is a named pipe that no process reads yet.
                Err(Error::ENXIO) if file::is_pipe(self.real.as_path()) && !deadline.is_over() => os::pause(),
                stream => return write_to(&stream?, publication),
            }
        }
    }
}

/// Writes the profile at the current position of an open file.
pub(super) fn write_to(fd: &Fd, publication: &mut Publication<'_>) -> Result {
    let _blocked = WriteSignalsBlocked::begin();
    publication.content.write_profile(None, File::new(fd).sink())
}
