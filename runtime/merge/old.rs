//! The old profile: the one that a file holds before a merge, read into memory and checked.

#![allow(unsafe_code)]

use super::check::{CheckedProfile, check};
use super::pages::{Pages, pages};
use super::values::CheckValues;
use crate::error::{Error, Result};
use crate::format::layout::Part;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::native::{Plan, Record};
use crate::os::Fd;
use crate::sections::Image;
use crate::span::Span;
use crate::value::node::{has_sites, records, site_count};
use crate::value::optional::optional;
use crate::value::writer;

/// The profile of earlier runs in a file. Invariant: `checked` is the result of the check of `bytes`.
#[derive(Debug)]
pub struct OldProfile {
    bytes: Pages,
    /// The offsets of the profile's parts, and the map of its addresses to those of this process.
    pub checked: CheckedProfile,
}

optional! {
    /// Returns the function that checks value data, if something counts values.
    fn values_checker() -> CheckValues = super::values::check, "profrt_values_check";
}

/// The most that paddings and binary ids of a profile can take beyond ours.
const SLACK: u64 = 1 << 20;

impl OldProfile {
    /// Reads the profile in a file of `size` bytes. Read and not mapped: when another program truncates the file, that is an error and no fatal
    /// signal.
    ///
    /// # Safety
    /// `image` must be an image of this process, of this archive's raw version, loaded into `loaded_range`, and `plan` its plan.
    pub unsafe fn read(file: &Fd, size: u64, image: &Image, loaded_range: Span, plan: &Plan) -> Result<OldProfile> {
        // SAFETY: an image of this process, by this function's contract.
        let records = unsafe { records(image.data) };
        // No memory for the size of the file, which may have a hole of terabytes.
        let values = writer::size(records, sites(records).saturating_mul(MAX_VALUES_PER_SITE));
        let most = plan.fixed_size().saturating_add(SLACK).saturating_add(values);
        let mut bytes = pages(usize::try_from(size.min(most)).map_err(|_| Error::OVERFLOW)?)?;
        file.read_all(bytes.bytes_mut(), 0)?;
        // SAFETY: this function's contract.
        let old = unsafe { OldProfile::check(bytes, image, loaded_range, plan) }?;
        if size > most { Err(Error::CORRUPT) } else { Ok(old) }
    }

    /// Checks the bytes of a profile.
    ///
    /// # Safety
    /// As for [`OldProfile::read`].
    pub unsafe fn check(bytes: Pages, image: &Image, loaded_range: Span, plan: &Plan) -> Result<OldProfile> {
        // SAFETY: this function's contract.
        let checked = unsafe { check(bytes.bytes(), image, loaded_range, plan) }?;
        let old = OldProfile { bytes, checked };
        // SAFETY: an image of this process, by this function's contract.
        let records = trim_to_sites(unsafe { records(image.data) });
        let values = old.values();
        let has_values = !values.is_empty();
        match values_checker() {
            _ if records.is_empty() || old.checked.sites_left_out => {
                if has_values {
                    Err(Error::CORRUPT)
                } else {
                    Ok(old)
                }
            }
            // Every write to a file writes value records, also without values. (Profiles from LLVM's buffer calls have none.)
            _ if !has_values => Err(Error::TRUNCATED),
            Some(check) => check(values, records).map(|()| old),
            // Nothing in this program counts values: a file that has some is another program's.
            None if values.len() as u64 == writer::size(records, 0) => Ok(old),
            None => Err(Error::FOREIGN),
        }
    }

    /// Returns the value data; none in a program that counts no values, and none where the profile has left it out.
    pub fn values(&self) -> &[u8] {
        self.bytes.bytes().get(self.checked.values as usize..).unwrap_or(&[])
    }

    /// Returns the bytes of the counters or the bitmaps, `len` bytes as in the plan of the image.
    pub fn part(&mut self, part: Part, len: usize) -> &mut [u8] {
        let at = if part == Part::Bitmap { self.checked.bitmap } else { self.checked.counters };
        // The check has found that both lie in the profile, and are as long as ours.
        self.bytes.bytes_mut().get_mut(at as usize..).and_then(|rest| rest.get_mut(..len)).unwrap_or_default()
    }
}

/// Returns the number of sites of all records.
pub fn sites(records: &[Record]) -> u64 {
    records.iter().fold(0, |sum: u64, record| sum.saturating_add(site_count(record) as u64))
}

/// Returns the records from the first to the last that has value sites, also those between: a merge walks these several times.
pub fn trim_to_sites(records: &[Record]) -> &[Record] {
    let Some(first) = records.iter().position(has_sites) else { return &[] };
    let end = records.iter().rposition(has_sites).map_or(0, |last| last.wrapping_add(1));
    records.get(first..end).unwrap_or(&[])
}
