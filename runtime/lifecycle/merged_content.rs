//! The content of a pool file: the sum of the profile in the file and ours.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::merge::check::check;
use crate::merge::contribution::Contribution;
use crate::merge::counter_range::function_of;
use crate::merge::old::OldProfile;
use crate::merge::pages::pages;
use crate::merge::source::{FileSource, ProfileSource};
use crate::merge::write::{MergeJob, SaturatedCounters, read_old_values, write_job};
use crate::native::Plan;
use crate::os::{self, Fd};
use crate::path::{Text, hex};
use crate::publish::ProfileContent;
use crate::report::{self, Grade, print, reason};
use crate::sections::{Image, elf};
use crate::sink::Sink;
use crate::state::{FIRST_SATURATED_IN_MEMORY, SATURATED_IN_MEMORY};
use crate::value::node::records;
use crate::value::writer::ScratchMemory;

/// Whether another write of this process may follow. If so, this write keeps what the next one needs to count nothing twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterWrites {
    /// This write is the last one.
    None,
    /// The program goes on, or a signal may request another dump.
    Possible,
}

/// The earlier contributions of this process to a pool, as far as one of its files is concerned.
///
/// | `to_file` | `to_other_file` | when | subtracted from the sum |
/// | --- | --- | --- | --- |
/// | no | no | the first write | nothing |
/// | yes | no | a later write to the same file | `to_file` |
/// | no | yes | the first write to a private pool file, after a write to another file | `to_other_file` |
/// | yes | yes | a later write to a private pool file | `to_file`, which includes `to_other_file` |
///
/// If the file does not exist any more, the new one holds nothing from `to_file`: then `to_other_file` is subtracted, if there is one.
#[derive(Clone, Copy)]
pub struct EarlierContributions<'a> {
    /// To the file that is written.
    pub to_file: Option<&'a Contribution>,
    /// To another file of the pool, whose counts must not be added to this file too.
    pub to_other_file: Option<&'a Contribution>,
}

/// This image's profile, merged with the one in the file.
pub struct MergedContent<'a> {
    image: &'a Image,
    plan: &'a Plan,
    earlier: EarlierContributions<'a>,
    /// Whether the next write needs the contribution of this one.
    later_writes: LaterWrites,
    /// The file's name in messages.
    name: &'a [u8],
    /// The profile in the file.
    old: Option<OldProfile>,
    /// The profile in the file does not hold the earlier contribution to the file: somebody has created the file again.
    contribution_lost: bool,
    /// The contribution that the pool holds after the last write.
    contribution: Contribution,
    /// The saturated counters of the last write.
    saturated: Option<SaturatedCounters>,
    /// Whether the message that files cannot be locked was printed.
    warned_unlocked: bool,
}

/// The writer of value data gets its temporary memory as pages of the system.
pub const VALUE_SCRATCH: ScratchMemory = ScratchMemory::Pages(os::map_pages, os::unmap_pages);

/// Bytes of records and names that are compared in one step.
pub const COMPARED_BYTES: usize = 64 * 1024;

