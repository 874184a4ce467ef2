//! A function in the index.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hash, Hasher};

use super::lists::Lists;
use crate::leb128;

/// A function that has a coverage mapping, as the index has it: not decoded yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Function<'a> {
    pub(super) name_hash: u64,
    pub(super) hash: u64,
    pub(super) mapping: &'a [u8],
    /// The number of its file list.
    pub(super) list: u32,
    pub(super) build: Option<&'a [u8]>,
    pub(super) is_dummy: bool,
}

/// The build ids of the programs that have a function; `None` of one without.
pub(super) type Builds<'a> = BTreeSet<Option<&'a [u8]>>;

impl<'a> Function<'a> {
    /// Returns the hash of the PGO name, which [`Mapping::name`](super::Mapping::name) has.
    pub fn name_hash(&self) -> u64 {
        self.name_hash
    }

    /// Returns the structural hash, which a record of a profile must have, too; 0 for a dummy.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the build id of the first file that has it, as [`Mapping::set_build`](super::Mapping::set_build) got it.
    pub fn build(&self) -> Option<&'a [u8]> {
        self.build
    }

    /// Returns what no other function of the mapping has: where its record is.
    pub(super) fn place(&self) -> (u32, usize) {
        (self.list, self.mapping.as_ptr().addr())
    }

    /// Returns both hashes.
    pub(super) fn key(&self) -> (u64, u64) {
        (self.name_hash, self.hash)
    }

    /// Returns whether the compiler has seen the function and made no code of it: its structural hash is 0, and no region has a counter.
    /// (A function without branches can have the hash 0, too.)
    pub fn is_dummy(&self) -> bool {
        self.is_dummy
    }

    /// Returns the places in its file list of the files that its regions are in, with repetitions; less of a damaged mapping.
    pub(super) fn files(&self) -> impl Iterator<Item = u64> + use<'a> {
        let mut rest = self.mapping;
        let count = leb128::take(&mut rest).unwrap_or(0);
        (0..count).map_while(move |_| leb128::take(&mut rest))
    }

    /// Returns the paths of its files.
    pub(super) fn paths<'l>(&self, lists: &'l Lists<'_>) -> impl Iterator<Item = Option<u32>> + use<'a, 'l> {
        let list = lists.get(self.list);
        self.files().map(move |place| list.get(usize::try_from(place).ok()?).copied())
    }

    /// Returns the paths of its files, and the mapping after them: what two records of one function have in common, though each unit has its
    /// own file list.
    fn identity<'l>(&self, lists: &'l Lists<'_>) -> (impl Iterator<Item = Option<u32>> + use<'a, 'l>, &'a [u8]) {
        let mut rest = self.mapping;
        let count = leb128::take(&mut rest).unwrap_or(0);
        let is_whole = (0..count).all(|_| leb128::take(&mut rest).is_some());
        (self.paths(lists), if is_whole { rest } else { &[] })
    }

    /// Returns whether two records are the same.
    pub(super) fn is_same(&self, other: &Function<'_>, lists: &Lists<'_>) -> bool {
        if (self.name_hash, self.hash) != (other.name_hash, other.hash) {
            return false;
        }
        let ((paths, rest), (other_paths, other_rest)) = (self.identity(lists), other.identity(lists));
        rest == other_rest && paths.eq(other_paths)
    }

    /// Returns a hash that the same records have.
    pub(super) fn hash_of(&self, lists: &Lists<'_>, hasher: &impl BuildHasher) -> u64 {
        let mut state = hasher.build_hasher();
        let (paths, rest) = self.identity(lists);
        (self.name_hash, self.hash, rest).hash(&mut state);
        paths.for_each(|path| path.hash(&mut state));
        state.finish()
    }
}
