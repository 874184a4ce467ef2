//! Sections that were read lately. Profiles of one binary have equal ones, of which each takes longer to read than all the rest of its profile:
//! it is unpacked, hashed and checked once, whoever reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::NameTable;
use crate::error::Error;

/// The most sections that are remembered: a program and its libraries. The one that was read least recently makes room.
const MOST: usize = 16;
/// The most bytes of all remembered sections and names together. A larger section is remembered alone.
const MOST_BYTES: usize = 32 << 20;

/// A section, and what was read of it.
struct Recent {
    section: Vec<u8>,
    names: Arc<NameTable>,
    error: Option<Error>,
}

/// The last one was read last.
struct Sections(Vec<Arc<Recent>>);

impl NameTable {
    /// Returns what [`NameTable::salvage`] does. Remembers the last sections, 32 MiB in all or one larger one, and reads none of them again.
    pub fn recent(section: &[u8]) -> (Arc<NameTable>, Option<Error>) {
        let known = sections().find(section);
        let recent = known.unwrap_or_else(|| {
            let (names, error) = NameTable::salvage(section);
            let new = Arc::new(Recent { section: section.to_vec(), names: Arc::new(names), error });
            sections().add(new.clone());
            new
        });
        (recent.names.clone(), recent.error.clone())
    }
}

/// Locks the sections of this process.
fn sections() -> MutexGuard<'static, Sections> {
    static SECTIONS: Mutex<Sections> = Mutex::new(Sections(Vec::new()));
    SECTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sections {
    fn find(&mut self, section: &[u8]) -> Option<Arc<Recent>> {
        let place = self.0.iter().rposition(|recent| recent.section == section)?;
        self.0.get_mut(place..)?.rotate_left(1);
        self.0.last().cloned()
    }

    fn add(&mut self, new: Arc<Recent>) {
        self.0.push(new);
        let size = |recent: &Recent| recent.section.len().saturating_add(recent.names.size());
        while self.0.len() > 1
            && (self.0.len() > MOST || self.0.iter().map(|recent| size(recent)).sum::<usize>() > MOST_BYTES)
        {
            self.0.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::name_hash;
    use crate::read::names::write_blob;

    #[test]
    fn what_is_remembered_is_what_would_be_read() {
        let whole = write_blob([&b"main"[..], b"work"], true);
        let cut = &whole[..whole.len() - 1];
        for _ in 0..2 {
            for (section, is_whole) in [(&whole[..], true), (cut, false)] {
                let (names, error) = NameTable::recent(section);
                assert_eq!((names.get(name_hash(b"main")).is_some(), error.is_none()), (true, is_whole));
                assert_eq!(error, NameTable::salvage(section).1);
            }
        }
    }

    #[test]
    fn the_least_recent_makes_room() {
        let recent = |number: usize, len: usize| {
            let section = [number.to_le_bytes().to_vec(), vec![0; len]].concat();
            Arc::new(Recent { section, names: Arc::default(), error: None })
        };
        let mut sections = Sections(Vec::new());
        for number in 0..MOST {
            sections.add(recent(number, 0));
        }
        assert!(sections.find(&0usize.to_le_bytes()).is_some());
        sections.add(recent(MOST, 0));
        let has =
            |sections: &mut Sections| [0, 1, 2, MOST].map(|number| sections.find(&number.to_le_bytes()).is_some());
        assert_eq!(has(&mut sections), [true, false, true, true]);
        sections.add(recent(99, MOST_BYTES));
        assert_eq!(has(&mut sections), [false; 4]);
        let large = sections.0.last().cloned();
        assert!(large.is_some_and(|large| sections.find(&large.section).is_some()));
    }
}
