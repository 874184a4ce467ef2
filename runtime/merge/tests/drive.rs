//! Merges any bytes into a file and into memory, and checks what must hold. The fuzz targets of `fuzz/` call these functions too.

#![allow(unsafe_code)]

use std::vec;

use super::loaded::{Kept, Loaded, Pieces};
use super::naive::{same_values, union};
use crate::error::{Error, Result};
use crate::merge::check::check;
use crate::merge::old::OldProfile;
use crate::merge::pages::Pages;
use crate::merge::read_old::check_values;
use crate::merge::sum::Sum;
use crate::merge::{into_memory, values};

/// Returns the profile in the bytes.
pub fn read_profile(image: &Loaded, bytes: &[u8]) -> Result<OldProfile> {
    let mut pages = Pages::new(bytes.len()).unwrap();
    pages.bytes_mut().copy_from_slice(bytes);
    // SAFETY: an image in memory that is never freed, and its plan.
    let checked = unsafe { check(bytes, &image.image, image.loaded_range, &image.plan) }?;
    check_values(bytes, &checked, image.records())?;
    Ok(OldProfile { bytes: pages, counters_in: None, checked })
}

/// Merges the bytes as a write to a file does. Checks that the result is a profile of the image, and that the image has not changed.
pub fn file(image: &Loaded, bytes: &[u8]) -> Result {
    file_from(image, read_profile(image, bytes), bytes)
}

/// Does the work of [`file`] with the profile that a file was read as.
pub fn file_from(image: &Loaded, old: Result<OldProfile>, bytes: &[u8]) -> Result {
    let before = image.profile();
    let mut kept = Kept(vec![]);
    // SAFETY: an image in memory that is never freed, and its plan.
    let result = old.and_then(|old| unsafe {
        let mut sum = Sum::empty();
        sum.old = Some(old);
        sum.add_up(&image.image, &image.plan, None)?;
        sum.write(&image.image, &image.plan, None, false, &mut kept)
    });
    assert!(before == image.profile(), "the merge into a file has changed memory");
    result?;
    let live = Pieces::of(&before).unwrap();
    let theirs = Pieces::of(bytes).expect("merged, and no profile");
    let result = Pieces::of(&kept.0).expect("the result is no profile");
    assert_eq!(result.plan, image.plan);
    let union = union(image, &live, &theirs, None, false);
    assert_eq!(result.parts[1], union.counters);
    assert_eq!(result.parts[2], union.bitmap);
    same_values(&result, &union.values, 255);
    // SAFETY: an image in memory that is never freed, and its plan.
    let again = unsafe { check(&kept.0, &image.image, image.loaded_range, &image.plan) };
    let from = image.plan.fixed_size() as usize;
    values::check(&kept.0[from..], image.records()).unwrap();
    again.map(drop)
}

/// Merges the bytes into memory, and resets the image. Checks that a refused profile has changed nothing.
pub fn memory(image: &Loaded, bytes: &[u8]) -> Result {
    image.reset();
    let before = image.profile();
    // SAFETY: an image in memory that is never freed, and its plan.
    let (compatible, result) = unsafe {
        (into_memory::parse(image.target(), bytes).map(drop), into_memory::merge_into(image.target(), bytes))
    };
    assert_eq!(compatible, result);
    let after = image.profile();
    if result.is_err() {
        assert!(before == after, "the refused merge has changed memory");
        return result;
    }
    let (live, after) = (Pieces::of(&before).unwrap(), Pieces::of(&after).unwrap());
    let theirs = Pieces::in_buffer(bytes).expect("merged, and no profile");
    let union = union(image, &live, &theirs, None, true);
    assert_eq!(after.parts[1], union.counters);
    assert_eq!(after.parts[2], union.bitmap);
    // Nodes of other values stay at a site after a reset, so how many it takes exactly is not known here.
    same_values(&after, &union.values, 0);
    image.reset();
    Ok(())
}

/// Merges both ways. Checks that both accept the same profiles, except that a buffer may be longer, or have no value data.
pub fn both(image: &Loaded, bytes: &[u8]) -> Result {
    let result = file(image, bytes);
    let in_memory = memory(image, bytes);
    let only_of_files = matches!(result, Err(Error::CORRUPT | Error::TRUNCATED));
    assert!(in_memory == result || in_memory == Ok(()) && only_of_files, "{result:?}, {in_memory:?}");
    result
}
