//! Fills a new file: the bytes of the old file that stay, and the new profile.

use core::ops::Range;

use super::content::Publication;
use super::fingerprint::{fingerprint, make_distinct};
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::Fd;
use crate::os::{self, WriteSignalsBlocked};
use crate::sink::file::File;

/// The number of bytes in which it pays to look for holes.
const LONG: u64 = 64 * 1024;

impl Publisher {
    /// Writes the bytes of the old file that stay, and the profile, into the new file. Removes that file if this fails.
    pub(super) fn fill(&mut self, new: &Fd, publication: &mut Publication<'_>, old: Option<&Fd>) -> Result {
        let blocked = without_size_signal();
        let filled = self.fill_unprotected(new, publication, old);
        drop(blocked);
        if filled.is_err() {
            self.discard(new);
        }
        filled
    }

    /// Writes as [`Publisher::fill`], without its cleanup and without protection against the signal of the file-size limit.
    pub(super) fn fill_unprotected(&mut self, new: &Fd, publication: &mut Publication<'_>, old: Option<&Fd>) -> Result {
        let Range { start, end } = self.replaced;
        self.copy(new, old, 0..start)?;
        let mut sink = File::sparse(new, start, publication.expected);
        let merged = old.filter(|_| self.status.size > 0);
        publication.content.write_profile(merged, sink.sink())?;
        sink.finish()?;
        self.written = sink.written;
        self.copy(new, old, end..self.status.size)?;
        // The file of an earlier run keeps its inode number while it is open.
        if old.is_none() || fingerprint(&self.status) != self.earlier_fingerprint {
            make_distinct(new, self.earlier_fingerprint);
        }
        Ok(())
    }

    /// Copies a range of the old file, if there is one, to the end of the new file. Long holes stay holes: others may have extended the file.
    pub(super) fn copy(&mut self, new: &Fd, old: Option<&Fd>, from: Range<u64>) -> Result {
        let Some(old) = old else { return Ok(()) };
        let long = from.end.saturating_sub(from.start) >= LONG;
        let mut at = from.start;
        while at < from.end {
            let left = from.end.wrapping_sub(at);
            let (is_hole, len) = if long { old.extent(at, from.end, false) } else { (false, left) };
            let len = len.clamp(1, left);
            if is_hole {
                new.append_hole(len)?;
            } else if new.copy_from(old, at, len, &mut self.bytes)? != len {
                return Err(Error::EIO);
            }
            at = at.wrapping_add(len);
        }
        Ok(())
    }
}

/// Returns a guard, where the system limits file sizes. While it lives, a write beyond the limit fails and sends no `SIGXFSZ`, which
/// would kill the program.
pub fn without_size_signal() -> Option<WriteSignalsBlocked> {
    os::file_size_limited().then(WriteSignalsBlocked::begin)
}
