//! Reads the old profile of a file, and checks it. Functions in a file of their own, since methods of [`OldProfile`] are linked wherever that is
//! used.

#![allow(unsafe_code)]

use super::check::check;
use super::linked;
use super::old::{OldProfile, sites, trim_to_sites};
use super::pages::{Pages, pages};
use crate::error::{Error, Result};
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::native::Plan;
use crate::os::Fd;
use crate::sections::Image;
use crate::span::Span;
use crate::value::node::records;
use crate::value::writer;

/// The most that paddings and binary ids of a profile can take beyond ours.
const SLACK: u64 = 1 << 20;

/// Reads the profile in a file of `size` bytes. Read and not mapped: when another program truncates the file, that is an error and no fatal
/// signal.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, loaded into `loaded_range`, and `plan` its plan.
pub unsafe fn read_old(file: &Fd, size: u64, image: &Image, loaded_range: Span, plan: &Plan) -> Result<OldProfile> {
    // SAFETY: an image of this process, by this function's contract.
    let records = unsafe { records(image.data) };
    // No memory for the size of the file, which may have a hole of terabytes.
    let values = writer::size(records, sites(records).saturating_mul(MAX_VALUES_PER_SITE));
    let most = plan.fixed_size().saturating_add(SLACK).saturating_add(values);
    let mut bytes = pages(usize::try_from(size.min(most)).map_err(|_| Error::OVERFLOW)?)?;
    file.read_all(bytes.bytes_mut(), 0)?;
    // SAFETY: this function's contract.
    let old = unsafe { check_old(bytes, image, loaded_range, plan) }?;
    if size > most { Err(Error::CORRUPT) } else { Ok(old) }
}

/// Checks the bytes of a profile.
///
/// # Safety
/// As for [`read_old`].
pub unsafe fn check_old(bytes: Pages, image: &Image, loaded_range: Span, plan: &Plan) -> Result<OldProfile> {
    // SAFETY: this function's contract.
    let checked = unsafe { check(bytes.bytes(), image, loaded_range, plan) }?;
    let old = OldProfile { bytes, checked };
    // SAFETY: an image of this process, by this function's contract.
    let records = trim_to_sites(unsafe { records(image.data) });
    let values = old.values();
    let has_values = !values.is_empty();
    match linked::check() {
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
