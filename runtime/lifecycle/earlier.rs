//! What a file of continuous mode holds when we take it over: counts of earlier runs, or of processes of this run that had it
//! before. They go into the new file together with ours; counters and bitmaps are pages of that then, and values, which are not,
//! go to the sites of this process.

#![allow(unsafe_code)]

use super::merging::report_odd;
use crate::error::{Error, Result};
use crate::layout::Plan;
use crate::merge::check::check;
use crate::merge::insert::TakeOver;
use crate::merge::pages::Pages;
use crate::merge::source::Opened;
use crate::merge::write::{Job, Odd, Old, old, write};
use crate::os::Fd;
use crate::sections::{Image, elf};
use crate::sink::Sink;
use crate::value::linked::linked;

/// Why a file is not taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// It is no profile, or a damaged one.
    Damaged,
    /// It is a whole profile, but of another image; or nobody can tell now.
    Other,
}

/// A profile of this image in a file.
pub(super) struct Earlier<'a> {
    source: Opened<'a>,
    old: Old,
}

linked! {
    /// Who takes values over.
    fn taker() -> TakeOver = crate::merge::insert::take_over, "profrt_values_take_over";
}

/// Bytes of records and names that are compared at a time.
const SCRATCH: usize = 64 * 1024;

impl<'a> Earlier<'a> {
    /// Looks at a file of `size` bytes. An empty one holds nothing.
    pub(super) fn of(
        file: &'a Fd,
        size: u64,
        image: &Image,
        plan: &Plan,
    ) -> core::result::Result<Option<Earlier<'a>>, Refusal> {
        if size == 0 {
            return Ok(None);
        }
        // Pages that others have stored to are not asked whether they are on the disk yet.
        let source = Opened { fd: file, size, holes: false };
        let refusal = |error| match error {
            Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT => Refusal::Damaged,
            _ => Refusal::Other,
        };
        let mut scratch = Pages::new(SCRATCH).ok_or(Refusal::Other)?;
        // SAFETY: this image, whose raw version was checked before its counters were mapped.
        let old = unsafe {
            check(source.source(), image, elf::notes::extent(), plan, scratch.bytes_mut())
                .and_then(|theirs| old(source.source(), theirs, image))
        }
        .map_err(refusal)?;
        Ok(Some(Earlier { source, old }))
    }

    /// Writes the profile of `image`, whose counters and bitmaps may be copies, with all that the file holds.
    pub(super) fn write(&self, image: &Image, plan: &Plan, sink: &mut dyn Sink) -> Result<Odd> {
        let job = Job { image, plan, old: Some((self.source.source(), &self.old)), had: None };
        // SAFETY: this image, its plan, and a profile of it in the file, which we have locked since it was looked at.
        unsafe { write(&job, sink, None) }
    }

    /// The new file is there, with what [`Earlier::write`] has said: from now on the values are this process's.
    pub(super) fn take(&self, image: &Image, odd: &Odd, name: &[u8]) {
        let values = self.old.values.bytes();
        // What counts none has read none.
        if !values.is_empty()
            && let Some(take) = taker()
        {
            // SAFETY: this image, and value data that was checked when it was read.
            unsafe { take(values, image, &self.old.theirs.rebase) };
        }
        report_odd(image, *odd, name);
    }
}
