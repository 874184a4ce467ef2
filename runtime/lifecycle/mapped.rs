//! The file of continuous mode: taken, renewed, left.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::continuous::kind_of_counters;
use super::earlier::{Earlier, Refusal};
use super::filename;
use super::write::SCRATCH;
use crate::continuous::area::Counted;
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
use crate::raw;
use crate::report::{Grade, print};
use crate::sections::{Image, variables};
use crate::sink;
use crate::state::files::Files;
use crate::value::node;

/// Files that are tried.
pub(super) const MEMBERS: u32 = 100_000;

/// The plan of the file.
fn plan(image: &Image, files: &Files) -> Result<Plan> {
    let mut plan = Plan::empty();
    plan.set_image(&raw::shape(image, variables::raw_version(), Padding::Pages(files.held.page as u64)))?;
    Ok(plan)
}

/// Takes the first file that is free, under the name in force, and maps it.
pub(super) fn take(files: &mut Files, from: Begin) -> Result {
    let image = Image::this();
    let plan = plan(&image, files)?;
    files.renamed = false;
    for member in 0..MEMBERS {
        files.member = Some(member);
        filename::resolve(files)?;
        files.places.make_absolute(&mut files.name)?;
        loop {
            let claim = files.places.claim(files.name.as_bytes())?;
            let there = match &claim {
                Claim::Taken => break,
                Claim::Free => There::NOTHING,
                Claim::Owned(old, status) => {
                    let looked = if goes_on(files, old, &plan) {
                        Earlier::of(old, status.size, &image, &plan)
                    } else {
                        Ok(None)
                    };
                    match looked {
                        Ok(earlier) => There { status: Some(status), earlier, mapped: None },
                        Err(Refusal::Damaged) if pooled(files) => {
                            set_aside(files)?;
                            continue;
                        }
                        Err(_) => break,
                    }
                }
            };
            if fill_and_map(files, &image, &plan, from, &there)? {
                return Ok(());
            }
        }
    }
    Err(Error::BUSY)
}

/// Writes the profile anew into a file in the place of the one that is mapped, and maps that.
pub(super) fn renew(files: &mut Files) -> Result {
    let Files { places, held, name, .. } = &mut *files;
    let [device, inode] = held.identity;
    let Some((old, status)) = places.reopen(held.name.as_bytes(), device, inode) else {
        // Somebody has removed it.
        return take(files, Begin::Live);
    };
    name.set(held.name.as_bytes())?;
    let image = Image::this();
    let plan = plan(&image, files)?;
    let there = There { status: Some(&status), earlier: None, mapped: Some(&old) };
    fill_and_map(files, &image, &plan, Begin::Live, &there).map(drop)
}

/// Takes a file under another name, with all that was counted; the old one goes.
pub(super) fn move_on(files: &mut Files) -> Result {
    let mut old = PathBuf::new();
    old.set(files.held.name.as_bytes())?;
    let [device, inode] = files.held.identity;
    take(files, Begin::Live)?;
    if files.places.reopen(old.as_bytes(), device, inode).is_some() {
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
    filename::wished(files).merge_pool > 0
}

/// Whether what the file holds is to be kept: of any run where files are merged into, else of this one.
fn goes_on(files: &Files, old: &Fd, plan: &Plan) -> bool {
    if pooled(files) || files.run == 0 {
        return true;
    }
    let mut there = [0u8; stamp::SIZE];
    let at = plan.chunk(Part::Counters).offset.saturating_sub(stamp::SIZE as u64);
    old.read_all(&mut there, at).is_ok() && there == stamp::of(files.run)
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

/// The file that gets replaced, if there is one.
struct There<'a> {
    status: Option<&'a Status>,
    /// What it holds, where that is kept and not ours already.
    earlier: Option<Earlier<'a>>,
    /// The file itself, if it is the one that is mapped now.
    mapped: Option<&'a Fd>,
}

impl There<'_> {
    const NOTHING: There<'static> = There { status: None, earlier: None, mapped: None };
}

/// Makes the file and maps it. `false`: the name is another's by now.
fn fill_and_map(files: &mut Files, image: &Image, plan: &Plan, from: Begin, there: &There<'_>) -> Result<bool> {
    let copy = Snapshot::new(image, kind_of_counters(), from)?;
    let filled = image.with_counts(copy.counters(), copy.bitmap());
    let Files { places, held, run, name, .. } = files;
    let mut united = None;
    let mut fill = |file: &Fd| -> Result {
        let _quiet = os::file_size_limited().then(os::Quiet::begin);
        file.allocate(plan.fixed_size())?;
        let mut sink = sink::file::File::new(file);
        match &there.earlier {
            Some(earlier) => united = Some(earlier.write(&filled, plan, &mut sink)?),
            // SAFETY: the image's sections, of which counters and bitmaps are the copy's.
            None => unsafe { dump::write_all(&filled, plan, SCRATCH, &mut sink) }?,
        }
        let at = plan.chunk(Part::Counters).offset.saturating_sub(stamp::SIZE as u64);
        file.write_at(&stamp::of(*run), at)?;
        held.counters.prepare(file, plan)?;
        held.bitmap.prepare(file, plan)
    };
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    let file = match places.install(there.status, mode, &mut fill) {
        Ok(Some(file)) => file,
        other => {
            held.counters.give_up();
            held.bitmap.give_up();
            return other.map(|_| false);
        }
    };
    let own = file.status()?;
    let counted = if from == Begin::Live { Counted::Here } else { Counted::Nothing };
    let mapped = there.mapped;
    // SAFETY: the copy of that section as it was.
    let changed = unsafe { held.counters.change(kind_of_counters(), copy.counters().start, counted, mapped, plan) };
    if changed.is_ok() {
        if let Some((earlier, united)) = there.earlier.as_ref().zip(united) {
            earlier.take(image, &united, name.as_bytes());
        }
        // When this fails after that has worked, bitmaps are written at exit.
        // SAFETY: the copy of that section as it was.
        if unsafe { held.bitmap.change(Kind::Bits, copy.bitmap().start, counted, mapped, plan) }.is_err() {
            held.bitmap.way = Way::Written;
        }
        held.name.set(name.as_bytes())?;
        held.identity = [own.device, own.inode];
        held.process = os::process_id();
    }
    held.counters.give_up();
    held.bitmap.give_up();
    changed.map(|()| true)
}
