//! Continuous mode: counters and bitmaps are pages of the profile's file, so that a kill at any instruction loses no count.
//!
//! Each image of each process claims a **slot**: the first of `NAME`, `NAME-1`, `NAME-2`, … that nothing has. The complete file is written,
//! with counters and bitmaps on pages of their own, locked, and gets its name; then its pages take the place of the memory that the program
//! counts in. A process takes over the counts of others only with `%m`: those of an unlocked pool file. Two methods:
//! - **in place**: the linker has given the section pages of its own (`profrt-continuous.o`), and the file is mapped over them.
//! - **moved**: the file is mapped at any address, and the compiler's bias variable has the distance.
//!
//! ```text
//! Continuous::begin        asks for the method of each section
//!   claim                  tries one slot after the other
//!     take_slot, take      publishes and maps the file of one slot
//!       Publication::publish   writes the file (MappedFile)
//!         MappedFile::prepare    copies the counts, so that those made meanwhile can be added later (Snapshot)
//!         MappedFile::written    locks it, maps the pages of the new file, which nobody uses yet
//!       map                the program counts in the file from here on (MappedSection::change)
//! Continuous::update       a dump: values are not mapped, so a new file with them takes the place of the old one
//! Continuous::reset        clears the counts, also in the file; with %m, goes on at zero in the next free pool file
//! Continuous::in_child     claims a slot for a forked child, which starts from zero
//! ```

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::format::layout::{Padding, Part};
use crate::link;
use crate::merge::sum::Sum;
use crate::mismatch;
use crate::name::{Name, NameSource};
use crate::native::empty_plan;
use crate::os;
use crate::os::file::{self, Fd, HeldFile};
use crate::path::{PathBuf, directory};
use crate::publish::{Publication, Way};
use crate::raw;
use crate::report::{Grade, fail, print, reason, say};
use crate::reset;
use crate::sections::{Image, variables};
use crate::state::request::{self, REQUESTED_PAGE_SIZE, WANTED};
use crate::value::node;

pub mod counts;
mod mapped_file;
pub mod mapped_section;
mod slots;

use counts::snapshot::{InitialCounts, Snapshot};
use mapped_file::MappedFile;
use mapped_section::{MappedSection, MappingMethod};
pub use slots::remove_slots;

/// How many slots are tried.
const SLOTS: u32 = 100_000;
/// How many pool files may be unusable.
const MOST_UNUSABLE: u32 = 100;

/// The continuous file of this image. All zeros: none.
#[repr(C)]
pub struct Continuous {
    /// The process whose counters are pages of the file; 0: there is none.
    process_key: u32,
    /// The process that has claimed `slot`; 0: none.
    slot_of: u32,
    /// The number of the slot.
    slot: u32,
    /// The file is a pool file.
    pooled: bool,
    /// The page size of the file's layout; 0: the mode was not tried yet.
    page_size: usize,
    /// The device and inode of the file.
    identity: [u64; 2],
    /// The file, with its lock.
    pub file: HeldFile,
    counters: MappedSection,
    bitmap: MappedSection,
    /// The absolute name of the file.
    pub path: PathBuf,
}

impl Continuous {
    /// The state before a file is mapped.
    pub const NONE: Continuous = Continuous {
        process_key: 0,
        slot_of: 0,
        slot: 0,
        pooled: false,
        page_size: 0,
        identity: [0; 2],
        file: HeldFile::NONE,
        counters: MappedSection::UNKNOWN,
        bitmap: MappedSection::UNKNOWN,
        path: PathBuf::new(),
    };

    /// Returns whether the counters of this process are, or of its parent were, pages of a file.
    #[inline]
    pub fn has_begun(&self) -> bool {
        os::MAPS_FILES && self.process_key != 0
    }

    /// Returns whether the counters of this process are pages of a file of its own.
    #[inline]
    pub fn is_mapped(&self) -> bool {
        self.has_begun() && self.process_key == os::process_key()
    }

    /// Returns the slot that this process has claimed.
    pub fn slot(&self) -> Option<u32> {
        (self.slot_of != 0 && self.slot_of == os::process_key()).then_some(self.slot)
    }

    /// Remembers the slot of this process.
    pub fn set_slot(&mut self, slot: u32) {
        (self.slot_of, self.slot) = (os::process_key(), slot);
    }

    /// Forgets the slot: the program has changed the name.
    pub fn forget_slot(&mut self) {
        self.slot_of = 0;
    }

