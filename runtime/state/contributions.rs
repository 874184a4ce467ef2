//! Remembers the contributions of this image to pool files: a second write adds only the counts since the first one.

use crate::merge::contribution::Contribution;

/// The contribution to one file.
#[derive(Debug)]
struct ContributionEntry {
    /// The key of the file: a hash of its name, or of its device and inode.
    name: u64,
    /// The process that wrote. A forked child's counts are its own.
    process: u32,
    /// How often the counters were reset before.
    round: u32,
    contribution: Contribution,
}

/// The contributions to the files written last.
#[derive(Debug)]
pub struct Contributions([Option<ContributionEntry>; 4]);

impl Contributions {
    /// Creates an empty list.
    pub const fn new() -> Contributions {
        Contributions([const { None }; 4])
    }

    /// Forgets all contributions, without freeing their memory.
    pub fn abandon(&mut self) {
        for entry in &mut self.0 {
            core::mem::forget(entry.take());
        }
    }

    /// Returns the contribution of this process to the file in this round.
    pub fn find(&self, name: u64, process: u32, round: u32) -> Option<&Contribution> {
        let own = |entry: &&ContributionEntry| (entry.name, entry.process, entry.round) == (name, process, round);
        self.0.iter().flatten().find(own).map(|entry| &entry.contribution)
    }

    /// Remembers a contribution, and forgets the previous one to the same file or else the oldest one.
    pub fn remember(&mut self, name: u64, process: u32, round: u32, contribution: Contribution) {
        let place = self.0.iter().position(|old| old.as_ref().is_some_and(|old| old.name == name)).unwrap_or(3);
        if let Some(slots) = self.0.get_mut(..=place) {
            // From the newest to the oldest.
            let mut next = Some(ContributionEntry { name, process, round, contribution });
            for slot in slots {
                core::mem::swap(slot, &mut next);
            }
        }
    }
}
