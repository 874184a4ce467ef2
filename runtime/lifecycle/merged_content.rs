//! The content of a pool file: the sum of the profile in the file and ours.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::later_writes::LaterWrites;
use crate::error::{Error, Result};
use crate::merge::check::check;
use crate::merge::old::OldProfile;
use crate::merge::pages::pages;
use crate::merge::source::{FileSource, ProfileSource};
use crate::merge::stamps::function_of;
use crate::merge::write::{Contribution, MergeJob, SaturatedCounters, read_old, still_holds, write};
use crate::native::Plan;
use crate::os::Fd;
use crate::path::{Text, hex};
use crate::publish::ProfileContent;
use crate::report::{Grade, print, reason};
use crate::sections::{Image, elf};
use crate::sink::Sink;
use crate::state::{FIRST_SATURATED_IN_MEMORY, SATURATED_IN_MEMORY};
use crate::value::node::records;

/// This image's profile, merged with the one in the file.
pub struct MergedContent<'a> {
    image: &'a Image,
    plan: &'a Plan,
    /// The contribution that the file already holds.
    already_written: Option<&'a Contribution>,
    /// The contribution that another file of the pool holds, which must not be counted twice.
    written_elsewhere: Option<&'a Contribution>,
    /// Whether the next write needs the contribution of this one.
    later_writes: LaterWrites,
    /// The file's name in messages.
    name: &'a [u8],
    /// The profile in the file.
    old: Option<OldProfile>,
    /// The contribution that the file holds after the last write.
    contribution: Contribution,
    /// The saturated counters of the last write.
    saturated: Option<SaturatedCounters>,
    /// The message that files cannot be locked was printed.
    said: bool,
}

/// Bytes of records and names that are compared in one step.
pub(super) const COMPARED_BYTES: usize = 64 * 1024;

/// Parses an existing profile, which must be one of `image`.
///
/// # Safety
/// `image` must be an image of this process, and `plan` its plan.
pub(super) unsafe fn look_at(
    source: &dyn ProfileSource,
    image: &Image,
    plan: &Plan,
    scratch: &mut [u8],
) -> Result<OldProfile> {
    // SAFETY: the caller passes an image of this process and its plan.
    unsafe {
        check(source, image, elf::notes::extent(), plan, scratch).and_then(|theirs| read_old(source, theirs, image))
    }
}

impl<'a> MergedContent<'a> {
    /// Creates the content of a file that is not read yet.
    ///
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
            contribution: Contribution::EMPTY,
            saturated: None,
            said: false,
        }
    }

    /// Parses the profile in `source`, whose counts later writes add to ours.
    pub fn take_in_from(&mut self, source: &dyn ProfileSource) -> Result {
        self.old = None;
        let mut scratch = pages(COMPARED_BYTES)?;
        // SAFETY: the caller of `new` passed an image of this process and its plan.
        let old = self.old.insert(unsafe { look_at(source, self.image, self.plan, scratch.bytes_mut()) }?);
        // With an earlier contribution elsewhere, this file holds fewer counts than the whole contribution.
        if let Some(already_written) = self.already_written
            && self.written_elsewhere.is_none()
            && !still_holds(source, old, self.plan, already_written, scratch.bytes_mut())?
        {
            self.already_written = None;
        }
        Ok(())
    }

    /// Writes the sum of our profile and the one that [`MergedContent::take_in_from`] has parsed, which is read a second time.
    pub fn write_with(&mut self, source: Option<&dyn ProfileSource>, sink: &mut dyn Sink) -> Result {
        let old = match (source, &self.old) {
            (Some(source), Some(old)) => Some((source, old)),
            _ => None,
        };
        // A new file holds no contribution.
        let already_written = self.already_written.filter(|_| old.is_some()).or(self.written_elsewhere);
        let job = MergeJob { image: self.image, plan: self.plan, old, already_written };
        let contribution = (self.later_writes == LaterWrites::Possible).then_some(&mut self.contribution);
        // SAFETY: the caller of `new` passed an image of this process and its plan; `take_in_from` has parsed `old` from this source.
        self.saturated = Some(unsafe { write(&job, sink, contribution) }?);
        Ok(())
    }

    /// Reports saturated counters once the file is published. Returns the contribution if a later write needs it.
    pub fn finish(self) -> Option<Contribution> {
        report_saturated(self.image, self.saturated?, self.name);
        (self.later_writes == LaterWrites::Possible).then_some(self.contribution)
    }
}

impl ProfileContent for MergedContent<'_> {
    fn write(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        match old {
            Some(fd) => self.write_with(Some(FileSource { fd, size: fd.status()?.size, holes: true }.source()), sink),
            None => self.write_with(None, sink),
        }
    }

    fn take_in(&mut self, old: &Fd, size: u64) -> Result {
        self.take_in_from(FileSource { fd: old, size, holes: true }.source())
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

/// Reports that a file can be neither merged nor quarantined.
pub(super) fn warn_stays(name: &[u8], error: Error, why: Error) {
    let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
    print(Grade::Warning, &[b"\"", name, cause, reason(error), but, reason(why), b"."]);
}

/// Reports that a file was quarantined.
fn warn_moved(name: &[u8], error: Error, to: &[u8]) {
    let (cause, now) = (b"\" cannot be merged: ", b". It is now \"");
    print(Grade::Warning, &[b"\"", name, cause, reason(error), now, to, b"\", and counting begins anew."]);
}

/// Reports that a file is merged into without a lock.
pub(super) fn warn_unlocked(name: &[u8], error: Error) {
    let lost: &[u8] = b". What processes add at the same moment may be lost.";
    print(Grade::Warning, &[b"\"", name, b"\" cannot be locked: ", reason(error), lost]);
}

/// Reports the counters that a merge has saturated, if there are any.
pub(super) fn report_saturated(image: &Image, saturated: SaturatedCounters, name: &[u8]) {
    if saturated.count > 0 {
        // SAFETY: the caller has just written a profile of this image, so its records are readable.
        let records = unsafe { records(image.data) };
        print_saturated(saturated.count, function_of(records, image, saturated.first), name);
    }
}

/// Reports the counters that merges from memory have saturated since the last report.
pub(super) fn report_saturated_in_memory() {
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
