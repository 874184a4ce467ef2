//! Creates a continuous file: writes the whole profile beside the old file, gives it the name, and maps the counters onto it.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::adopt::AdoptedProfile;
use super::counts::{CountKind, counter_kind};
use super::mapped_section::MappingMethod;
use super::numbered::{set_moved, stamp_at};
use super::snapshot::{InitialCounts, Snapshot};
use crate::dump;
use crate::error::classes::needs_next_name;
use crate::error::{Error, Result};
use crate::format::Encoding;
use crate::format::stamp::Stamp;
use crate::lifecycle::merged_content::VALUE_SCRATCH;
use crate::native::Plan;
use crate::os;
use crate::os::file::Fd;
use crate::publish::without_size_signal;
use crate::reset;
use crate::sections::{Image, variables};
use crate::sink;
use crate::span::Span;
use crate::state::output::Output;

/// The file that the counters are pages of while a new one is created: it has counts that the new file must get. The file is open.
#[derive(Clone, Copy)]
pub(super) enum MappedFile<'a> {
    /// There is none: the counters are memory of the process, or start from zero, or the file was removed or may not be opened.
    None,
    /// The new file gets the name of this one.
    SameName(&'a Fd),
    /// The new file gets another name. This one is marked, so that no other process adopts its counts.
    OtherName(&'a Fd),
}

impl<'a> MappedFile<'a> {
    /// Returns the file.
    fn file(self) -> Option<&'a Fd> {
        match self {
            MappedFile::None => None,
            MappedFile::SameName(file) | MappedFile::OtherName(file) => Some(file),
        }
    }

    /// Marks a file under another name: whether the new file has its counts.
    fn mark_moved(self, moved: bool) {
        if let MappedFile::OtherName(file) = self {
            let _ = set_moved(file, moved);
        }
    }
}

/// A continuous file that is being created, in one of these situations:
///
/// | caller | the new name has | `initial` | `replaces` | `adopted` | `mapped_file` |
/// | --- | --- | --- | --- | --- | --- |
/// | start of the mode | no file | `Live` | no | `None` | `None` |
/// | | a file of an earlier run, or without counts | `Live` | yes | `None` | `None` |
/// | | a file of this run, or a pool file | `Live` | yes | its profile | `None` |
/// | forked child, reset of a pool file | any of these | `Cleared` | as above | as above | `None` |
/// | `move_on` | any of these | `Live` | as above | as above | `OtherName` |
/// | `renew` | the mapped file | `Live` | yes | `None` | `SameName` |
/// | | no file: it was removed | as at the start of the mode | | | |
pub(super) struct NewContinuousFile<'a> {
    pub(super) image: &'a Image,
    pub(super) plan: &'a Plan,
    /// The counts of this process that the file gets.
    pub(super) initial: InitialCounts,
    /// The new file replaces the file that has the name.
    pub(super) replaces: bool,
    /// The profile in the file that has the name, if its counts are adopted.
    pub(super) adopted: Option<AdoptedProfile<'a>>,
    /// The file that the counters are pages of.
    pub(super) mapped_file: MappedFile<'a>,
    /// Result: the file that has the name could not be replaced, for a reason after which the next name is tried.
    pub(super) refused: bool,
}

impl NewContinuousFile<'_> {
    /// Creates the file and maps it. Fails with [`Error::OVERTAKEN`] if another process has created a file with the name.
    pub(super) fn fill_and_map(&mut self, output: &mut Output) -> Result {
        let snapshot = Snapshot::new(self.image, counter_kind(), self.initial)?;
        let result = self.install(output, &snapshot).and_then(|file| {
            let mapped = self.map(output, &file, &snapshot);
            if mapped.is_ok() {
                output.continuous.lock.keep(file);
            } else if !self.replaces {
                // A file that has replaced another one stays: nobody else has the counts.
                output.publisher.remove();
            }
            mapped
        });
        output.continuous.give_up();
        result
    }

    /// Creates the file, fills it, and gives it the name.
    fn install(&mut self, output: &mut Output, snapshot: &Snapshot) -> Result<Fd> {
        let mode = variables::directory_mode().load(Ordering::Relaxed);
        loop {
            let file = output.publisher.create_locked(mode)?;
            if let Err(error) = self.fill(output, &file, snapshot) {
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
    fn fill(&mut self, output: &mut Output, file: &Fd, snapshot: &Snapshot) -> Result {
        let image = &self.image.with_counts(snapshot.counters(), snapshot.bitmap());
        let plan = self.plan;
        if self.initial == InitialCounts::Cleared {
            reset::zero_value_counts(self.image);
        }
        let _blocked = without_size_signal();
        file.allocate(plan.fixed_size())?;
        let mut sink = sink::file::File::new(file);
        match &mut self.adopted {
            Some(adopted) => adopted.write(image, plan, sink.sink()),
            // SAFETY: the sections are those of this image, with counters and bitmaps from the snapshot, which outlives the write.
            None => unsafe { dump::write_all(image, plan, VALUE_SCRATCH, sink.sink()) },
        }?;
        let numbered = !self.is_pooled(output) && output.member.is_numbered();
        file.write_at(
            Stamp { run: output.run, numbered, moved: false }.bytes(Encoding::NATIVE).as_flattened(),
            stamp_at(plan),
        )?;
        output.continuous.counters.prepare(file, plan)?;
        output.continuous.bitmap.prepare(file, plan)
    }

    /// Returns whether the file is a pool file. (A mapped one may have its name from an earlier pattern.)
    fn is_pooled(&self, output: &Output) -> bool {
        match self.mapped_file {
            MappedFile::SameName(_) => output.continuous.pooled,
            _ => output.is_pooled(),
        }
    }

    /// Moves the program's counters and bitmaps onto the file, which has the name now.
    fn map(&self, output: &mut Output, file: &Fd, snapshot: &Snapshot) -> Result {
        let own = file.status()?;
        let pooled = self.is_pooled(output);
        // Counts that start from zero do not include those made since the snapshot.
        let added_since = |copy: Span| (self.initial == InitialCounts::Live).then_some(copy.start);
        let (counters, bitmap) = (added_since(snapshot.counters()), added_since(snapshot.bitmap()));
        let (old, plan) = (self.mapped_file.file(), self.plan);
        let Output { continuous, name, .. } = output;
        // The lock of the old file goes with its mapping, before the file does. From now on nobody adopts its counts.
        self.mapped_file.mark_moved(true);
        // SAFETY: the snapshot has as many bytes of counters as the section, aligned as the section.
        unsafe { continuous.counters.change(counter_kind(), counters, old, plan) }
            .inspect_err(|_| self.mapped_file.mark_moved(false))?;
        if let Some(adopted) = &self.adopted {
            adopted.add_values(self.image, name.as_bytes());
        }
        // If only the counters could be mapped, bitmaps are written at exit.
        // SAFETY: the snapshot has as many bytes of bitmaps as the section, aligned as the section.
        if unsafe { continuous.bitmap.change(CountKind::Bits, bitmap, old, plan) }.is_err() {
            continuous.bitmap.method = MappingMethod::Written;
        }
        continuous.name.set(name.as_bytes())?;
        continuous.identity = [own.device, own.inode];
        continuous.pooled = pooled;
        continuous.process_key = os::process_key();
        Ok(())
    }
}
