//! The paths of all file lists, each once.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

/// Paths, by numbers that count from 0 in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths(IndexSet<Box<[u8]>, DefaultHashBuilder>);

impl Paths {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        self.0.get_index(number as usize).map_or(&[], |path| path)
    }

    /// Returns the number of a path; `None` if there are 2^32.
    pub(super) fn add(&mut self, path: &[u8]) -> Option<u32> {
        let number = self.0.get_index_of(path).unwrap_or_else(|| self.0.insert_full(path.into()).0);
        u32::try_from(number).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_kept_once() {
        let mut paths = Paths::default();
        let numbers = [&b"/a.c"[..], b"", b"/b.c", b"/a.c", b""].map(|path| paths.add(path));
        assert_eq!(numbers, [0, 1, 2, 0, 1].map(Some));
        assert_eq!((paths.len(), paths.get(0), paths.get(1), paths.get(2)), (3, &b"/a.c"[..], &b""[..], &b"/b.c"[..]));
        assert_eq!(paths.get(3), b"");
    }
}
