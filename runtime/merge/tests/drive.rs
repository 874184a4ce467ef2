//! Any bytes as the profile that is merged, on both ways, and what must hold then. The fuzz targets of `fuzz/` call this too.

#![allow(unsafe_code)]

use std::vec;

use super::loaded::{Kept, Loaded, Pieces};
use super::naive::{same_values, union};
use crate::error::{Error, Result};
use crate::merge::check::check;
use crate::merge::source::{Memory, Source};
use crate::merge::write::{Job, old, write};
use crate::merge::{live, values};

/// A source that gives no more than there is scratch memory for, as files do.
pub struct Piecewise<'a>(pub &'a [u8]);

impl Source for Piecewise<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn most(&self, scratch: usize) -> usize {
        scratch
    }

    fn bytes<'a>(&'a self, at: u64, len: usize, scratch: &'a mut [u8]) -> Result<&'a [u8]> {
        let from = Memory(self.0);
        let room = scratch.get_mut(..len).ok_or(Error::TRUNCATED)?;
        room.copy_from_slice(from.bytes(at, len, &mut [])?);
        Ok(room)
    }
}

/// Merges as the write of a file does. The result is a profile of the image; the image has not changed.
pub fn file(image: &Loaded, bytes: &[u8]) -> Result {
    file_from(image, &Piecewise(bytes), bytes)
}

/// The same with these bytes in any source.
pub fn file_from(image: &Loaded, source: &dyn Source, bytes: &[u8]) -> Result {
    let before = image.profile();
    let mut scratch = vec![0; 320];
    let mut kept = Kept(vec![]);
    // SAFETY: an image in memory that is never given back, and its plan.
    let result = unsafe {
        check(source, &image.image, image.extent, &image.plan, &mut scratch)
            .and_then(|theirs| old(source, theirs, &image.image))
            .and_then(|old| {
                let job =
                    Job { image: &image.image, plan: &image.plan, old: Some((source, &old)), already_written: None };
                write(&job, &mut kept, None)
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
    // SAFETY: as above.
    let again = unsafe { check(&Piecewise(&kept.0), &image.image, image.extent, &image.plan, &mut scratch) };
    let from = image.plan.fixed_size() as usize;
    values::check(&kept.0[from..], image.records()).unwrap();
    again.map(drop)
}

/// Merges into memory, and takes it back. What is refused has changed nothing.
pub fn memory(image: &Loaded, bytes: &[u8]) -> Result {
    image.reset();
    let before = image.profile();
    // SAFETY: an image in memory that is never given back, and its plan.
    let (compatible, result) =
        unsafe { (live::look(image.target(), bytes).map(drop), live::merge_into(image.target(), bytes).map(drop)) };
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

/// Both. They agree on what is a profile of the image, but that a buffer may be longer, or have no value data.
pub fn both(image: &Loaded, bytes: &[u8]) -> Result {
    let result = file(image, bytes);
    let in_memory = memory(image, bytes);
    let only_of_files = matches!(result, Err(Error::CORRUPT | Error::TRUNCATED));
    assert!(in_memory == result || in_memory == Ok(()) && only_of_files, "{result:?}, {in_memory:?}");
    result
}