/// Parses an existing profile, which must be one of `image`.
///
/// # Safety
/// `image` must be an image of this process, and `plan` its plan.
pub unsafe fn parse_old(
    source: &dyn ProfileSource,
    image: &Image,
    plan: &Plan,
    scratch: &mut [u8],
) -> Result<OldProfile> {
    // SAFETY: the caller passes an image of this process and its plan.
    unsafe {
        check(source, image, elf::notes::loaded_range(), plan, scratch)
            .and_then(|checked| read_old_values(source, checked, image))
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
        earlier: EarlierContributions<'a>,
        later_writes: LaterWrites,
        name: &'a [u8],
    ) -> MergedContent<'a> {
        MergedContent {
            image,
            plan,
            earlier,
            later_writes,
            name,
            old: None,
            contribution_lost: false,
            contribution: Contribution::EMPTY,
            saturated: None,
            warned_unlocked: false,
        }
    }

    /// Parses the profile in `source`, to which later writes add ours.
    pub fn read_old_from(&mut self, source: &dyn ProfileSource) -> Result {
        (self.old, self.contribution_lost) = (None, false);
        let mut scratch = pages(COMPARED_BYTES)?;
        // SAFETY: the caller of `new` passed an image of this process and its plan.
        let old = unsafe { parse_old(source, self.image, self.plan, scratch.bytes_mut()) }?;
        let old = self.old.insert(old);
        // With a contribution to another file, this file holds fewer counts than the complete contribution.
        if let EarlierContributions { to_file: Some(contribution), to_other_file: None } = self.earlier {
            self.contribution_lost = !contribution.is_held_by(source, &old.checked, self.plan, scratch.bytes_mut())?;
        }
        Ok(())
    }

    /// Writes the sum of our profile and the one that [`MergedContent::read_old_from`] has parsed. Reads the counters of that one from `source`.
    pub fn write_sum(&mut self, source: Option<&dyn ProfileSource>, sink: &mut dyn Sink) -> Result {
        let old = source.zip(self.old.as_ref());
        let job = MergeJob {
            image: self.image,
            plan: self.plan,
            old,
            earlier_contribution: match self.earlier {
                // The file has what was added to it.
                EarlierContributions { to_file: Some(to_file), .. } if old.is_some() && !self.contribution_lost => {
                    Some(to_file)
                }
                // A new file, or one that has lost what was added to it, gets all counts but those in another file.
                EarlierContributions { to_other_file, .. } => to_other_file,
            },
            contribution: (self.later_writes == LaterWrites::Possible).then_some(&mut self.contribution),
        };
        // SAFETY: the caller of `new` passed an image of this process and its plan; `read_old_from` has parsed `old` from this source.
        self.saturated = Some(unsafe { write_job(job, sink) }?);
        Ok(())
    }

    /// Reports saturated counters once the file is published. Returns the contribution if a later write needs it.
    pub fn finish(self) -> Option<Contribution> {
        report_saturated(self.image, self.saturated?, self.name);
        (self.later_writes == LaterWrites::Possible).then_some(self.contribution)
    }
}

impl ProfileContent for MergedContent<'_> {
    fn write_profile(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        match old {
            Some(fd) => self.write_sum(Some(FileSource { fd, size: fd.status()?.size, holes: true }.source()), sink),
            None => self.write_sum(None, sink),
        }
    }

    fn read_old(&mut self, old: &Fd, size: u64) -> Result {
        self.read_old_from(FileSource { fd: old, size, holes: true }.source())
    }

    fn warn_unlocked(&mut self, reason: Error) {
        if !core::mem::replace(&mut self.warned_unlocked, true) {
            warn_unlocked(self.name, reason);
        }
    }

    fn warn_quarantined(&mut self, reason: Error, moved_to: &[u8]) {
        let (cause, now) = (b"\" cannot be merged: ", b". It is now \"");
        let anew: &[u8] = b"\", and counting begins anew.";
        print(Grade::Warning, &[b"\"", self.name, cause, report::reason(reason), now, moved_to, anew]);
    }

    fn warn_not_quarantined(&mut self, reason: Error, why: Error) {
        warn_not_quarantined(self.name, reason, why);
    }
}

/// Reports that a file can be neither merged nor quarantined.
pub fn warn_not_quarantined(name: &[u8], error: Error, why: Error) {
    let (cause, but) = (b"\" cannot be merged: ", b". It is not moved aside: ");
    print(Grade::Warning, &[b"\"", name, cause, reason(error), but, reason(why), b"."]);
}

/// Reports that a file is merged into without a lock.
pub fn warn_unlocked(name: &[u8], error: Error) {
    let lost: &[u8] = b". What processes add at the same moment may be lost.";
    print(Grade::Warning, &[b"\"", name, b"\" cannot be locked: ", reason(error), lost]);
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