    /// Maps the counters onto the first free slot, if continuous mode is requested and not begun. Returns whether it has begun now. `grade`:
    /// of the message that the mode is not possible: a warning in the first process of a run, else a note.
    pub fn begin(&mut self, name: &Name, grade: Grade) -> bool {
        if self.has_begun() || !request::enabled() || name.is_too_long() {
            return false;
        }
        // Nothing is written at the start of a set-uid program: only a call chooses a file here.
        if os::secure() && !(name.source == NameSource::Program && name.is_chosen()) {
            return false;
        }
        if !os::MAPS_FILES {
            WANTED.store(false, Ordering::Relaxed);
            say(grade, b"Continuous mode (%c) is not possible on this system, the profile is written at exit.");
            return false;
        }
        let image = Image::this();
        // The write at exit reports another raw version.
        if image.counters.len == 0 || mismatch::check(&image, variables::raw_version()).is_err() {
            return false;
        }
        let _suspended = os::ParentDeath::suspend();
        // Never changed afterwards: mapped sections have whole pages of this size, which the system can map.
        if self.page_size == 0 {
            let (system, requested) = (os::page_size(), REQUESTED_PAGE_SIZE.load(Ordering::Relaxed) as usize);
            self.page_size = if requested.is_power_of_two() && requested > system { requested } else { system };
        }
        self.counters.choose(Part::Counters, self.page_size);
        self.bitmap.choose(Part::Bitmap, self.page_size);
        if !self.counters.method.can_map() {
            WANTED.store(false, Ordering::Relaxed);
            say(
                grade,
                b"Continuous mode (%c) is not possible, the profile is written at exit. Link profrt-continuous.o behind the objects.",
            );
            return false;
        }
        if self.bitmap.method == MappingMethod::Written {
            say(
                grade,
                b"Continuous mode (%c) is not possible for MC/DC bitmaps, which are written at exit. Link profrt-continuous.o behind the \
                  objects.",
            );
        }
        if let Err(error) = self.claim(name, InitialCounts::Live) {
            WANTED.store(false, Ordering::Relaxed);
            // For the message: the path is not that of a file.
            let _ = name.resolve(None, &mut self.path);
            let what = b"Continuous mode (%c) has failed, the profile is written when the program ends: \"";
            fail(what, self.path.as_bytes(), error);
            return false;
        }
        true
    }

    /// Takes the first free slot, and maps its file. (Not inlined: its name takes stack.)
    #[inline(never)]
    fn claim(&mut self, name: &Name, initial: InitialCounts) -> Result {
        let mut path = PathBuf::new();
        for number in 0..SLOTS {
            match self.take_slot(name, number, &mut path, initial) {
                Err(Error::EEXIST) => {}
                Err(Error::NOT_REGULAR) if number > 0 => {}
                Ok(()) => {
                    self.set_slot(number);
                    if number > 0 && !name.is_pooled() {
                        let text = b"This process or shared object counts into a file of its own, \"@\".";
                        print(Grade::Note, &[text, path.as_bytes()]);
                    }
                    return Ok(());
                }
                error => return error,
            }
        }
        Err(Error::NO_FREE_NAME)
    }

    /// Takes one slot. Stores its name in `path`.
    fn take_slot(&mut self, name: &Name, number: u32, path: &mut PathBuf, initial: InitialCounts) -> Result {
        let pooled = name.is_pooled();
        name.resolve(Some(number), path)?;
        make_absolute(path)?;
        if !pooled && file::status_of_name(path.as_path().into()).is_ok_and(|status| status.regular) {
            return Err(Error::EEXIST);
        }
        let way = if pooled { Way::Adopt } else { Way::Claim };
        match self.take(Some(path), way, initial) {
            Err(Error::FILE_IN_USE | Error::READ_LOCKED) if pooled => return Err(Error::EEXIST),
            // A pool file that is not ours to merge is left alone. (Limited: anybody could have created any number of such names.)
            Err(error) if pooled && error.is_not_ours() && number < MOST_UNUSABLE => {
                print(Grade::Warning, &[b"\"@\" is not used: @.", path.as_bytes(), reason(error)]);
                return Err(Error::EEXIST);
            }
            other => other?,
        }
        self.pooled = pooled;
        self.path.set(path.as_bytes())
    }

    /// Publishes a file of this process, and maps it. `path`: its name; `None`: the same as before.
    fn take(&mut self, path: Option<&PathBuf>, way: Way, initial: InitialCounts) -> Result {
        let image = &Image::this();
        let plan = &mut empty_plan();
        let padding = Padding::Pages(self.page_size as u64);
        raw::set_plan(plan, image, variables::raw_version(), padding)?;
        let path = path.unwrap_or(&self.path);
        let (counters, bitmap, snapshot) = (&mut self.counters, &mut self.bitmap, Snapshot::NONE);
        let (sum, replaced, file) = (Sum::empty(), None, None);
        let (merges, renews) = (way == Way::Adopt, matches!(way, Way::Renew(_)));
        let mut content = MappedFile { counters, bitmap, image, plan, renews, initial, snapshot, sum, replaced, file };
        let published = Publication { content: &mut content, merges, mask: None, way }.publish(path);
        let mapped = published.and_then(|()| content.map(path.as_bytes()));
        if mapped.is_err() && published.is_ok() && way == Way::Claim {
            let _ = file::remove(path.as_path().into());
        }
        let file = content.file.take().ok_or(Error::EBADF);
        self.give_up();
        mapped.and(file).and_then(|file| self.keep(file))
    }

    /// Keeps the file in which the program counts now.
    #[inline(never)]
    fn keep(&mut self, file: Fd) -> Result {
        let status = file.status()?;
        file.admit_owner(&status);
        self.identity = [status.device, status.inode];
        self.file.keep(file, self.identity);
        self.process_key = os::process_key();
        Ok(())
    }

