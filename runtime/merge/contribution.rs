//! The contribution of this image: what it has written under the current name since the last reset. A later write emits the difference, so that
//! each count reaches a file once. After the first write to a plain file the file remembers it: a later write reads it back ([`Contribution::read_back`]). A
//! pool file has the counts of others, too, so that a copy stays in memory.

#![allow(unsafe_code)]

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use super::old::OldProfile;
use super::pages::{Pages, pages};
use super::read_old::read_old;
use crate::copy::copy;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::layout::Part;
use crate::native::Plan;
use crate::os::{self, Fd};
use crate::sections::Image;
use crate::span::Span;

/// Counts as of a write. All zeros: none.
pub struct Counts {
    /// The counters.
    pub counters: Pages,
    /// The values, in the form that `file_values` reads.
    pub values: Pages,
}

impl Counts {
    /// No counts.
    pub const NONE: Counts = Counts { counters: Pages::EMPTY, values: Pages::EMPTY };
}

/// The contribution of an image. All zeros: none.
pub struct Contribution {
    /// The process that has written; 0: none. A forked child's counts are its own.
    process_key: u32,
    /// How often the counters were reset before.
    resets: u32,
    /// The profile goes to a file beside the one with the name.
    pub beside: bool,
    /// Where in a plain file its profile is; empty: `counts` are complete.
    pub in_file: Range<u64>,
    /// What was written.
    pub counts: Counts,
}

impl Contribution {
    /// No contribution.
    pub const NONE: Contribution =
        Contribution { process_key: 0, resets: 0, beside: false, in_file: 0..0, counts: Counts::NONE };

    /// Forgets what was written: the program has changed the name.
    pub fn forget(&mut self) {
        *self = Contribution::NONE;
    }

    /// Forgets what was written by another process, or before the last reset, of which there were `resets`.
    pub fn forget_others(&mut self, resets: u32) {
        if self.process_key == 0 {
        } else if self.process_key != os::process_key() {
            // Leaked: a thread of the parent may have been moving these pages when it forked, so that a mapping is referenced twice here.
            core::mem::forget(core::mem::replace(self, Contribution::NONE));
        } else if self.resets != resets {
            self.forget();
        }
        self.resets = resets;
    }

    /// Returns whether this image has written.
    pub fn exists(&self) -> bool {
        self.process_key != 0
    }

    /// Takes note of a write: these are all counts by now, or they are in the plain file. `beside`: it went to a file beside the one with the name.
    pub fn remember(&mut self, counts: Counts, in_file: Range<u64>, beside: bool) {
        self.process_key = os::process_key();
        self.counts = counts;
        self.in_file = in_file;
        self.beside |= beside;
    }

    /// Reads back what the last write has left in a plain file. It is void if the file has no such profile by now, or one with more counts than the
    /// live ones: somebody has removed the file, and another process has made a new one.
    ///
    /// # Safety
    /// The contract of [`read_old`].
    pub unsafe fn read_back(&mut self, file: &Fd, image: &Image, loaded_range: Span, plan: &Plan) {
        let at = core::mem::take(&mut self.in_file);
        if at.is_empty() {
            return;
        }
        // SAFETY: this function's contract.
        let read = unsafe { read_old(file, at, true, image, loaded_range, plan) };
        match read.and_then(|old| counts_of(old, image, plan)) {
            Ok(counts) => self.counts = counts,
            Err(_) => self.forget(),
        }
    }
}

/// Returns the counts of a profile. Error: [`Error::FOREIGN`], where a counter is larger than that of this process.
fn counts_of(mut old: OldProfile, image: &Image, plan: &Plan) -> Result<Counts> {
    let in_pages = |bytes: &[u8]| -> Result<Pages> {
        let mut copied = pages(bytes.len())?;
        // SAFETY: the slice, and as many new bytes.
        unsafe { copy(copied.bytes_mut().as_mut_ptr(), bytes.as_ptr(), bytes.len()) };
        Ok(copied)
    };
    let (values, counters) = (in_pages(old.values())?, in_pages(old.part(Part::Counters, image.counters.len))?);
    // SAFETY: counters of an image of this process, which are aligned words if they have eight bytes. Atomic, because threads count in them.
    let live = unsafe { core::slice::from_raw_parts(image.counters.start.cast::<AtomicU64>(), image.counters.len / 8) };
    let is_live = |(count, live): (&u64, &AtomicU64)| *count <= live.load(Ordering::Relaxed);
    // Counters of one byte, and time stamps, become smaller.
    let compared = plan.variant().counter_size() == 8 && !plan.variant().has(Variant::TEMPORAL);
    let is_ours = !compared || counters.words().iter().zip(live).all(is_live);
    if is_ours { Ok(Counts { counters, values }) } else { Err(Error::FOREIGN) }
}
