//! The profile of this image as it is published: alone, after others in a plain file, or added to the one in a pool file.

#![allow(unsafe_code)]

use core::mem::replace;
use core::ops::Range;

use crate::error::{Error, Result};
use crate::link;
use crate::merge::contribution::Contribution;
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
    /// A copy of the counts stays in memory, because the next write cannot read them from the file. It can after a first write to a plain file,
    /// which has exactly our counts where [`Content::written`] says. `new` knows most cases, `prepare` streams and files that cannot be read or locked.
    keeps_copy: bool,
    /// The earlier contribution, if there is one, is left out: the old file has it, or `NAME` beside it.
    leaves_out: bool,
    /// Where in a regular file the profile is.
    at: Range<u64>,
    /// The device and inode of that file, if the next write reads it.
    identity: [u64; 2],
    sum: Sum,
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
        // Without records (correlation) nothing would tell that a file has our profile.
        let shared = merges || beside || contribution.exists() || image.data.len == 0;
        let keeps_copy = later == LaterWrites::Possible && shared;
        let (leaves_out, sum, at, identity) = (false, Sum::empty(), 0..0, [0; 2]);
        ProfileContent { image, plan, later, contribution, beside, keeps_copy, leaves_out, sum, at, identity }
    }

    /// Takes note of a write that has succeeded. Reports saturated counters. `name`: that of the file, for the message.
    pub fn finish(&mut self, name: &[u8]) {
        report_saturated(self.image, self.sum.saturated, name);
        if self.later == LaterWrites::Possible {
            let in_file = if self.keeps_copy { 0..0 } else { self.at.clone() };
            self.contribution.remember(&mut self.sum.own, in_file, self.identity, self.beside);
        }
    }
}

impl Content for ProfileContent<'_> {
    fn prepare(&mut self, old: Old<'_>) -> Result {
        let ProfileContent { image, plan, contribution, sum, .. } = self;
        sum.old = None;
        self.leaves_out = match old {
            Old::Kept(file, stays) => {
                // SAFETY: the caller of `new` passed an image of this process and its plan.
                unsafe { contribution.read_back(file, image, plan) }?;
                self.keeps_copy |= self.later == LaterWrites::Possible && !stays;
                true
            }
            Old::Stream => {
                self.keeps_copy |= self.later == LaterWrites::Possible;
                true
            }
            Old::File(file, status) | Old::InPlace(file, status) if status.size > 0 => {
                let (whole, range) = (matches!(old, Old::InPlace(..)), link::notes::loaded_range());
                // SAFETY: the caller of `new` passed an image of this process and its plan.
                unsafe { read_old(&mut sum.old, file, status.size, whole, image, range, plan) }?;
                true
            }
            // Nothing to add to: all counts are written. Exception: `NAME-PID` gets only the counts that `NAME` does not have from this process.
            _ => self.beside,
        } && contribution.exists();
        if self.keeps_copy {
            // Taken, not swapped: what a failed write has left must not come back after a reset.
            let snapshot = &mut sum.own.counters;
            *snapshot = replace(&mut contribution.spare, Pages::EMPTY);
            // Memory of an earlier snapshot needs no zeros: counters that are 0 now were 0 then, if only the reset call clears counters.
            if snapshot.bytes().len() != image.counters.len {
                snapshot.renew(image.counters.len)?;
            }
        }
        // SAFETY: the caller of `new` passed an image of this process and its plan; the old profile was read with both.
        match unsafe { sum.add_up(image, plan, self.leaves_out.then_some(&contribution.counts)) } {
            // Another file with the same name, to which all counts are new.
            Err(Error::OVERTAKEN) => {
                contribution.forget();
                return self.prepare(old);
            }
            added => added?,
        }
        // `llvm-profdata` 14 and 15 misread a profile without functions that follows another one.
        let follows = matches!(old, Old::Kept(..));
        let has_nothing = || follows && image.counters.len == 0 || sum.is_contributed(image, plan);
        if (follows || matches!(old, Old::Stream)) && has_nothing() { Err(Error::NOTHING_NEW) } else { Ok(()) }
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        let earlier = self.leaves_out.then_some(&self.contribution.counts);
        // SAFETY: the caller of `new` passed an image of this process and its plan, with which `prepare` has made the sum.
        let written = unsafe { self.sum.write(self.image, self.plan, earlier, self.keeps_copy, sink) };
        if written == Err(Error::OVERTAKEN) {
            // As in `prepare`. The publication starts over.
            self.contribution.forget();
        }
        written
    }

    fn written(&mut self, file: &Fd, at: Range<u64>) -> Result {
        self.at = at;
        if self.later == LaterWrites::Possible && !self.keeps_copy {
            let status = file.status()?;
            self.identity = [status.device, status.inode];
        }
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
