//! The file of continuous mode: taken, renewed, left.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::continuous::kind_of_counters;
use super::earlier::{Earlier, is_damaged};
use super::filename;
use super::write::SCRATCH;
use crate::continuous::counts::Kind;
use crate::continuous::place::Way;
use crate::continuous::snapshot::{Begin, Snapshot};
use crate::continuous::stamp;
use crate::dump;
use crate::error::{Error, Result};
use crate::layout::{Padding, Part, Plan};
use crate::os;
use crate::os::file::{self, Fd, Status};
use crate::path::PathBuf;
use crate::publish::claim::Claim;
use crate::publish::quiet;
use crate::raw;
use crate::report::{Grade, print};
use crate::sections::{Image, variables};
use crate::sink;
use crate::state::files::Files;
use crate::value::node;

/// Files that are tried.
pub(super) const MEMBERS: u32 = 100_000;

/// Plans the file.
fn lay_out(plan: &mut Plan, image: &Image, files: &Files) -> Result {
    plan.set_image(&raw::shape(image, variables::raw_version(), Padding::Pages(files.held.page as u64)))
}

/// Takes the first file that is free, under the name in force, and maps it.
pub(super) fn take(files: &mut Files, from: Begin) -> Result {
    let image = &Image::this();
    let plan = &mut Plan::empty();
    lay_out(plan, image, files)?;
    files.renamed = false;
    for member in 0..MEMBERS {
        files.member = Some(member);
        filename::resolve(files)?;
        files.places.make_absolute(&mut files.name)?;
        loop {
            let old = match files.places.claim(files.name.as_bytes())? {
                Claim::Taken => break,
                Claim::Free => None,
                Claim::Owned(old) => Some(old),
            };
            let mut earlier = match &old {
                Some(old) if goes_on(files, old, plan) => Earlier::of(old, files.places.size(), image, plan),
                _ => Ok(None),
            };
            let earlier = match &mut earlier {
                Ok(earlier) => earlier.as_mut(),
                Err(error) if is_damaged(*error) && pooled(files) => {
                    set_aside(files)?;
                    continue;
                }
                Err(_) => break,
            };
            let mut new = New { image, plan, from, over: old.is_some(), earlier, mapped: None };
            match new.fill_and_map(files) {
                Err(Error::OVERTAKEN) => {}
                other => return other,
            }
        }
    }
    Err(Error::BUSY)
}

/// Writes the profile anew into a file in the place of the one that is mapped, and maps that.
pub(super) fn renew(files: &mut Files) -> Result {
    let Files { places, held, name, .. } = &mut *files;
    let Some(old) = places.reopen(held.name.as_bytes(), held.identity) else {
        // Somebody has removed it.
        return take(files, Begin::Live);
    };
    name.set(held.name.as_bytes())?;
    let image = &Image::this();
    let plan = &mut Plan::empty();
    lay_out(plan, image, files)?;
    let mut new = New { image, plan, from: Begin::Live, over: true, earlier: None, mapped: Some(&old) };
    match new.fill_and_map(files) {
        Err(Error::OVERTAKEN) => Ok(()),
        other => other,
    }
}

/// Takes a file under another name, with all that was counted; the old one goes.
pub(super) fn move_on(files: &mut Files) -> Result {
    let mut old = PathBuf::new();
    old.set(files.held.name.as_bytes())?;
    let identity = files.held.identity;
    take(files, Begin::Live)?;
    if files.places.reopen(old.as_bytes(), identity).is_some() {
        file::remove(old.as_path());
    }
    Ok(())
}

/// Whether the file has all there is: no values, no bitmaps that are not mapped, and still its name.
pub(super) fn is_complete(files: &Files) -> bool {
    let image = Image::this();
    // SAFETY: the image's own records.
    let sites = unsafe { node::records(image.data) }.iter().any(|record| node::site_count(record) > 0);
    let named = |now: Status| [now.device, now.inode] == files.held.identity;
    !sites && files.held.bitmap.way != Way::Written && file::status(files.held.name.as_path()).is_ok_and(named)
}

/// Whether the file is one of a pool, which runs share.
pub(super) fn pooled(files: &Files) -> bool {
    files.wishes.merge_pool > 0
}

