//! The contribution of this image: what it has written under the current name since the last reset. A later write emits the difference, so that
//! each count reaches a file once.
//!
//! After the first write to a plain file only the place in the file is kept; the next write reads the counts back ([`Contribution::read_back`]). From
//! the second write on, and for a pool file, which has the counts of others, too, a copy stays in memory.

#![allow(unsafe_code)]

use core::mem::swap;
use core::ops::Range;

use super::check::check;
use super::pages::Pages;
use super::read_old::check_values;
use crate::error::{Error, Result};
use crate::link::notes::loaded_range;
use crate::native::Plan;
use crate::os::{self, Fd};
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
    /// Where in a plain file the counts are; empty: they are in memory.
    pub in_file: Range<u64>,
    /// The device and inode of that file.
    identity: [u64; 2],
    /// What was written, unless it is in the file.
    pub counts: Counts,
    /// The memory of the counters before those, for the next snapshot: fresh pages take longer than all else of a small dump.
    pub spare: Pages,
}

impl Contribution {
    /// No contribution.
    pub const NONE: Contribution = Contribution {
        process_key: 0,
        resets: 0,
        beside: false,
        in_file: 0..0,
        identity: [0; 2],
        counts: Counts::NONE,
        spare: Pages::EMPTY,
    };

    /// Forgets what was written: the program has changed the name.
    pub fn forget(&mut self) {
        *self = Contribution { resets: self.resets, ..Contribution::NONE };
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

    /// Takes note of a write. `counts`: all that was written so far; empty if they can be read from `in_file` of the file with this device and inode.
    /// `beside`: it went to a file beside the one with the name.
    pub fn remember(&mut self, counts: &mut Counts, in_file: Range<u64>, identity: [u64; 2], beside: bool) {
        self.process_key = os::process_key();
        swap(&mut self.spare, &mut self.counts.counters);
        swap(&mut self.counts.counters, &mut counts.counters);
        swap(&mut self.counts.values, &mut counts.values);
        (self.in_file, self.identity) = (in_file, identity);
        self.beside |= beside;
    }

    /// Reads back what the first write has left in a plain file. The contribution is void if our profile is not there by now: somebody has removed the
    /// file, and another process has made a new one. Error: [`Error::ENOMEM`].
    ///
    /// # Safety
    /// `image` must be an image of this process, of this archive's raw version, and `plan` its plan.
    pub unsafe fn read_back(&mut self, file: &Fd, image: &Image, plan: &Plan) -> Result {
        if self.in_file.is_empty() {
            return Ok(());
        }
        // SAFETY: this function's contract.
        match unsafe { self.read_counts(file, image, plan) } {
            Err(error @ Error::ENOMEM) => return Err(error),
            Err(_) => self.forget(),
            Ok(()) => self.in_file = 0..0,
        }
        Ok(())
    }

    /// Reads the counts of our profile in the file. Error: among others [`Error::FOREIGN`], where that of another program or process is there.
    ///
    /// # Safety
    /// The contract of [`Contribution::read_back`].
    unsafe fn read_counts(&mut self, file: &Fd, image: &Image, plan: &Plan) -> Result {
        let Range { start, end } = self.in_file;
        let status = file.status()?;
        if [status.device, status.inode] != self.identity {
            return Err(Error::FOREIGN);
        }
        read(file, start..end, &mut self.spare)?;
        let whole = self.spare.bytes();
        // SAFETY: this function's contract.
        let old = &unsafe { check(whole, image, loaded_range(), plan) }?;
        // SAFETY: the records of an image of this process, by this function's contract.
        check_values(whole, old, unsafe { records(image.data) })?;
        self.spare = Pages::EMPTY;
        // The names of another process are elsewhere, unless it was forked or has a fixed address.
        if old.rebase.moves() {
            return Err(Error::FOREIGN);
        }
        let counters = start.wrapping_add(old.counters);
        read(file, counters..counters.wrapping_add(image.counters.len as u64), &mut self.counts.counters)?;
        read(file, start.wrapping_add(old.values)..end, &mut self.counts.values)
    }
}

/// Reads a range of a file.
#[inline(never)]
fn read(file: &Fd, at: Range<u64>, to: &mut Pages) -> Result {
    to.renew(usize::try_from(at.end.saturating_sub(at.start)).map_err(|_| Error::OVERFLOW)?)?;
    file.read_all(to.bytes_mut(), at.start)
}