    /// Unmaps the pages of a new file that are not in use yet.
    fn give_up(&mut self) {
        self.counters.give_up();
        self.bitmap.give_up();
    }

    /// Updates the file, which has the counters already:
    ///
    /// | the file | what happens |
    /// | --- | --- |
    /// | has its name | a new file with values and unmapped bitmaps replaces it, if there are any |
    /// | was removed | it is created again; where another file has its name, in the first free slot |
    /// | was renamed, or is outside of our root | nothing: it has all but the values ([`Error::OVERTAKEN`]) |
    /// | is the parent's | the first two rows: nothing |
    pub fn update(&mut self, name: &Name) -> Result {
        let has_its_name = self.has_its_name();
        let is_removed = !has_its_name && self.is_removed();
        if !self.is_mapped() {
            return if is_removed { Err(Error::OVERTAKEN) } else { Ok(()) };
        }
        self.counters.collect();
        self.bitmap.collect();
        // SAFETY: the image's own records.
        let sites = unsafe { node::records(link::data::span()) }.iter().any(|record| node::site_count(record) > 0);
        if !sites && self.bitmap.method != MappingMethod::Written && !is_removed {
            return Ok(());
        }
        if !has_its_name && !is_removed {
            return Err(Error::OVERTAKEN);
        }
        let way = if is_removed { Way::Claim } else { Way::Renew(self.identity) };
        match self.take(None, way, InitialCounts::Live) {
            Err(Error::EEXIST | Error::NOT_REGULAR) => self.claim(name, InitialCounts::Live),
            other => other,
        }
    }

    /// Returns whether the file still has its name, or that is unknown.
    fn has_its_name(&self) -> bool {
        match file::status(self.path.as_path().into()) {
            Ok(now) => [now.device, now.inode] == self.identity,
            // Any other error (EACCES, ...) does not show that the name is gone.
            Err(error) => !matches!(error, Error::ENOENT | Error::ENOTDIR),
        }
    }

    /// Returns whether the file, which does not have its name, has no other name either. If the program has closed the descriptor, the answer is
    /// yes while the directory exists: after `chroot`, or when the directory was renamed, it does not.
    #[inline(never)]
    fn is_removed(&self) -> bool {
        if let Some(links) = self.file.links() {
            return links == 0;
        }
        let mut path = PathBuf::new();
        path.set(directory(self.path.as_bytes())).is_ok() && file::status(path.as_path().into()).is_ok()
    }

    /// Resets counters and values:
    ///
    /// | the counters are pages of | reset | file that follows |
    /// | --- | --- | --- |
    /// | a file of this process | counters and values, also those in the file | the same |
    /// | a pool file, with counts of other runs | nothing in the file; the process starts from zero | the next free pool file |
    /// | the parent's file | the values of this process | the same |
    pub fn reset(&mut self, name: &Name) {
        let image = Image::this();
        if !self.is_mapped() {
            reset::zero_value_counts(&image);
            return self.warn_not_reset(b"which belongs to the parent process");
        }
        if !self.pooled {
            reset::clear();
            self.discard();
        }
        let mut updated = self.update(name);
        if self.pooled && updated.is_ok() {
            self.discard();
            updated = self.claim(name, InitialCounts::Cleared);
        }
        if let Err(error) = updated {
            self.warn_not_reset(reason(error));
        }
    }

    /// Clears the counts that code has made in the sections after the counters moved to the file, before that code saw the move.
    fn discard(&self) {
        self.counters.discard();
        self.bitmap.discard();
    }

    /// Warns that counters or values go on in their file.
    fn warn_not_reset(&self, why: &[u8]) {
        let path = self.path.as_bytes();
        print(Grade::Warning, &[b"Counters were not reset and go on in \"@\": @.", path, why]);
    }

    /// Claims a slot for a forked child, where counts start from zero, if the counters are pages of the parent's file. They stay that if this
    /// process may create no file there, as a daemon that has given up its rights.
    pub fn in_child(&mut self, name: &Name) {
        // Pages that another thread of the parent was about to use.
        self.give_up();
        self.discard();
        let Err(error) = self.claim(name, InitialCounts::Cleared) else { return };
        reset::zero_value_counts(&Image::this());
        let text = b"This process counts into the file of its parent, \"@\", where counts of both at the same moment may be lost, and without its \
                     values: @";
        print(Grade::Warning, &[text, self.path.as_bytes(), reason(error)]);
    }
}

/// Makes a relative name absolute, so that it means the same file when the program changes its working directory. The name stays
/// relative where the system does not tell the working directory.
#[inline(never)]
fn make_absolute(path: &mut PathBuf) -> Result {
    if path.as_bytes().first() == Some(&b'/') {
        return Ok(());
    }
    let mut here = [0; 4096];
    let Some(len) = file::working_directory(&mut here) else { return Ok(()) };
    let here = here.get(..len).unwrap_or(&[]);
    if here != b"/" {
        path.insert(0, b"/")?;
    }
    path.insert(0, here)
}
