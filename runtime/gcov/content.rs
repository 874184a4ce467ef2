//! A `.gcda` file as its publisher sees it: the sum of the existing file and ours.

#![allow(unsafe_code)]

use super::buffer::PageBuffer;
use super::encoding::{HEADER, Order};
use super::merge::{self, RunCount};
use crate::error::{Error, Result};
use crate::os::Fd;
use crate::publish::ProfileContent;
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

    fn warn_not_quarantined(&mut self, error: Error, why: Error) {
        let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
        let delete: &[u8] = b". Delete it, so that counting can begin anew.";
        print(Grade::Warning, &[b"\"", self.name, cause, reason(error), but, reason(why), delete]);
    }
}
