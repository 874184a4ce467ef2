//! What this image has given to files that unite the profiles of runs: a second write adds only what is new.

use crate::merge::write::Contribution;

/// A file, and what it has from us.
#[derive(Debug)]
struct ContributionEntry {
    /// Hash of the file's name.
    name: u64,
    /// The process that wrote. A forked child's counts are its own.
    process: u32,
    /// How often counters were reset before.
    round: u32,
    contribution: Contribution,
}

/// The files written last.
#[derive(Debug)]
pub struct Contributions([Option<ContributionEntry>; 4]);

impl Contributions {
    /// None.
    pub const fn new() -> Contributions {
        Contributions([const { None }; 4])
    }

    /// Forgets all, and gives no memory back.
    pub fn abandon(&mut self) {
        for entry in &mut self.0 {
            core::mem::forget(entry.take());
        }
    }

    /// What the file has from this process in this round.
    pub fn find(&self, name: u64, process: u32, round: u32) -> Option<&Contribution> {
        let own = |entry: &&ContributionEntry| (entry.name, entry.process, entry.round) == (name, process, round);
        self.0.iter().flatten().find(own).map(|entry| &entry.contribution)
    }

    /// Remembers it, in the place of what was remembered of that file, or of the oldest.
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
