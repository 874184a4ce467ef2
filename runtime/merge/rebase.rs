//! Rebases values that are addresses: from where the process that wrote a profile had the image to where this process has it.

#![allow(unsafe_code)]

use super::pages::Pages;
use crate::span::Span;

/// Maps addresses of the process that wrote a profile to addresses of this process.
pub struct Rebase {
    /// The distance from where that process had the image to where this process has it.
    distance: u64,
    /// Where this process has the image: the first address, and the one after the last. Equal: unknown.
    image: (u64, u64),
    /// Addresses that `distance` does not rebase: in another image (an inline function or a vtable that the executable has too), or moved
    /// within this one. From their address to ours.
    moved: AddressMap,
    /// A set: addresses of this process in other images that the image's records have, so that readers can name them. Each leads to itself.
    outside: AddressMap,
}

impl Rebase {
    /// Creates a map. `distance`: from where the other process had the image to where this process has it; `image`: where that is;
    /// `capacity`: how many addresses the map can learn.
    pub fn new(distance: u64, image: Span, capacity: usize) -> Rebase {
        let start = image.address();
        let image = (start, start.saturating_add(image.len as u64));
        Rebase { distance, image, moved: AddressMap::new(capacity), outside: AddressMap::new(capacity) }
    }

    /// Returns whether that process had the image elsewhere.
    #[inline]
    pub fn moves(&self) -> bool {
        self.distance != 0
    }

    /// Returns whether an address of this process is in the image, or the image is unknown.
    fn is_here(&self, address: u64) -> bool {
        self.image.0 == self.image.1 || (self.image.0 <= address && address < self.image.1)
    }

    /// Learns that `theirs` in the other process is `ours` in this one: the address of a record's function or of a word of a vtable.
    pub fn learn(&mut self, theirs: u64, ours: u64) {
        if theirs == 0 || ours == 0 {
            return;
        }
        let here = self.is_here(ours);
        if !here {
            self.outside.insert(ours, ours);
        }
        if !here || theirs.wrapping_add(self.distance) != ours {
            self.moved.insert(theirs, ours);
        }
    }

    /// Rebases an address of the other process. Returns 0, an unknown function to readers, for an address in no image that this process finds.
    #[inline]
    pub fn rebased(&self, theirs: u64) -> u64 {
        if theirs == 0 {
            return 0;
        }
        let moved = theirs.wrapping_add(self.distance);
        self.moved.find(theirs).unwrap_or(if self.is_here(moved) { moved } else { 0 })
    }

    /// Returns whether an address of the other process is `ours` in this one because both are in the image. `false` means unknown.
    #[inline]
    pub fn is_in_image(&self, theirs: u64, ours: u64) -> bool {
        theirs.wrapping_add(self.distance) == ours && theirs != 0 && self.moved.is_empty() && self.is_here(ours)
    }

    /// Returns an address of this process unchanged, or 0 where the next run could not find it: the value that readers cannot name.
    #[inline]
    pub fn keep_or_zero(&self, ours: u64) -> u64 {
        if self.is_here(ours) { ours } else { self.outside.find(ours).unwrap_or(0) }
    }
}

/// The number of slots to try for an address.
const PROBES: usize = 32;

/// An open hash table from addresses to addresses, neither of them 0.
struct AddressMap {
    /// The slots; no memory before the first insertion.
    pairs: Pages,
    /// The number of pairs to make space for.
    capacity: usize,
}

impl AddressMap {
    const fn new(capacity: usize) -> AddressMap {
        AddressMap { pairs: Pages::EMPTY, capacity }
    }

    /// Inserts a pair. Forgets it without memory or a free slot: the value becomes unknown.
    fn insert(&mut self, from: u64, to: u64) {
        if self.is_empty() {
            // Twice the capacity, so that slots stay free.
            let places = self.capacity.max(PROBES / 2).wrapping_mul(2).checked_next_power_of_two().unwrap_or(0);
            let _ = self.pairs.renew(places.wrapping_mul(16));
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
    fn is_empty(&self) -> bool {
        self.pairs.bytes().is_empty()
    }

    #[inline]
    fn find(&self, from: u64) -> Option<u64> {
        let (pairs, _) = self.pairs.words().as_chunks::<2>();
        let mask = pairs.len().checked_sub(1)?;
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

/// Returns the slots to try for an address, before masking.
fn probes(address: u64) -> impl Iterator<Item = usize> {
    let first = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
    (0..PROBES).map(move |probe| first.wrapping_add(probe))
}
