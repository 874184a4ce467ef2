//! Where the parts of a record stand in the vectors that have the parts of all records.

use crate::name::NameId;
use crate::values::ValueSites;

/// A record of a profile.
#[derive(Clone, Debug)]
pub(crate) struct StoredRecord {
    pub(crate) name: NameId,
    pub(crate) hash: u64,
    pub(crate) counters: Span,
    pub(crate) bitmap: Span,
    pub(crate) uniformity: Span,
    pub(crate) values: Option<Box<ValueSites>>,
}

/// A range of a vector that has the parts of all records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Span {
    /// Appends `part` to `all`, and returns where it stands.
    pub(crate) fn append<T: Copy>(all: &mut Vec<T>, part: &[T]) -> Span {
        let start = all.len();
        all.extend_from_slice(part);
        Span { start, len: part.len() }
    }

    /// Returns the part.
    pub(crate) fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.start..).and_then(|rest| rest.get(..self.len)).unwrap_or(&[])
    }

    /// Returns the part, to change it.
    pub(crate) fn of_mut<T>(self, all: &mut [T]) -> &mut [T] {
        all.get_mut(self.start..).and_then(|rest| rest.get_mut(..self.len)).unwrap_or(&mut [])
    }
}
