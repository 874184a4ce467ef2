//! What a file of continuous mode holds when we take it over: counts of earlier runs, or of processes of this run that had it
//! before. They go into the new file together with ours; counters and bitmaps are pages of that then, and values, which are not,
//! go to the sites of this process.

#![allow(unsafe_code)]

use super::merged_content::{COMPARED_BYTES, look_at, report_odd};
use crate::error::{Error, Result};
use crate::layout::Plan;
use crate::merge::insert::Insert;
use crate::merge::pages::pages;
use crate::merge::source::Opened;
use crate::merge::write::{Job, Odd, Old, write};
use crate::os::Fd;
use crate::sections::Image;
use crate::sink::Sink;
use crate::value::linked::linked;

/// A profile of this image in a file.
pub(super) struct AdoptedProfile<'a> {
    source: Opened<'a>,
    old: Old,
    /// As the last write has found them.
    odd: Odd,
}

/// Whether this is why a file is no profile, or a damaged one. Else it is a whole one, but of another image; or nobody can tell now.
pub(super) fn is_damaged(error: Error) -> bool {
    matches!(error, Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT)
}

linked! {
    /// Who takes values over.
    fn taker() -> Insert = crate::merge::insert::take_over, "profrt_values_take_over";
}

impl<'a> AdoptedProfile<'a> {
    /// Looks at a file of `size` bytes.
    pub(super) fn of(file: &'a Fd, size: u64, image: &Image, plan: &Plan) -> Result<Option<AdoptedProfile<'a>>> {
        // Pages that others have stored to are not asked whether they are on the disk yet.
        let source = Opened { fd: file, size, holes: false };
        let mut scratch = pages(COMPARED_BYTES)?;
        // SAFETY: this image, whose raw version was checked before its counters were mapped.
        let old = unsafe { look_at(source.source(), image, plan, scratch.bytes_mut()) }?;
        Ok(Some(AdoptedProfile { source, old, odd: Odd { count: 0, first: 0 } }))
    }

    /// Writes the profile of `image`, whose counters and bitmaps may be copies, with all that the file holds.
    pub(super) fn write(&mut self, image: &Image, plan: &Plan, sink: &mut dyn Sink) -> Result {
        let job = Job { image, plan, old: Some((self.source.source(), &self.old)), already_written: None };
        // SAFETY: this image, its plan, and a profile of it in the file, which we have locked since it was looked at.
        self.odd = unsafe { write(&job, sink, None) }?;
        Ok(())
    }

    /// The new file is there, as [`AdoptedProfile::write`] has written it: from now on the values are this process's.
    pub(super) fn take(&self, image: &Image, name: &[u8]) {
        let values = self.old.values.bytes();
        // What counts none has read none.
        if !values.is_empty()
            && let Some(take) = taker()
        {
            // SAFETY: this image, and value data that was checked when it was read.
            unsafe { take(values, image, &self.old.theirs.rebase) };
        }
        report_odd(image, self.odd, name);
    }
}
