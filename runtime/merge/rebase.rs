//! Values that are addresses, moved from where the file's process had the image to where this one has it.

#![allow(unsafe_code)]

use super::pages::Pages;
use crate::span::Span;

/// Addresses of the file's process and what they are here.
#[derive(Debug)]
pub struct Rebase {
    /// What is added to an address of the image.
    bias: u64,
    /// Where this process has the image: first address, and the one behind the last. Equal: unknown.
    image: (u64, u64),
    /// What is in another image (an inline function or a vtable that the executable has too) or has moved within this one:
    /// its address there, and the one here.
    moved: AddressMap,
    /// What is in other images by its address here: what readers know although it is outside.
    outside: AddressMap,
}

impl Rebase {
    /// `bias` is added to addresses; `image` is where this process has the image, `most` how many addresses may be learnt.
    pub fn new(bias: u64, image: Span, capacity: usize) -> Rebase {
        let start = image.address();
        let image = (start, start.saturating_add(image.len as u64));
        Rebase { bias, image, moved: AddressMap::new(capacity), outside: AddressMap::new(capacity) }
    }

    fn is_here(&self, address: u64) -> bool {
        self.image.0 == self.image.1 || (self.image.0 <= address && address < self.image.1)
    }

    /// Learns that what is at `theirs` in the file is at `ours` here: the function of a record, a place in a vtable.
    pub fn learn(&mut self, theirs: u64, ours: u64) {
        if theirs == 0 || ours == 0 {
            return;
        }
        let here = self.is_here(ours);
        if !here {
            self.outside.insert(ours, ours);
        }
        if !here || theirs.wrapping_add(self.bias) != ours {
            self.moved.insert(theirs, ours);
        }
    }

    /// What an address of the file is here; 0, as readers call an unknown function, when it was in no image that can be
    /// found again.
    #[inline]
    pub fn address(&self, theirs: u64) -> u64 {
        if theirs == 0 {
            return 0;
        }
        let moved = theirs.wrapping_add(self.bias);
        self.moved.find(theirs).unwrap_or(if self.is_here(moved) { moved } else { 0 })
    }

    /// The same for an address of this process: 0 when the next run could not find it again, so that what readers do not
    /// know has one name.
    #[inline]
    pub fn own(&self, ours: u64) -> u64 {
        if self.is_here(ours) { ours } else { self.outside.find(ours).unwrap_or(0) }
    }
}

/// Places that are tried for an address.
const PROBES: usize = 32;

/// An open hash table from addresses to addresses, neither of them 0.
#[derive(Debug)]
struct AddressMap {
    /// Pairs; empty until the first is inserted.
    pairs: Pages,
    /// How many may be inserted.
    capacity: usize,
}

impl AddressMap {
    const fn new(capacity: usize) -> AddressMap {
        AddressMap { pairs: Pages::EMPTY, capacity }
    }

    /// Inserts a pair. Without memory, or where too many are in the way, it is forgotten: the value loses its name.
    fn insert(&mut self, from: u64, to: u64) {
        if self.pairs.bytes().is_empty() {
            // Twice as many, so that places are free.
            let places = self.capacity.saturating_mul(2).checked_next_power_of_two().unwrap_or(0).max(PROBES);
            let Some(pages) = Pages::new(places.saturating_mul(16)) else { return };
            self.pairs = pages;
        }
        let (pairs, _) = self.pairs.words_mut().as_chunks_mut::<2>();
        let mask = pairs.len().wrapping_sub(1);
        for at in probes(from) {
            if let Some(pair) = pairs.get_mut(at & mask)
                && let [key, _] = *pair
                && (key == 0 || key == from)
            {
                *pair = [from, to];
                return;
            }
        }
    }

    #[inline]
    fn find(&self, from: u64) -> Option<u64> {
        if self.pairs.bytes().is_empty() { None } else { self.search(from) }
    }

    #[inline]
    fn search(&self, from: u64) -> Option<u64> {
        let (pairs, _) = self.pairs.words().as_chunks::<2>();
        let mask = pairs.len().wrapping_sub(1);
        for at in probes(from) {
            match *pairs.get(at & mask)? {
                [0, _] => return None,
                [key, to] if key == from => return Some(to),
                _ => {}
            }
        }
        None
    }
}

/// Where an address is searched, before the mask.
fn probes(address: u64) -> impl Iterator<Item = usize> {
    let first = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
    (0..PROBES).map(move |probe| first.wrapping_add(probe))
}
