//! The profile of this image as it is published: alone, behind others in a plain file, or added to the one in a pool file.

#![allow(unsafe_code)]

use core::mem;
use core::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::layout::Part;
use crate::merge::contribution::{Contribution, Counts, Left};
use crate::merge::counter_range::function_of;
use crate::merge::counters;
use crate::merge::old::OldProfile;
use crate::merge::pages::Pages;
use crate::merge::read_old::read_old;
use crate::merge::sum::{SaturatedCounters, Sum};
use crate::native::Plan;
use crate::os::Fd;
use crate::path::{Text, hex};
use crate::publish::{Content, Old};
use crate::report::{Grade, print};
use crate::sections::{Image, elf};
use crate::sink::Sink;
use crate::state::{FIRST_SATURATED_IN_MEMORY, SATURATED_IN_MEMORY};
use crate::value::node::records;

/// Whether another write of this process may follow. If so, this write keeps what the next one needs to count nothing twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterWrites {
    /// This write is the last one.
    None,
    /// The program goes on, or a signal may request another dump.
    Possible,
}

/// What a write leaves out, because a file has it already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Earlier {
    /// Nothing.
    None,
    /// What was written before the tail, which this write replaces, or to another file.
    Base,
    /// All that was written.
    Last,
}

/// The profile of an image.
pub struct ProfileContent<'a> {
    image: &'a Image,
    plan: &'a Plan,
    /// The file has one profile, to which ours is added.
    merges: bool,
    /// Whether the next write needs the contribution of this one.
    later: LaterWrites,
    contribution: &'a mut Contribution,
    /// The first write to the file beside another one.
    begins_beside: bool,
    earlier: Earlier,
    sum: Option<Sum>,
    /// The values of this image that the last call of `write` has written.
    values: Pages,
    left: Option<Left>,
}

impl<'a> ProfileContent<'a> {
    /// Creates the content. `begins_beside`: the first write to a file beside the one with the contribution.
    ///
    /// # Safety
    /// `image` must be an image of this process, of this archive's raw version, and `plan` its plan.
    pub unsafe fn new(
        image: &'a Image,
        plan: &'a Plan,
        merges: bool,
        later: LaterWrites,
        contribution: &'a mut Contribution,
        begins_beside: bool,
    ) -> ProfileContent<'a> {
        let (earlier, sum, values, left) = (Earlier::None, None, Pages::EMPTY, None);
        ProfileContent { image, plan, merges, later, contribution, begins_beside, earlier, sum, values, left }
    }

    /// Reads the profile that a file of `size` bytes holds.
    pub fn read_old(&self, file: &Fd, size: u64) -> Result<OldProfile> {
        // SAFETY: the caller of `new` passed an image of this process and its plan.
        unsafe { read_old(file, size, self.image, elf::notes::loaded_range(), self.plan) }
    }

    /// Computes the counts that are written.
    fn compute(&mut self, old: Option<OldProfile>, earlier: Earlier) -> Result {
        self.earlier = earlier;
        let snapshot = self.later == LaterWrites::Possible;
        // SAFETY: the caller of `new` passed an image of this process and its plan; `old` was read with both.
        self.sum = Some(unsafe { Sum::new(self.image, self.plan, old, self.counts(earlier), snapshot, self.merges) }?);
        Ok(())
    }

    /// Returns the counts that a write leaves out.
    fn counts(&self, earlier: Earlier) -> Option<&Counts> {
        match earlier {
            Earlier::None => None,
            Earlier::Base => Some(&self.contribution.base),
            Earlier::Last => Some(&self.contribution.last),
        }
    }

    /// Returns whether an old profile can hold what this image has contributed: whether each of its counters is at least as large. If not, the
    /// file is another one with the same name, made after somebody removed the one that this process wrote to.
    fn holds_contribution(&self, old: &mut OldProfile) -> bool {
        // Time stamps tell nothing: the earliest stays.
        let last = &self.contribution.last.counters;
        self.plan.variant().has(Variant::TEMPORAL)
            || counters::contain(old.part(Part::Counters, last.bytes().len()), last.words())
    }

    /// Takes note of a write that has succeeded. Reports saturated counters. `name`: that of the file, for the message.
    pub fn finish(self, name: &[u8]) {
        let ProfileContent { image, later, contribution, earlier, sum, values, left, begins_beside, .. } = self;
        let Some(sum) = sum else { return };
        report_saturated(image, sum.saturated, name);
        if later == LaterWrites::None {
            return;
        }
        match earlier {
            Earlier::None => contribution.base = Counts::NONE,
            Earlier::Base => {}
            Earlier::Last => contribution.base = mem::replace(&mut contribution.last, Counts::NONE),
        }
        contribution.last = Counts { counters: sum.snapshot, values };
        contribution.left = left;
        contribution.beside |= begins_beside;
    }
}

