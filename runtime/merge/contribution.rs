//! The contribution of this image: what it has written under the current name since the last reset. A later write emits the difference, so that
//! each count reaches a file once.
//!
//! After the first write to a plain file only the place in the file is kept; the next write reads the counts back ([`Contribution::read_back`]). From
//! the second write on, and for a pool file, which has the counts of others, too, a copy stays in memory.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use super::linked;
use super::old::trim_to_sites;
use super::pages::{Pages, pages};
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::header::MAX_WORDS;
use crate::format::layout::Part;
use crate::native::Plan;
use crate::os::{self, Fd};
use crate::raw;
use crate::sections::Image;
use crate::value::node::records;

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
    /// The process that has written; 0: none. In a forked child the contribution is void: the child has written nothing.
    process_key: u32,
    /// How often the counters were reset before.
    resets: u32,
    /// The profile goes to a file beside the one with the name.
    pub beside: bool,
    /// Where in a plain file our last profile is; empty: not known.
    pub in_file: Range<u64>,
    /// What was written; none as long as it is only in the plain file.
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

    /// Takes note of a write: `counts` are all by now, or none, if they are in the plain file. `beside`: it went to a file beside the one with the name.
    pub fn remember(&mut self, counts: Counts, in_file: Range<u64>, beside: bool) {
        self.process_key = os::process_key();
        self.counts = counts;
        self.in_file = in_file;
        self.beside |= beside;
    }

    /// Reads back what the first write has left in a plain file. The contribution is void if our last profile is not there by now: somebody has removed
    /// the file, and another process has made a new one.
    ///
    /// # Safety
    /// `image` must be an image of this process, of this archive's raw version, and `plan` its plan.
    pub unsafe fn read_back(&mut self, file: &Fd, image: &Image, plan: &Plan) {
        if self.in_file.is_empty() {
            return;
        }
        // SAFETY: this function's contract.
        match unsafe { self.find(file, image, plan) } {
            Ok(None) => {}
            Ok(Some(counts)) => self.counts = counts,
            Err(_) => self.forget(),
        }
    }

    /// Looks our last profile up in the file, and reads its counts, unless counts are in memory. Error: among others [`Error::FOREIGN`], where the header
    /// is not ours, or a counter is larger than the live one.
    ///
    /// # Safety
    /// The contract of [`Contribution::read_back`].
    unsafe fn find(&self, file: &Fd, image: &Image, plan: &Plan) -> Result<Option<Counts>> {
        let mut words = [const { MaybeUninit::uninit() }; MAX_WORDS];
        let header = raw::header_span(plan, &mut words);
        let at = &self.in_file;
        let theirs = read(file, at.start, header.len as u64)?;
        // SAFETY: the array.
        if unsafe { header.bytes() } != theirs.bytes() {
            return Err(Error::FOREIGN);
        }
        let (counters, values) = (plan.chunk(Part::Counters), at.start.saturating_add(plan.fixed_size()));
        if counters.len == 0 || !self.counts.counters.bytes().is_empty() {
            return Ok(None);
        }
        let counts = Counts {
            counters: read(file, at.start.saturating_add(counters.offset), counters.len)?,
            values: read(file, values, at.end.saturating_sub(values))?,
        };
        // Counters of one byte, and time stamps, become smaller, so they are not compared.
        if plan.variant().counter_size() == 8 && !plan.variant().has(Variant::TEMPORAL) {
            let live = image.counters.start.cast::<AtomicU64>();
            // SAFETY: counters of an image of this process, which are aligned words. Atomic, because threads count in them.
            let live = unsafe { core::slice::from_raw_parts(live, image.counters.len / 8) };
            for (count, live) in counts.counters.words().iter().zip(live) {
                if *count > live.load(Ordering::Relaxed) {
                    return Err(Error::FOREIGN);
                }
            }
        }
        // SAFETY: an image of this process, by this function's contract.
        let records = trim_to_sites(unsafe { records(image.data) });
        linked::check().map_or(Ok(()), |check| check(counts.values.bytes(), records))?;
        Ok(Some(counts))
    }
}

/// Reads bytes of a file.
#[inline(never)]
fn read(file: &Fd, at: u64, len: u64) -> Result<Pages> {
    let mut bytes = pages(usize::try_from(len).map_err(|_| Error::OVERFLOW)?)?;
    file.read_all(bytes.bytes_mut(), at)?;
    Ok(bytes)
}
