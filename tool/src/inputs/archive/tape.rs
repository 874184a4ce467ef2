//! Tar archives: of any form, joined, torn.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use profdata::error::{Error, ErrorKind};

use super::{Found, Stop, Unpacker, unreadable};
use crate::inputs::budget::{Allowance, Budget};
use crate::inputs::printable_bytes;

/// Bytes of the headers of one member.
const HEADERS: u64 = 1 << 20;

/// Bytes of a header.
const BLOCK: u64 = 512;

/// Zeros after the last member.
const END: u64 = 2 * BLOCK;

impl Unpacker<'_> {
    /// Reads archives up to the end of the stream: another archive may follow the end of the first, as `cat` joins them.
    pub(super) fn tar(&mut self, name: &str, reader: &mut dyn Read, depth: usize) -> Result<(), Stop> {
        // The library reads long names to memory, whatever length they claim.
        let allowance = Rc::new(Allowance { left: Cell::new(HEADERS), ..Allowance::default() });
        let message = "the headers of a member have more than 1 MiB";
        let mut archive = tar::Archive::new(Budget { source: reader, allowance: allowance.clone(), message });
        archive.set_ignore_zeros(true);
        let failed = |error: io::Error| {
            // The library has no kind of its own for an archive that is cut.
            let ended = allowance.has_ended.get();
            let error = if ended { io::Error::new(io::ErrorKind::UnexpectedEof, error) } else { error };
            Stop::Failed(unreadable(&error).in_input(name))
        };
        for entry in archive.entries().map_err(failed)? {
            let mut entry = entry.map_err(failed)?;
            allowance.left.set(u64::MAX);
            // The zeros of a sparse file are not in the archive.
            let is_sparse = entry.header().entry_type().is_gnu_sparse();
            let stored = if is_sparse { entry.header().entry_size().unwrap_or(0) } else { entry.size() };
            self.entry(name, &mut entry, depth)?;
            // The library skips the rest before it reads the next header.
            let rest = stored.saturating_sub(u64::MAX - allowance.left.get());
            allowance.left.set(rest.saturating_add(BLOCK).saturating_add(HEADERS));
        }
        if allowance.zeros.get() < END {
            let error = Error::new(ErrorKind::Truncated, "end of the archive").expected("two blocks of zeros");
            return Err(Stop::Failed(error.in_input(name)));
        }
        Ok(())
    }

    fn entry<R: Read>(&mut self, name: &str, entry: &mut tar::Entry<'_, R>, depth: usize) -> Result<(), Stop> {
        let kind = entry.header().entry_type();
        let member = format!("{name}:{}", printable_bytes(&entry.path_bytes()));
        if kind.is_dir() || kind.is_pax_global_extensions() {
            return Ok(());
        }
        if let Some(target) = entry.link_name_bytes() {
            return self.found(Found::Ignored(format!("{member} (a link to {})", printable_bytes(&target))));
        }
        if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            return self.found(Found::Ignored(format!("{member} (no regular file)")));
        }
        // The zeros of a sparse file count as if they were decompressed.
        let mut reader = self.expanding(Exact { left: entry.size(), source: entry });
        let result = self.stream(&member, &mut reader, depth, true);
        self.or_damaged(member, result)
    }
}

/// Reads a member, whose size is known: the library takes a cut for its end.
struct Exact<R> {
    left: u64,
    source: R,
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if read == 0 && !buffer.is_empty() && self.left > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends in this member"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
