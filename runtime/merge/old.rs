//! The old profile: the one that a file holds before a merge, in memory, maybe without its counters.

use core::mem::ManuallyDrop;

use super::check::CheckedProfile;
use super::pages::Pages;
use crate::native::Record;
use crate::os::Fd;
use crate::value::node::{has_sites, site_count};

/// The profile of earlier runs in a file, which `read_old` has read and checked.
pub struct OldProfile {
    /// The bytes of the file. Where the counters stay in the file, their window is at their place.
    pub bytes: Pages,
    /// The file that has the counters, where they are not in memory; open until the sum is written, and locked if it can be.
    pub counters_in: Option<ManuallyDrop<Fd>>,
    /// The offsets of the profile's parts, and the map of its addresses to those of this process.
    pub checked: CheckedProfile,
}

impl OldProfile {
    /// Returns the value data; none in a program that counts no values, and none where the profile has left it out.
    pub fn values(&self) -> &[u8] {
        self.bytes.bytes().get(self.checked.values as usize..).unwrap_or(&[])
    }

    /// Returns whether the counters are in the file only.
    #[inline]
    pub fn is_streamed(&self) -> bool {
        self.counters_in.is_some()
    }

    /// Returns `len` bytes of the profile from the byte `at` on. (The check has found that counters and bits lie in the profile.)
    pub fn part(&mut self, at: u64, len: usize) -> &mut [u8] {
        self.bytes.bytes_mut().get_mut(at as usize..).and_then(|rest| rest.get_mut(..len)).unwrap_or_default()
    }
}

/// Returns the number of sites of all records.
pub fn sites(records: &[Record]) -> u64 {
    records.iter().fold(0, |sum: u64, record| sum.saturating_add(site_count(record) as u64))
}

/// Returns the records from the first to the last that has value sites, also those between: a merge walks these several times.
pub fn trim_to_sites(mut records: &[Record]) -> &[Record] {
    while let Some((_, rest)) = records.split_first().filter(|(first, _)| !has_sites(first)) {
        records = rest;
    }
    while let Some((_, rest)) = records.split_last().filter(|(last, _)| !has_sites(last)) {
        records = rest;
    }
    records
}
