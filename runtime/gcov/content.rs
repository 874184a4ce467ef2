//! A `.gcda` file as it is published: the sum of the existing file and ours.

#![allow(unsafe_code)]

use super::buffer::PageBuffer;
use super::encoding::HEADER;
use super::merge;
use crate::error::{Error, Result};
use crate::os::{Fd, Status};
use crate::publish::{Content, Old};
use crate::report::{Grade, print, reason};
use crate::sink::Sink;
use crate::span::Span;

/// The content of a `.gcda` file.
pub struct GcdaContent<'a> {
    /// Our file.
    pub ours: &'a [u8],
    /// Memory for the sum.
    pub sum: &'a mut PageBuffer,
    /// This write counts the run of the process.
    pub new_run: bool,
    /// The sum is what is written.
    pub merged: bool,
    /// The existing file is replaced for this reason, and not added to.
    pub replaced: Option<Error>,
}

impl GcdaContent<'_> {
    /// Computes the sum of the existing file and ours.
    fn add(&mut self, old: &Fd, size: u64) -> Result {
        self.sum.clear();
        if size != self.ours.len() as u64 {
            let mut header = [0; HEADER * 4];
            let len = usize::try_from(size).map_or(header.len(), |size| size.min(header.len()));
            let header = header.get_mut(..len).unwrap_or_default();
            old.read_all(header, 0)?;
            return Err(merge::reason(header, size, self.ours).unwrap_or(Error::CORRUPT));
        }
        let bytes = self.sum.extend(self.ours.len())?;
        old.read_all(bytes, 0)?;
        merge::add(bytes, self.ours, self.new_run)
    }

    /// Reports that the counts of the existing file are gone. `name`: that of the file.
    pub fn report(&self, name: &[u8]) {
        if let Some(error) = self.replaced {
            let cause = b"\" cannot be merged: ";
            print(Grade::Warning, &[b"\"", name, cause, reason(error), b". Its counts are replaced."]);
        }
    }
}

impl Content for GcdaContent<'_> {
    fn prepare(&mut self, old: Old<'_>) -> Result {
        (self.merged, self.replaced) = (false, None);
        if let Old::File(file, status) | Old::InPlace(file, status) = old
            && let Status { size: size @ 1.., link, .. } = status
        {
            match self.add(file, *size) {
                Ok(()) => self.merged = true,
                // Its counts belong to no object file that there is now. (Those behind a link, which a stranger may have made, may.)
                Err(error @ (Error::OTHER_BUILD | Error::TRUNCATED | Error::CORRUPT)) if !link => {
                    self.replaced = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        let bytes = if self.merged { self.sum.bytes() } else { self.ours };
        // SAFETY: the bytes are borrowed for the time of the call.
        unsafe { sink.write(&[Span::of(bytes)]) }
    }
}
