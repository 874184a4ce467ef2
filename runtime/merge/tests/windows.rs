//! Profiles with more counters than a window has: through a window, with the counters in the file or in memory, comes what the naive reference has.

#![allow(unsafe_code)]

use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::vec;
use std::vec::Vec;

use super::drive;
use super::loaded::{Kept, Loaded, Pieces};
use super::made::{BYTES, Function, Made, TEMPORAL};
use crate::error::{Error, Result};
use crate::format::layout::Part;
use crate::merge::contribution::Counts;
use crate::merge::counters::LARGEST;
use crate::merge::old::OldProfile;
use crate::merge::pages::Pages;
use crate::merge::read_old::read_old;
use crate::merge::sum::{SaturatedCounters, Sum};
use crate::os::file::borrowed;

/// Random numbers: the same ones in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 >> 33
    }

    /// Returns a counter: mostly zeros in one of three pages, now and then one near the limit.
    fn counter(&mut self, at: usize) -> u64 {
        match self.next() % 4096 {
            _ if (at / 512).is_multiple_of(3) => 0,
            0 => LARGEST - 2,
            1 => u64::MAX,
            small => small,
        }
    }

    fn made(&mut self, flags: u64, len: usize, names: usize) -> Made {
        let counters = if flags & BYTES == 0 {
            (0..len / 8).flat_map(|at| self.counter(at).to_ne_bytes()).collect()
        } else {
            (0..len).map(|_| if self.next().is_multiple_of(2) { 0 } else { 0xff }).collect()
        };
        let function =
            Function { address: 0, counters, bitmap: vec![self.next() as u8; 40], sites: [vec![], vec![], vec![]] };
        Made {
            flags,
            base: 0x4000_0000,
            functions: vec![function],
            names: [names, 0, 0],
            paged: self.next().is_multiple_of(2),
            valued: true,
        }
    }
}

/// A profile in a file, whose pages of zeros are holes.
struct InFile(std::fs::File);

impl InFile {
    fn new(bytes: &[u8]) -> InFile {
        let file = tempfile::tempfile().unwrap();
        file.set_len(bytes.len() as u64).unwrap();
        for (page, at) in
            bytes.chunks(4096).zip((0..).step_by(4096)).filter(|(page, _)| page.iter().any(|byte| *byte > 0))
        {
            file.write_all_at(page, at).unwrap();
        }
        InFile(file)
    }

    fn read(&self, image: &Loaded, in_place: bool) -> Result<OldProfile> {
        let size = self.0.metadata().unwrap().len();
        // SAFETY: an image in memory that is never freed, and its plan.
        unsafe {
            let file = borrowed(self.0.as_raw_fd());
            let mut old = None;
            read_old(&mut old, &file, size, in_place, &image.image, image.loaded_range, &image.plan)?;
            Ok(old.unwrap())
        }
    }
}

/// Writes the sum twice, as where the first new file does not get the name.
fn written(
    image: &Loaded,
    old: Option<OldProfile>,
    earlier: Option<&Counts>,
    snapshot: Pages,
) -> Result<(Vec<u8>, Sum)> {
    let (mut first, mut second, remembers) = (Kept(vec![]), Kept(vec![]), !snapshot.bytes().is_empty());
    let mut sum = Sum { old, own: Counts { counters: snapshot, ..Counts::NONE }, ..Sum::empty() };
    // SAFETY: an image in memory that is never freed, and its plan.
    unsafe {
        sum.add_up(&image.image, &image.plan, earlier)?;
        sum.write(&image.image, &image.plan, earlier, remembers, &mut first)?;
        sum.write(&image.image, &image.plan, earlier, remembers, &mut second)?;
    }
    assert!(first.0 == second.0);
    Ok((first.0, sum))
}

/// Sizes of counters around one and two windows, and larger ones.
const SIZES: [usize; 7] = [8, 262_136, 262_144, 262_152, 524_288, 524_296, 1_000_000];

