//! The contribution of this image: what it has written under the current name since the last reset. A later write emits the difference, so that
//! each count reaches a file once.

use super::pages::Pages;
use crate::os;

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
    /// What was written.
    pub counts: Counts,
}

impl Contribution {
    /// No contribution.
    pub const NONE: Contribution = Contribution { process_key: 0, resets: 0, beside: false, counts: Counts::NONE };

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

    /// Takes note of a write: these are all counts by now. `beside`: it went to a file beside the one with the name.
    pub fn remember(&mut self, counts: Counts, beside: bool) {
        self.process_key = os::process_key();
        self.counts = counts;
        self.beside |= beside;
    }
}
