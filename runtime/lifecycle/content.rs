//! The profile of this image as it is published: alone, after others in a plain file, or added to the one in a pool file.

#![allow(unsafe_code)]

use core::ops::Range;

use crate::error::{Error, Result};
use crate::link;
use crate::merge::contribution::{Contribution, Counts};
use crate::merge::counters::function_of;
use crate::merge::pages::Pages;
use crate::merge::read_old::read_old;
use crate::merge::sum::{SaturatedCounters, Sum};
use crate::native::Plan;
use crate::os::Fd;
use crate::path::{Text, hex};
use crate::publish::{Content, Old};
use crate::report::{Grade, print};
use crate::sections::Image;
use crate::sink::Sink;
use crate::value::node::records;

/// Whether another write of this process may follow. If so, this write keeps what the next one needs to count nothing twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterWrites {
    /// This write is the last one.
    None,
    /// The program goes on, or a signal may request another dump.
    Possible,
}

/// The profile of an image.
pub struct ProfileContent<'a> {
    image: &'a Image,
    plan: &'a Plan,
    /// Whether the next write needs the contribution of this one.
    later: LaterWrites,
    contribution: &'a mut Contribution,
    /// The file is `NAME-PID`, because `NAME` is not ours to merge.
    beside: bool,
    /// A copy of the counts stays in memory for the next write. Not after a first write to a plain file, which has exactly our counts where
    /// [`Content::written`] says.
    keeps_copy: bool,
    /// The earlier contribution, if there is one, is left out: the old file has it, or `NAME` beside it.
    leaves_out: bool,
    sum: Option<Sum>,
    /// The values of this image that the last call of `write` has written.
    values: Pages,
    /// Where in a regular file the profile is.
    at: Range<u64>,
}

impl<'a> ProfileContent<'a> {
    /// Creates the content. `beside`: it goes to a file beside the one with the name.
    ///
    /// # Safety
    /// `image` must be an image of this process, of this archive's raw version, and `plan` its plan.
    pub unsafe fn new(
        image: &'a Image,
        plan: &'a Plan,
        later: LaterWrites,
        merges: bool,
        contribution: &'a mut Contribution,
        beside: bool,
    ) -> ProfileContent<'a> {
        let (leaves_out, sum, values) = (false, None, Pages::EMPTY);
        // Without records (correlation) nothing would tell that a file has our profile.
        let shared = merges || beside || contribution.exists() || image.data.len == 0;
        let keeps_copy = later == LaterWrites::Possible && shared;
        ProfileContent { image, plan, later, contribution, beside, keeps_copy, leaves_out, sum, values, at: 0..0 }
    }

    /// Takes note of a write that has succeeded. Reports saturated counters. `name`: that of the file, for the message.
    pub fn finish(self, name: &[u8]) {
        let ProfileContent { image, later, contribution, sum, values, beside, at, keeps_copy, .. } = self;
        let Some(sum) = sum else { return };
        report_saturated(image, sum.saturated, name);
        if later == LaterWrites::Possible {
            let in_file = if keeps_copy { 0..0 } else { at };
            contribution.remember(Counts { counters: sum.snapshot, values }, in_file, beside);
        }
    }
}

impl Content for ProfileContent<'_> {
    fn prepare(&mut self, old: Old<'_>) -> Result {
        let mut profile = None;
        self.leaves_out = match old {
            Old::Kept(file, stays) => {
                // SAFETY: the caller of `new` passed an image of this process and its plan.
                unsafe { self.contribution.read_back(file, self.image, self.plan) }?;
                self.keeps_copy |= self.later == LaterWrites::Possible && !stays;
                self.contribution.exists()
            }
            Old::File(file, status) | Old::InPlace(file, status) if status.size > 0 => {
                let (whole, range) = (matches!(old, Old::InPlace(..)), link::notes::loaded_range());
                // SAFETY: the caller of `new` passed an image of this process and its plan.
                profile = Some(unsafe { read_old(file, status.size, whole, self.image, range, self.plan) }?);
                true
            }
            // Nothing to add to: all counts are written. Exception: `NAME-PID` gets only the counts that `NAME` does not have from this process.
            _ => self.beside,
        };
        let snapshot = self.keeps_copy.then(|| core::mem::replace(&mut self.contribution.spare, Pages::EMPTY));
        let earlier = self.leaves_out.then_some(&self.contribution.counts);
        // SAFETY: the caller of `new` passed an image of this process and its plan; `profile` was read with both.
        let sum = match unsafe { Sum::new(self.image, self.plan, profile, earlier, snapshot) } {
            // Another file with the same name, to which all counts are new.
            Err(Error::OVERTAKEN) => {
                self.contribution.forget();
                return self.prepare(old);
            }
            sum => sum?,
        };
        // `llvm-profdata` 14 and 15 misread a profile without functions that follows another one.
        let has_nothing = self.image.counters.len == 0 || sum.is_contributed(self.image, self.plan);
        self.sum = Some(sum);
        if matches!(old, Old::Kept(..)) && has_nothing { Err(Error::NOTHING_NEW) } else { Ok(()) }
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        let earlier = self.leaves_out.then_some(&self.contribution.counts);
        let Some(sum) = &mut self.sum else { return Err(Error::OVERFLOW) };
        // SAFETY: the caller of `new` passed an image of this process and its plan, with which `prepare` has made the sum.
        let written = unsafe { sum.write(self.image, self.plan, earlier, self.keeps_copy, sink) };
        if written.as_ref().err() == Some(&Error::OVERTAKEN) {
            // As in `prepare`. The publication starts over.
            self.contribution.forget();
        }
        self.values = written?;
        Ok(())
    }

    fn written(&mut self, _file: &Fd, at: Range<u64>) -> Result {
        self.at = at;
        Ok(())
    }
}

/// Reports the counters that a merge has saturated, if there are any.
pub fn report_saturated(image: &Image, saturated: SaturatedCounters, name: &[u8]) {
    if saturated.count == 0 {
        return;
    }
    // SAFETY: the caller has just written a profile of this image, so its records are readable.
    let function_hash = function_of(unsafe { records(image.data) }, image, saturated.first);
    let mut count = Text::<24>::new();
    let _ = count.push_number(saturated.count);
    let verb: &[u8] = if saturated.count == 1 { b" counter in \"" } else { b" counters in \"" };
    print(
        Grade::Warning,
        &[
            count.as_bytes(),
            verb,
            name,
            b"\" reached 2^56, the largest that readers accept, and saturated; the first one is in the function with hash 0x",
            &hex(function_hash),
            b".",
        ],
    );
}