#[test]
fn through_a_window_comes_the_sum() {
    let mut random = Random(1);
    for flags in [0, BYTES, TEMPORAL] {
        for (index, len) in SIZES.into_iter().enumerate() {
            let (ours, theirs) = (random.made(flags, len, index), random.made(flags, len, index));
            let (image, bytes) = (Loaded::of(&ours.profile()).unwrap(), theirs.profile());
            let file = InFile::new(&bytes);
            for in_place in [false, true] {
                let old = file.read(&image, in_place).unwrap();
                assert_eq!(old.is_streamed(), !in_place && len > 262_144 && flags & TEMPORAL == 0);
                drive::file_from(&image, Ok(old), &bytes).unwrap();
            }
        }
    }
}

/// Counts more in memory.
fn count(image: &Loaded, random: &mut Random) {
    for at in 0..image.image.counters.len / 8 {
        // SAFETY: a counter of the image, whose memory is a vector that is never freed.
        let counter = unsafe { &mut *image.image.counters.start.cast::<u64>().cast_mut().wrapping_add(at) };
        *counter = counter.saturating_add(if random.next().is_multiple_of(8) { random.next() % 100 } else { 0 });
    }
}

#[test]
fn each_count_comes_once() {
    let mut random = Random(2);
    for len in SIZES {
        let small = |mut made: Made| {
            made.functions[0].counters.iter_mut().skip(7).step_by(8).for_each(|high| *high = 0);
            made
        };
        let image = Loaded::of(&small(random.made(0, len, 3)).profile()).unwrap();
        let bytes = small(random.made(0, len, 3)).profile();
        let mut file = InFile::new(&bytes);
        let counters = |bytes: &[u8]| Pieces::of(bytes).unwrap().parts[1].clone();
        let mut earlier: Option<Counts> = None;
        let mut spare = Pages::new(len).unwrap();
        for _ in 0..4 {
            let old = file.read(&image, false).unwrap();
            let (sum, state) = written(&image, Some(old), earlier.as_ref(), spare).unwrap();
            let words =
                |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect::<Vec<_>>();
            let (live, theirs, is) =
                (words(&counters(&image.profile())), words(&counters(&bytes)), words(&counters(&sum)));
            let naive: Vec<u64> = live.iter().zip(&theirs).map(|(live, theirs)| live.saturating_add(*theirs)).collect();
            assert!(naive.iter().map(|sum| *sum.min(&LARGEST)).eq(is));
            if earlier.is_none() {
                let saturated = || naive.iter().enumerate().filter(|(_, sum)| **sum > LARGEST).map(|(at, _)| at);
                let SaturatedCounters { count, first } = state.saturated;
                assert_eq!((count, first), (saturated().count() as u64, saturated().next().unwrap_or(first)));
            }
            // The next snapshot takes the memory of the last but one.
            spare = earlier.replace(state.own).map_or_else(|| Pages::new(len).unwrap(), |counts| counts.counters);
            file = InFile::new(&sum);
            count(&image, &mut random);
        }
        // Another file with the same name has less.
        let mut less = bytes.clone();
        let at = image.plan.chunk(Part::Counters).offset as usize;
        less[at..].iter_mut().take(len).for_each(|byte| *byte = 0);
        let less = InFile::new(&less);
        let has_given = earlier.as_ref().is_some_and(|earlier| earlier.counters.words().iter().any(|count| *count > 0));
        for in_place in [false, true] {
            let written = written(&image, Some(less.read(&image, in_place).unwrap()), earlier.as_ref(), Pages::EMPTY);
            assert_eq!(written.err(), has_given.then_some(Error::OVERTAKEN), "{len}");
        }
    }
}

#[test]
fn a_file_that_is_cut_meanwhile_is_an_error() {
    let mut random = Random(3);
    let image = Loaded::of(&random.made(0, 1_000_000, 3).profile()).unwrap();
    let bytes = random.made(0, 1_000_000, 3).profile();
    let at = image.plan.chunk(Part::Counters).offset;
    for len in [0, at - 1, at, at + 1, at + 262_144, at + 600_000, at + 999_999] {
        let file = InFile::new(&bytes);
        let old = file.read(&image, false).unwrap();
        file.0.set_len(len).unwrap();
        assert_eq!(written(&image, Some(old), None, Pages::EMPTY).err(), Some(Error::TRUNCATED));
    }
}