impl Content for ProfileContent<'_> {
    fn prepare(&mut self, old: Old<'_>) -> Result<u64> {
        let (mut kept, mut profile) = (0, None);
        let is_missing = match old {
            Old::Nothing => true,
            Old::File(_, status) => status.size == 0,
            Old::AppendOnly => false,
        };
        let earlier = match old {
            _ if is_missing && self.begins_beside => Earlier::Last,
            _ if is_missing && self.contribution.beside => Earlier::Base,
            // What was written to a file that is missing is void.
            _ if is_missing => Earlier::None,
            Old::Nothing | Old::AppendOnly => Earlier::Last,
            Old::File(file, status) if self.merges => {
                let mut old = self.read_old(file, status.size)?;
                let held = self.holds_contribution(&mut old);
                profile = Some(old);
                if held { Earlier::Last } else { Earlier::None }
            }
            // The file is as we left it: this profile replaces the last one.
            Old::File(_, status) if let Some(left) = self.contribution.left.filter(|left| left.is(status)) => {
                kept = left.tail;
                Earlier::Base
            }
            Old::File(_, status) => {
                kept = status.size;
                Earlier::Last
            }
        };
        self.compute(profile, earlier)?;
        Ok(kept)
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        let Some(mut sum) = self.sum.take() else { return Err(Error::OVERFLOW) };
        let remember = self.later == LaterWrites::Possible;
        // SAFETY: the caller of `new` passed an image of this process and its plan, of which `compute` has made the sum.
        let written = unsafe { sum.write(self.image, self.plan, self.counts(self.earlier), remember, sink) };
        self.sum = Some(sum);
        self.values = written?;
        Ok(())
    }

    fn written(&mut self, file: &Fd, kept: u64) -> Result {
        if self.later == LaterWrites::Possible && !self.merges {
            self.left = Some(Left::new(&file.status()?, kept));
        }
        Ok(())
    }
}

/// Reports the counters that a merge has saturated, if there are any.
pub fn report_saturated(image: &Image, saturated: SaturatedCounters, name: &[u8]) {
    if saturated.count > 0 {
        // SAFETY: the caller has just written a profile of this image, so its records are readable.
        let records = unsafe { records(image.data) };
        print_saturated(saturated.count, function_of(records, image, saturated.first), name);
    }
}

/// Reports the counters that merges from memory have saturated since the last report.
pub fn report_saturated_in_memory() {
    let saturated = SATURATED_IN_MEMORY.swap(0, Ordering::Relaxed);
    if saturated > 0 {
        print_saturated(saturated as u64, FIRST_SATURATED_IN_MEMORY.load(Ordering::Relaxed), b"merged buffers");
    }
}

/// Prints the message about saturated counters.
fn print_saturated(saturated: u64, function_hash: u64, name: &[u8]) {
    let mut count = Text::<24>::new();
    let _ = count.push_number(saturated);
    let verb: &[u8] = if saturated == 1 { b" counter in \"" } else { b" counters in \"" };
    print(
        Grade::Warning,
        &[
            count.as_bytes(),
            verb,
            name,
            b"\" would be above 2^56, which readers refuse, and is held there; the first is of the function with hash 0x",
            &hex(function_hash),
            b".",
        ],
    );
}
