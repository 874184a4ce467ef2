//! The content of a file that unites the profiles of all runs.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::later_writes::LaterWrites;
use crate::error::{Error, Result};
use crate::layout::Plan;
use crate::merge::check::check;
use crate::merge::pages::pages;
use crate::merge::source::{Opened, Source};
use crate::merge::stamps::function_of;
use crate::merge::write::{Contribution, Job, Odd, Old, holds, old, write};
use crate::os::Fd;
use crate::path::{Text, hex};
use crate::publish::ProfileContent;
use crate::report::{Grade, print, reason};
use crate::sections::{Image, elf};
use crate::sink::Sink;
use crate::state::{FIRST_ODD_IN_MEMORY, ODD_IN_MEMORY};
use crate::value::node::records;

/// This image's profile united with the one in the file.
pub struct MergedContent<'a> {
    image: &'a Image,
    plan: &'a Plan,
    /// What the file has from this process.
    already_written: Option<&'a Contribution>,
    /// What another file of the pool has from this process, which must not come a second time.
    written_elsewhere: Option<&'a Contribution>,
    /// Whether there may be another write.
    later_writes: LaterWrites,
    /// For messages.
    name: &'a [u8],
    old: Option<Old>,
    /// What the file has from this process after the last write.
    contribution: Contribution,
    /// What was odd about that write, if there was one.
    odd: Option<Odd>,
    /// It was said that files cannot be locked.
    said: bool,
}

/// Bytes of records and names that are compared at a time.
pub(super) const COMPARED_BYTES: usize = 64 * 1024;

/// Looks at a profile, which has to be one of this image.
///
/// # Safety
/// `image` must be an image of this process, and `plan` its plan.
pub(super) unsafe fn look_at(source: &dyn Source, image: &Image, plan: &Plan, scratch: &mut [u8]) -> Result<Old> {
    // SAFETY: the caller's contract.
    unsafe { check(source, image, elf::notes::extent(), plan, scratch).and_then(|theirs| old(source, theirs, image)) }
}

impl<'a> MergedContent<'a> {
    /// # Safety
    /// `image` must be an image of this process, and `plan` its plan.
    pub unsafe fn new(
        image: &'a Image,
        plan: &'a Plan,
        already_written: Option<&'a Contribution>,
        written_elsewhere: Option<&'a Contribution>,
        later_writes: LaterWrites,
        name: &'a [u8],
    ) -> MergedContent<'a> {
        MergedContent {
            image,
            plan,
            already_written,
            written_elsewhere,
            later_writes,
            name,
            old: None,
            contribution: Contribution::NOTHING,
            odd: None,
            said: false,
        }
    }

    /// The same with the profile in any source.
    pub fn take_in_from(&mut self, source: &dyn Source) -> Result {
        self.old = None;
        let mut scratch = pages(COMPARED_BYTES)?;
        // SAFETY: an image of this process by `new`'s contract.
        let old = self.old.insert(unsafe { look_at(source, self.image, self.plan, scratch.bytes_mut()) }?);
        // A file that has only what is new since another one was written has less than all that was given.
        if let Some(already_written) = self.already_written
            && self.written_elsewhere.is_none()
            && !holds(source, old, self.plan, already_written, scratch.bytes_mut())?
        {
            self.already_written = None;
        }
        Ok(())
    }

    /// Writes the sum with what [`MergedContent::take_in_from`] has seen, which is read again.
    pub fn write_with(&mut self, source: Option<&dyn Source>, sink: &mut dyn Sink) -> Result {
        let old = match (source, &self.old) {
            (Some(source), Some(old)) => Some((source, old)),
            _ => None,
        };
        // A file that is not there has nothing from us either.
        let already_written = self.already_written.filter(|_| old.is_some()).or(self.written_elsewhere);
        let job = Job { image: self.image, plan: self.plan, old, already_written };
        let contribution = (self.later_writes == LaterWrites::Possible).then_some(&mut self.contribution);
        // SAFETY: an image of this process and its plan by `new`'s contract; `old` was read from this source.
        self.odd = Some(unsafe { write(&job, sink, contribution) }?);
        Ok(())
    }

    /// The file has it: says what is odd about it, and what a next write has to know.
    pub fn finish(self) -> Option<Contribution> {
        report_odd(self.image, self.odd?, self.name);
        (self.later_writes == LaterWrites::Possible).then_some(self.contribution)
    }
}

impl ProfileContent for MergedContent<'_> {
    fn write(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        match old {
            Some(fd) => self.write_with(Some(Opened { fd, size: fd.status()?.size, holes: true }.source()), sink),
            None => self.write_with(None, sink),
        }
    }

    fn take_in(&mut self, old: &Fd, size: u64) -> Result {
        self.take_in_from(Opened { fd: old, size, holes: true }.source())
    }

    fn warn(&mut self, reason: Error, moved_to: Option<&[u8]>) {
        if let Some(name) = moved_to {
            warn_moved(self.name, reason, name);
        } else if !self.said {
            self.said = true;
            warn_unlocked(self.name, reason);
        }
    }

    fn stays(&mut self, error: Error, why: Error) {
        warn_stays(self.name, error, why);
    }
}

/// Says that a file is in the way and not moved, for that is not for us to do.
pub(super) fn warn_stays(name: &[u8], error: Error, why: Error) {
    let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
    print(Grade::Warning, &[b"\"", name, cause, reason(error), but, reason(why), b"."]);
}

/// Says that a file that is no profile is out of the way now.
fn warn_moved(name: &[u8], error: Error, to: &[u8]) {
    let (cause, now) = (b"\" cannot be merged: ", b". It is now \"");
    print(Grade::Warning, &[b"\"", name, cause, reason(error), now, to, b"\", and counting begins anew."]);
}

/// Says that a file is merged into without a lock.
pub(super) fn warn_unlocked(name: &[u8], error: Error) {
    let lost: &[u8] = b". What processes add at the same moment may be lost.";
    print(Grade::Warning, &[b"\"", name, b"\" cannot be locked: ", reason(error), lost]);
}

/// Says that counters are larger than they can have become by counting, if some are.
pub(super) fn report_odd(image: &Image, odd: Odd, name: &[u8]) {
    if odd.count > 0 {
        // SAFETY: the image that was just written.
        let records = unsafe { records(image.data) };
        print_odd(odd.count, function_of(records, image, odd.first), name);
    }
}

/// The same of merges from memory since the last time.
pub(super) fn report_odd_in_memory() {
    let odd = ODD_IN_MEMORY.swap(0, Ordering::Relaxed);
    if odd > 0 {
        print_odd(odd as u64, FIRST_ODD_IN_MEMORY.load(Ordering::Relaxed), b"merged buffers");
    }
}

fn print_odd(odd: u64, function_hash: u64, name: &[u8]) {
    let mut count = Text::<24>::new();
    let _ = count.push_number(odd);
    let verb: &[u8] = if odd == 1 { b" counter in \"" } else { b" counters in \"" };
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