/// Whether the file holds anything that is to be kept: of any run where files are merged into, else of this one.
fn goes_on(files: &Files, old: &Fd, plan: &Plan) -> bool {
    if files.places.size() == 0 {
        return false;
    }
    if pooled(files) || files.run == 0 {
        return true;
    }
    let mut there = [0u8; stamp::SIZE];
    old.read_all(&mut there, stamp_at(plan)).is_ok() && there == stamp::of(files.run)
}

/// Where the file says which run it is of.
fn stamp_at(plan: &Plan) -> u64 {
    plan.chunk(Part::Counters).offset.saturating_sub(stamp::SIZE as u64)
}

/// A file that no reader takes: it gets another name.
#[cold]
#[inline(never)]
fn set_aside(files: &mut Files) -> Result {
    let Files { name, places, .. } = files;
    let aside = places.move_claimed_aside()?;
    let parts: [&[u8]; 5] = [b"\"", name.as_bytes(), b"\" is damaged and now called \"", aside, b"\"."];
    print(Grade::Warning, &parts);
    Ok(())
}

/// A new file.
struct New<'a> {
    image: &'a Image,
    plan: &'a Plan,
    from: Begin,
    /// It replaces another.
    over: bool,
    /// What that one holds, where it is kept and not ours already.
    earlier: Option<&'a mut Earlier<'a>>,
    /// That one itself, if it is the one that is mapped now.
    mapped: Option<&'a Fd>,
}

impl New<'_> {
    /// Makes the file and maps it. [`Error::OVERTAKEN`]: the name is another's by now.
    fn fill_and_map(&mut self, files: &mut Files) -> Result {
        let copy = Snapshot::new(self.image, kind_of_counters(), self.from)?;
        let mapped = match self.install(files, &copy) {
            Ok(file) => self.map(files, &file, &copy),
            Err(error) => Err(error),
        };
        files.held.give_up();
        mapped
    }

    fn install(&mut self, files: &mut Files, copy: &Snapshot) -> Result<Fd> {
        let mode = variables::directory_mode().load(Ordering::Relaxed);
        loop {
            let file = files.places.begin(mode)?;
            if let Err(error) = self.fill(files, &file, copy) {
                files.places.discard();
                return Err(error);
            }
            match files.places.install(&file, self.over) {
                Ok(()) => return Ok(file),
                // It is to be made again.
                Err(Error::OVERTAKEN) => {}
                Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&mut self, files: &mut Files, file: &Fd, copy: &Snapshot) -> Result {
        let image = &self.image.with_counts(copy.counters(), copy.bitmap());
        let plan = self.plan;
        let _quiet = quiet();
        file.allocate(plan.fixed_size())?;
        let mut sink = sink::file::File::new(file);
        match &mut self.earlier {
            Some(earlier) => earlier.write(image, plan, sink.sink()),
            // SAFETY: the image's sections, of which counters and bitmaps are the copy's.
            None => unsafe { dump::write_all(image, plan, SCRATCH, sink.sink()) },
        }?;
        file.write_at(&stamp::of(files.run), stamp_at(plan))?;
        files.held.counters.prepare(file, plan)?;
        files.held.bitmap.prepare(file, plan)
    }

    /// Maps the file, which has the name now.
    fn map(&self, files: &mut Files, file: &Fd, copy: &Snapshot) -> Result {
        let own = file.status()?;
        let (from, mapped, plan) = (self.from, self.mapped, self.plan);
        let Files { held, name, .. } = files;
        // SAFETY: the copy of that section as it was.
        unsafe { held.counters.change(kind_of_counters(), copy.counters().start, from, mapped, plan) }?;
        if let Some(earlier) = &self.earlier {
            earlier.take(self.image, name.as_bytes());
        }
        // When this fails after that has worked, bitmaps are written at exit.
        // SAFETY: the copy of that section as it was.
        if unsafe { held.bitmap.change(Kind::Bits, copy.bitmap().start, from, mapped, plan) }.is_err() {
            held.bitmap.way = Way::Written;
        }
        held.name.set(name.as_bytes())?;
        held.identity = [own.device, own.inode];
        held.process = os::process_id();
        Ok(())
    }
}
