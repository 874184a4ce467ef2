//! Adopts the profile in a continuous file: counts of earlier runs, or of processes of this run that had the file before.
//!
//! The counts go into the new file together with ours. Values, which are not mapped, are added to the sites of this process.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::lifecycle::merged_content::{COMPARED_BYTES, parse_old, report_saturated};
use crate::merge::insert::InsertValues;
use crate::merge::old::OldProfile;
use crate::merge::pages::pages;
use crate::merge::source::FileSource;
use crate::merge::write::{MergeJob, SaturatedCounters, write_job};
use crate::native::Plan;
use crate::os::Fd;
use crate::sections::Image;
use crate::sink::Sink;
use crate::value::optional::optional;

/// A profile of this image in a continuous file.
pub struct AdoptedProfile<'a> {
    source: FileSource<'a>,
    old: OldProfile,
    /// The saturated counters of the last write.
    saturated: SaturatedCounters,
}

optional! {
    /// Returns the function that adds values to the sites of this process; absent in programs without value sites.
    fn inserter() -> InsertValues = crate::merge::insert::take_over, "profrt_values_take_over";
}

impl<'a> AdoptedProfile<'a> {
    /// Parses the profile in a file of `size` bytes.
    pub fn of(file: &'a Fd, size: u64, image: &Image, plan: &Plan) -> Result<AdoptedProfile<'a>> {
        // Not sparse: a mapped page may hold counts and still be a hole on the disk.
        let source = FileSource { fd: file, size, holes: false };
        let mut scratch = pages(COMPARED_BYTES)?;
        // SAFETY: the image is this process's, and `plan` its plan; `start::begin_or_move` has checked its raw version.
        let old = unsafe { parse_old(source.source(), image, plan, scratch.bytes_mut()) }?;
        Ok(AdoptedProfile { source, old, saturated: SaturatedCounters { count: 0, first: 0 } })
    }

    /// Writes the sum of the profile of `image`, whose counters and bitmaps may be copies, and the profile in the file.
    pub fn write(&mut self, image: &Image, plan: &Plan, sink: &mut dyn Sink) -> Result {
        let old = Some((self.source.source(), &self.old));
        let job = MergeJob { image, plan, old, earlier_contribution: None, contribution: None };
        // SAFETY: the image is this process's, with its plan; `of` has parsed the file, which was locked before that and still is.
        self.saturated = unsafe { write_job(job, sink) }?;
        Ok(())
    }

    /// Adds the values to the sites of this process, once the new file with the adopted counts is mapped. Reports saturated counters.
    pub fn add_values(&self, image: &Image, name: &[u8]) {
        let values = self.old.values.bytes();
        // A program without value sites has read no values either.
        if !values.is_empty()
            && let Some(insert) = inserter()
        {
            // SAFETY: the image is this process's, and `of` has checked the value data.
            unsafe { insert(values, image, &self.old.checked.rebase) };
        }
        report_saturated(image, self.saturated, name);
    }
}
