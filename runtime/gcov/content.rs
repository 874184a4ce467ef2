//! A `.gcda` file as its publisher sees it: the sum of the existing file and ours.

#![allow(unsafe_code)]

use super::buffer::PageBuffer;
use super::encoding::{HEADER, Order};
use super::merge::{self, RunCount};
use crate::error::{Error, Result};
use crate::os::{self, Fd};
use crate::publish::{ProfileContent, without_size_signal};
use crate::report::{Grade, print, reason};
use crate::sink::Sink;
use crate::span::Span;

/// The content of a `.gcda` file.
pub struct Content<'a> {
    /// Our file.
    pub ours: &'a [u8],
    /// Memory for the sum.
    pub sum: &'a mut PageBuffer,
    /// The byte order of the file.
    pub order: Order,
    /// Whether this write counts a run.
    pub run: RunCount,
    /// The name of the file, for messages.
    pub name: &'a [u8],
    /// Whether the message that files cannot be locked was printed.
    pub warned_unlocked: bool,
}

impl ProfileContent for Content<'_> {
    fn read_old(&mut self, old: &Fd, size: u64) -> Result {
        self.sum.clear();
        if size != self.ours.len() as u64 {
            let mut header = [0; HEADER * 4];
            let len = usize::try_from(size).map_or(header.len(), |size| size.min(header.len()));
            let header = header.get_mut(..len).unwrap_or_default();
            old.read_all(header, 0)?;
            return Err(merge::reason(header, size, self.ours, self.order).unwrap_or(Error::CORRUPT));
        }
        let bytes = self.sum.extend(self.ours.len())?;
        old.read_all(bytes, 0)?;
        merge::add(bytes, self.ours, self.order, self.run)
    }

    fn overwrite(&mut self, old: &Fd, size: u64, merged: bool) -> Result {
        let size = usize::try_from(size).map_err(|_| Error::OVERFLOW)?;
        // The bytes of the file follow those of the sum.
        old.read_all(self.sum.extend(size)?, 0)?;
        let (sum, before) = self.sum.bytes().split_at_checked(self.sum.size().saturating_sub(size)).unwrap_or_default();
        let new = if merged { sum } else { self.ours };
        if !os::is_size_allowed(new.len()) {
            return Err(Error::EFBIG);
        }
        let _blocked = without_size_signal();
        if let Err(error @ (Error::ENOSPC | Error::EDQUOT)) = old.reserve(0, new.len() as u64) {
            if new.len() > size {
                let _ = old.set_size(size as u64);
            }
            return Err(error);
        }
        // Other errors of `reserve` mean that the system cannot do that.
        let written = replace_bytes(old, size, new).and_then(|()| old.close_errors());
        if written.is_err() {
            let _ = replace_bytes(old, new.len(), before);
        }
        written
    }

    fn write_profile(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        let bytes = if old.is_some() { self.sum.bytes() } else { self.ours };
        // SAFETY: the bytes are borrowed for the time of the call.
        unsafe { sink.write(&[Span::of(bytes)]) }
    }

    fn warn_unlocked(&mut self, error: Error) {
        if !core::mem::replace(&mut self.warned_unlocked, true) {
            let lost: &[u8] = b". What processes add at the same moment may be lost.";
            print(Grade::Warning, &[b"\"", self.name, b"\" cannot be locked: ", reason(error), lost]);
        }
    }

    fn warn_quarantined(&mut self, error: Error, moved_to: &[u8]) {
        let (cause, now) = (b"\" cannot be merged: ", b". It is now \"");
        let anew: &[u8] = b"\", and counting begins anew. Delete it, unless you need the counts of that build.";
        print(Grade::Warning, &[b"\"", self.name, cause, reason(error), now, moved_to, anew]);
    }

    fn warn_overwritten(&mut self, error: Error, why: Error) {
        let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
        print(
            Grade::Warning,
            &[b"\"", self.name, cause, reason(error), but, reason(why), b". Its counts are replaced."],
        );
    }

    fn warn_not_quarantined(&mut self, error: Error, why: Error) {
        let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
        let delete: &[u8] = b". Delete it, so that counting can begin anew.";
        print(Grade::Warning, &[b"\"", self.name, cause, reason(error), but, reason(why), delete]);
    }
}

/// Makes `bytes` the content of a file that has or may have another size.
fn replace_bytes(file: &Fd, size: usize, bytes: &[u8]) -> Result {
    // SAFETY: the bytes are borrowed for the time of the call.
    unsafe { file.write(&[Span::of(bytes)], bytes.len() as u64, Some(0)) }?;
    if bytes.len() == size { Ok(()) } else { file.set_size(bytes.len() as u64) }
}
