//! A continuous file that is being created: what is in it, and its mappings.

#![allow(unsafe_code)]

use super::counts::snapshot::{InitialCounts, Snapshot};
use super::counts::{self, CountKind, counter_kind};
use super::mapped_section::{MappedSection, MappingMethod};
use core::ops::Range;
use core::ptr;

use crate::error::Result;
use crate::link;
use crate::merge::linked;
use crate::merge::read_old::read_old;
use crate::merge::sum::Sum;
use crate::native::Plan;
use crate::os::Fd;
use crate::os::file::Lock;
use crate::publish::{Content, Old};
use crate::report::{Grade, print};
use crate::reset;
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;

/// The file that is being created.
pub struct MappedFile<'a> {
    pub counters: &'a mut MappedSection,
    pub bitmap: &'a mut MappedSection,
    pub image: &'a Image,
    pub plan: &'a Plan,
    /// Whether the old file is the one that the counters are pages of. Else it is a pool file, whose counts are adopted.
    pub renews: bool,
    /// The counts of this process that the file gets.
    pub initial: InitialCounts,
    pub snapshot: Snapshot,
    /// The sum with the counts of a pool file, which are adopted.
    pub sum: Sum,
    /// The file that the counters are pages of until now, if it is replaced.
    pub replaced: Option<Fd>,
    /// The new file.
    pub file: Option<Fd>,
}

impl MappedFile<'_> {
    /// Returns the image with the copied counts.
    fn copied(&self) -> Image {
        self.image.with_counts(self.snapshot.counters(), self.snapshot.bitmap())
    }

    /// Moves the program's counters and bitmaps onto the file, which has the name now.
    pub fn map(&mut self, name: &[u8]) -> Result {
        // Counts that start from zero do not include those made since the snapshot.
        let added_since = |copy: Span| if self.initial == InitialCounts::Live { copy.start } else { ptr::null() };
        let (counters, bitmap) = (added_since(self.snapshot.counters()), added_since(self.snapshot.bitmap()));
        let old = self.replaced.as_ref();
        // SAFETY: the snapshot has as many bytes of counters as the section, aligned as the section.
        unsafe { self.counters.change(counters, old, self.plan) }?;
        self.add_values(name);
        // If only the counters could be mapped, bitmaps are written at exit.
        // SAFETY: the snapshot has as many bytes of bitmaps as the section, aligned as the section.
        if unsafe { self.bitmap.change(bitmap, old, self.plan) }.is_err() {
            self.bitmap.method = MappingMethod::Written;
        }
        if self.bitmap.method == MappingMethod::Written {
            self.set_bits();
        }
        Ok(())
    }

    /// Sets the bits of an adopted pool file in the section of this process, which may start from zero.
    fn set_bits(&mut self) {
        let live = self.image.bitmap;
        if self.initial == InitialCounts::Cleared {
            // SAFETY: a writable section of this image.
            unsafe { reset::fill(live, CountKind::Bits.initial()) };
        }
        let Some(old) = &mut self.sum.old else { return };
        let [bits] = old.checked.bits;
        let adopted = Span::of(old.part(bits, live.len));
        // SAFETY: the check found as many bytes in the old profile as the section has, which is writable.
        unsafe { counts::add(CountKind::Bits, adopted, ptr::null(), live.start.cast_mut(), false) };
    }

    /// Adds the values of an adopted pool file to the sites of this process. Reports saturated counters.
    fn add_values(&self, name: &[u8]) {
        let Some(old) = &self.sum.old else { return };
        let values = old.values();
        // A program without value sites has none.
        if !values.is_empty()
            && let Some(take_over) = linked::take_over()
        {
            // SAFETY: the image is this process's, and the old profile was checked.
            unsafe { take_over(values, self.image, &old.checked.rebase) };
        }
        if self.sum.saturated.count > 0 {
            print(Grade::Warning, &[b"Counters in \"@\" reached 2^56 and saturated.", name]);
        }
    }
}

impl Content for MappedFile<'_> {
    fn prepare(&mut self, old: Old<'_>) -> Result {
        (self.sum.old, self.replaced) = (None, None);
        self.snapshot.take(self.image, counter_kind(), self.initial)?;
        if self.initial == InitialCounts::Cleared {
            reset::zero_value_counts(self.image);
        }
        match old {
            Old::File(file, _) if self.renews => self.replaced = Some(file.duplicate()?),
            Old::File(file, status) if status.size > 0 => {
                let range = link::notes::loaded_range();
                // SAFETY: the image is this process's, with its plan; `Continuous::begin` has checked its raw version. Its counts are copies.
                unsafe {
                    read_old(&mut self.sum.old, file, status.size, false, self.image, range, self.plan)?;
                    self.sum.add_up(&self.copied(), self.plan, None)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        let image = &self.copied();
        // SAFETY: the sections are those of this image, with counters and bitmaps from the snapshot, which outlives the write.
        unsafe { self.sum.write(image, self.plan, None, false, sink) }
    }

    fn written(&mut self, file: &Fd, _at: Range<u64>) -> Result {
        // A store to a mapped page without space is a deadly signal.
        file.allocate(self.plan.fixed_size())?;
        // New, so no other process has locked it.
        if let Lock::Impossible(error) = file.try_lock() {
            return Err(error);
        }
        self.counters.prepare(file, self.plan)?;
        self.bitmap.prepare(file, self.plan)?;
        self.file = Some(file.duplicate()?);
        Ok(())
    }
}
