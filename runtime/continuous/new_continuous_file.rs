//! Creates a continuous file: writes the whole profile beside the old file, gives it the name, and maps the counters onto it.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::adopt::AdoptedProfile;
use super::counts::{CountKind, counter_kind};
use super::mapped_section::MappingMethod;
use super::numbered::{set_moved, stamp_at};
use super::snapshot::{InitialCounts, Snapshot};
use super::stamp::Stamp;
use crate::dump;
use crate::error::classes::needs_next_name;
use crate::error::{Error, Result};
use crate::lifecycle::merged_content::VALUE_SCRATCH;
use crate::native::Plan;
use crate::os;
use crate::os::file::Fd;
use crate::publish::without_size_signal;
use crate::reset;
use crate::sections::{Image, variables};
use crate::sink;
use crate::state::output::Output;

/// A continuous file that is being created.
pub(super) struct NewContinuousFile<'a> {
    pub(super) image: &'a Image,
    pub(super) plan: &'a Plan,
    pub(super) initial: InitialCounts,
    /// The file replaces an old one.
    pub(super) replaces: bool,
    /// The profile in the old file, if its counts are adopted.
    pub(super) adopted: Option<AdoptedProfile<'a>>,
    /// The old file, if the counters are its pages.
    pub(super) renews: Option<&'a Fd>,
    /// The file under another name of which the counters are pages.
    pub(super) moved_from: Option<&'a Fd>,
    /// `install` has failed for a reason like that of [`Claim::Refused`].
    pub(super) refused: bool,
}

impl NewContinuousFile<'_> {
    /// Creates the file and maps it. Fails with [`Error::OVERTAKEN`] if another process has created a file with the name.
    pub(super) fn fill_and_map(&mut self, output: &mut Output) -> Result {
        let copy = Snapshot::new(self.image, counter_kind(), self.initial)?;
        let mapped = self.install(output, &copy).and_then(|file| {
            let mapped = self.map(output, &file, &copy);
            if mapped.is_ok() {
                output.continuous.lock.keep(file);
            } else if !self.replaces {
                // A file that has replaced another one stays: nobody else has the counts.
                output.publisher.remove();
            }
            mapped
        });
        output.continuous.give_up();
        mapped
    }

    /// Creates the file, fills it, and gives it the name.
    fn install(&mut self, output: &mut Output, copy: &Snapshot) -> Result<Fd> {
        let mode = variables::directory_mode().load(Ordering::Relaxed);
        loop {
            let file = output.publisher.create_locked(mode)?;
            if let Err(error) = self.fill(output, &file, copy) {
                output.publisher.discard(&file);
                return Err(error);
            }
            match output.publisher.install(&file, self.replaces) {
                Ok(()) => return Ok(file),
                Err(Error::CREATE_AGAIN) => {}
                Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
                Err(error) => {
                    self.refused = self.replaces && needs_next_name(error);
                    return Err(error);
                }
            }
        }
    }

    /// Writes the profile and the stamp into the file, and prepares the mappings.
    fn fill(&mut self, output: &mut Output, file: &Fd, copy: &Snapshot) -> Result {
        let image = &self.image.with_counts(copy.counters(), copy.bitmap());
        let plan = self.plan;
        if self.initial == InitialCounts::Cleared {
            reset::zero_value_counts(self.image);
        }
        let _blocked = without_size_signal();
        file.allocate(plan.fixed_size())?;
        let mut sink = sink::file::File::new(file);
        match &mut self.adopted {
            Some(adopted) => adopted.write(image, plan, sink.sink()),
            // SAFETY: the sections are those of this image, with counters and bitmaps from the snapshot, which lives as long as `copy`.
            None => unsafe { dump::write_all(image, plan, VALUE_SCRATCH, sink.sink()) },
        }?;
        let numbered = !self.is_pooled(output) && output.member.is_numbered();
        file.write_at(Stamp { run: output.run, numbered, moved: false }.bytes().as_flattened(), stamp_at(plan))?;
        output.continuous.counters.prepare(file, plan)?;
        output.continuous.bitmap.prepare(file, plan)
    }

    /// Returns whether the file is a pool file. (A mapped one may have its name from an earlier pattern.)
    fn is_pooled(&self, output: &Output) -> bool {
        if self.renews.is_some() { output.continuous.pooled } else { output.is_pooled() }
    }

    /// Moves the program's counters and bitmaps onto the file, which has the name now.
    fn map(&self, output: &mut Output, file: &Fd, copy: &Snapshot) -> Result {
        let own = file.status()?;
        let pooled = self.is_pooled(output);
        let (initial, mapped, plan) = (self.initial, self.renews, self.plan);
        let (counters, bitmap) = (copy.counters().start, copy.bitmap().start);
        let Output { continuous, name, .. } = output;
        // The lock of the old file goes with its mapping, before the file does. From now on nobody adopts its counts.
        if let Some(old) = self.moved_from {
            let _ = set_moved(old, true);
        }
        // SAFETY: the snapshot has as many bytes of counters as the section, aligned as the section.
        let changed = unsafe { continuous.counters.change(counter_kind(), counters, initial, mapped, plan) };
        if changed.is_err() {
            if let Some(old) = self.moved_from {
                let _ = set_moved(old, false);
            }
            return changed;
        }
        if let Some(adopted) = &self.adopted {
            adopted.add_values(self.image, name.as_bytes());
        }
        // If only the counters could be mapped, bitmaps are written at exit.
        // SAFETY: the snapshot has as many bytes of bitmaps as the section, aligned as the section.
        if unsafe { continuous.bitmap.change(CountKind::Bits, bitmap, initial, mapped, plan) }.is_err() {
            continuous.bitmap.method = MappingMethod::Written;
        }
        continuous.name.set(name.as_bytes())?;
        continuous.identity = [own.device, own.inode];
        continuous.pooled = pooled;
        continuous.process = os::process_key();
        Ok(())
    }
}
