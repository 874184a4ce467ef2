//! Merges any bytes into a file and into memory, and checks what must hold. The fuzz targets of `fuzz/` call these functions too.

#![allow(unsafe_code)]

use std::vec;

use super::loaded::{Kept, Loaded, Pieces};
use super::naive::{same_values, union};
use crate::error::{Error, Result};
use crate::merge::check::check;
use crate::merge::source::{MemorySource, ProfileSource};
use crate::merge::write::{MergeJob, read_old_values, write_job};
use crate::merge::{into_memory, values};

/// Source that returns no more bytes than the scratch memory holds, as files do.
pub struct Piecewise<'a>(pub &'a [u8]);

impl ProfileSource for Piecewise<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn max_len(&self, scratch: usize) -> usize {
        scratch
    }

    fn bytes<'a>(&'a self, at: u64, len: usize, scratch: &'a mut [u8]) -> Result<&'a [u8]> {
        let from = MemorySource(self.0);
        let room = scratch.get_mut(..len).ok_or(Error::TRUNCATED)?;
        room.copy_from_slice(from.bytes(at, len, &mut [])?);
        Ok(room)
    }
}

/// Merges the bytes as a write to a file does. Checks that the result is a profile of the image, and that the image has not changed.
pub fn file(image: &Loaded, bytes: &[u8]) -> Result {
    file_from(image, &Piecewise(bytes), bytes)
}

/// Does the work of [`file`] with any source of the bytes.
pub fn file_from(image: &Loaded, source: &dyn ProfileSource, bytes: &[u8]) -> Result {
    let before = image.profile();
    let mut scratch = vec![0; 320];
    let mut kept = Kept(vec![]);
    // SAFETY: an image in memory that is never freed, and its plan.
    let result = unsafe {
        check(source, &image.image, image.loaded_range, &image.plan, &mut scratch)
            .and_then(|checked| read_old_values(source, checked, &image.image))
            .and_then(|old| {
                let job = MergeJob {
                    image: &image.image,
                    plan: &image.plan,
                    old: Some((source, &old)),
                    earlier_contribution: None,
                    contribution: None,
                };
                write_job(job, &mut kept)
            })
    };
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
    let again = unsafe { check(&Piecewise(&kept.0), &image.image, image.loaded_range, &image.plan, &mut scratch) };
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
        (into_memory::parse(image.target(), bytes).map(drop), into_memory::merge_into(image.target(), bytes).map(drop))
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
