//! Sections that were read lately. Profiles of one binary have equal ones, of which each takes longer to read than all the rest of its profile:
//! it is unpacked, hashed and checked once, whoever reads.

use std::sync::{Arc, Mutex, PoisonError};

use super::NameTable;
use crate::error::Error;

/// The most sections that are remembered: a program and its libraries. The one that was read least recently makes room.
const MOST: usize = 16;
/// The most bytes of all remembered sections and names together. Of a larger section only that one is.
const MOST_BYTES: usize = 32 << 20;

/// A section, and what was read of it.
struct Recent {
    section: Vec<u8>,
    names: Arc<NameTable>,
    error: Option<Error>,
}

impl Recent {
    fn size(&self) -> usize {
        self.section.len().saturating_add(self.names.size())
    }
}

/// The last one was read last.
static RECENT: Mutex<Vec<Arc<Recent>>> = Mutex::new(Vec::new());

impl NameTable {
    /// Returns what [`NameTable::salvage`] does. Remembers some sections, 32 MiB in all or one larger one, and reads none of these again.
    pub fn recent(section: &[u8]) -> (Arc<NameTable>, Option<Error>) {
        let of = |recent: &Recent| (recent.names.clone(), recent.error.clone());
        if let Some(found) = find(section) {
            return of(&found);
        }
        let (names, error) = NameTable::salvage(section);
        let new = Arc::new(Recent { section: section.to_vec(), names: Arc::new(names), error });
        let mut all = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(new.clone());
        let mut left = MOST_BYTES;
        let fits = |recent: &&Arc<Recent>| {
            let rest = left.checked_sub(recent.size());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let kept = all.iter().rev().take(MOST).take_while(fits).count().max(1);
        let old = all.len().saturating_sub(kept);
        all.drain(..old);
        of(&new)
    }
}

/// Returns this section, if it was read lately.
fn find(section: &[u8]) -> Option<Arc<Recent>> {
    let mut all = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let place = all.iter().rposition(|recent| recent.section == section)?;
    all.get_mut(place..)?.rotate_left(1);
    all.last().cloned()
}
