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
    /// Functions of records that are in other images (an inline function that the executable has too): pairs of their
    /// address there and here, in an open hash table. Those move by another distance.
    elsewhere: Pages,
    /// Functions the table has room for.
    most: usize,
}

/// Places that are tried for an address.
const PROBES: usize = 32;

impl Rebase {
    /// `bias` is added to addresses; `image` is where this process has the image, `functions` the number of its records.
    pub fn new(bias: u64, image: Span, functions: usize) -> Rebase {
        let start = image.address();
        let image = (start, start.saturating_add(image.len as u64));
        Rebase { bias, image, elsewhere: Pages::EMPTY, most: functions }
    }

    fn is_here(&self, address: u64) -> bool {
        self.image.0 == self.image.1 || (self.image.0 <= address && address < self.image.1)
    }

    /// Learns that the function of a record is at `theirs` in the file and at `ours` here.
    pub fn function(&mut self, theirs: u64, ours: u64) {
        if theirs == 0 || ours == 0 || theirs.wrapping_add(self.bias) == ours && self.is_here(ours) {
            return;
        }
        if self.elsewhere.bytes().is_empty() {
            // Twice the functions, so that places are free. Without memory these values lose their function's name.
            let places = self.most.saturating_mul(2).checked_next_power_of_two().unwrap_or(0).max(PROBES);
            let Some(pages) = Pages::new(places.saturating_mul(16)) else { return };
            self.elsewhere = pages;
        }
        let first = self.place(theirs);
        let table = self.elsewhere.words_mut();
        let places = table.len() / 2;
        for probe in 0..PROBES {
            let at = (first.wrapping_add(probe) & places.wrapping_sub(1)).wrapping_mul(2);
            if let Some([from, to]) = table.get_mut(at..at.wrapping_add(2))
                && (*from == 0 || *from == theirs)
            {
                *from = theirs;
                *to = ours;
                return;
            }
        }
    }

    /// Where the search for an address begins.
    fn place(&self, address: u64) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }

    /// What an address of the file is here; 0, as readers call an unknown function, when it was in no image that can be
    /// found again.
    pub fn address(&self, theirs: u64) -> u64 {
        if theirs == 0 {
            return 0;
        }
        let moved = theirs.wrapping_add(self.bias);
        if self.is_here(moved) {
            return moved;
        }
        let table = self.elsewhere.bytes().as_chunks::<16>().0;
        let first = self.place(theirs);
        for probe in 0..PROBES.min(table.len()) {
            let Some(pair) = table.get(first.wrapping_add(probe) & table.len().wrapping_sub(1)) else { break };
            let word =
                |at: usize| pair.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word));
            match word(0) {
                0 => break,
                from if from == theirs => return word(8),
                _ => {}
            }
        }
        0
    }
}
