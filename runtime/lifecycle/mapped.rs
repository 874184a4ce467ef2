//! The file of continuous mode: taken, renewed, left.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::continuous::{kind_of_counters, page_size};
use super::filename;
use crate::continuous::adopt::{Own, Refusal, adopt};
use crate::continuous::area::Counted;
use crate::continuous::counts::{self, Kind};
use crate::continuous::place::Way;
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
use crate::span::Span;
use crate::state::files::Files;
use crate::value::node;
use crate::value::serialize::Scratch;

/// Where the writer of value data finds room.
const SCRATCH: Scratch = Scratch::Pages(os::map_pages, os::unmap_pages);
/// Files that are tried.
const MEMBERS: u32 = 100_000;

/// What a new file begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begin {
    /// What the program has counted.
    Live,
    /// Nothing.
    Start,
}

/// Counters and bitmaps as they are at one moment, and a copy of them to which a file's may be added: that is what the new
/// file is filled with. In pages of its own.
struct Snapshot {
    pages: *mut u8,
    counters: usize,
    bitmap: usize,
}

impl Snapshot {
    fn new(image: &Image, from: Begin) -> Result<Snapshot> {
        let (counters, bitmap) = (image.counters.len, image.bitmap.len);
        let mut copy = Snapshot { pages: core::ptr::null_mut(), counters, bitmap };
        copy.pages = os::map_pages(copy.half().saturating_mul(2)).ok_or(Error::Os(libc::ENOMEM))?;
        for (kind, live, then, to) in [
            (kind_of_counters(), image.counters, copy.counters_then(), copy.counters()),
            (Kind::Bits, image.bitmap, copy.bitmap_then(), copy.bitmap()),
        ] {
            // SAFETY: the image's sections, and as many fresh bytes twice.
            unsafe {
                match from {
                    Begin::Live => counts::copy(kind, live, then.start.cast_mut()),
                    Begin::Start => counts::clear(kind, then),
                }
                counts::copy(kind, then, to.start.cast_mut());
            }
        }
        Ok(copy)
    }

    /// Bytes of one copy of both. Bitmaps begin aligned.
    fn half(&self) -> usize {
        self.counters.next_multiple_of(8).saturating_add(self.bitmap).next_multiple_of(8)
    }

    /// What the file gets.
    fn counters(&self) -> Span {
        Span { start: self.pages, len: self.counters }
    }

    fn bitmap(&self) -> Span {
        Span { start: self.pages.wrapping_add(self.counters.next_multiple_of(8)), len: self.bitmap }
    }

    /// What was counted when the snapshot was taken.
    fn counters_then(&self) -> Span {
        Span { start: self.counters().start.wrapping_add(self.half()), len: self.counters }
    }

    fn bitmap_then(&self) -> Span {
        Span { start: self.bitmap().start.wrapping_add(self.half()), len: self.bitmap }
    }

    /// Adds what a file has.
    fn adopt(&mut self, image: &Image, plan: &Plan, old: &Fd, size: u64) -> core::result::Result<(), Refusal> {
        let len = usize::try_from(size).map_err(|_| Refusal::Other)?;
        if len == 0 {
            return Err(Refusal::Damaged);
        }
        let pages = os::map_pages(len).ok_or(Refusal::Other)?;
        // SAFETY: fresh pages, which nobody else knows of.
        let bytes = unsafe { core::slice::from_raw_parts_mut(pages, len) };
        let result = match old.read_all(bytes, 0) {
            Ok(()) => {
                // SAFETY: the image's own names, which are constant, and records.
                let own = unsafe { Own { plan, records: node::records(image.data), names: slice(image.names) } };
                let (counters, bitmap) = (self.counters(), self.bitmap());
                // SAFETY: two stretches of our pages, which nobody else knows of.
                let (counters, bitmap) = unsafe { (slice_mut(counters), slice_mut(bitmap)) };
                adopt(bytes, &own, counters, bitmap)
            }
            Err(_) => Err(Refusal::Other),
        };
        os::unmap_pages(pages, len);
        result
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        os::unmap_pages(self.pages, self.half().saturating_mul(2));
    }
}

/// # Safety
/// The span must be readable and constant.
unsafe fn slice<'a>(span: Span) -> &'a [u8] {
    // SAFETY: the caller's contract; an empty span may be null.
    if span.len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(span.start, span.len) } }
}

/// # Safety
/// The span must be writable and nobody else's.
unsafe fn slice_mut<'a>(span: Span) -> &'a mut [u8] {
    // SAFETY: the caller's contract; an empty span may be null.
    if span.len == 0 { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(span.start.cast_mut(), span.len) } }
}

/// The plan of the file.
fn plan(image: &Image) -> Result<Plan> {
    let mut plan = Plan::empty();
    plan.set_image(&raw::shape(image, variables::raw_version(), Padding::Pages(page_size() as u64)))?;
    Ok(plan)
}

/// Takes the first file that is free, under the name in force, and maps it.
pub(super) fn take(files: &mut Files, from: Begin) -> Result {
    let image = Image::this();
    let plan = plan(&image)?;
    files.renamed = false;
    for member in 0..MEMBERS {
        files.member = Some(member);
        filename::resolve(files)?;
        files.places.make_absolute(&mut files.name)?;
        loop {
            let claim = files.places.claim(files.name.as_c_str())?;
            let mut copy = Snapshot::new(&image, from)?;
            let status = match &claim {
                Claim::Taken => break,
                Claim::Free => None,
                Claim::Owned(old, status) => {
                    if goes_on(files, old, &plan) {
                        match copy.adopt(&image, &plan, old, status.size) {
                            Ok(()) => {}
                            Err(Refusal::Other) => break,
                            Err(Refusal::Damaged) => {
                                set_aside(files)?;
                                continue;
                            }
                        }
                    }
                    Some(status)
                }
            };
            if fill_and_map(files, &image, &plan, &copy, from, status, None)? {
                return Ok(());
            }
        }
    }
    Err(Error::Busy)
}

/// Writes the profile anew into a file in the place of the one that is mapped, and maps that.
pub(super) fn renew(files: &mut Files) -> Result {
    let Files { places, held, name, .. } = &mut *files;
    let [device, inode] = held.identity;
    let Some((old, status)) = places.reopen(held.name.as_c_str(), device, inode) else {
        // Somebody has removed it.
        return take(files, Begin::Live);
    };
    name.set(held.name.as_bytes())?;
    let image = Image::this();
    let plan = plan(&image)?;
    let copy = Snapshot::new(&image, Begin::Live)?;
    fill_and_map(files, &image, &plan, &copy, Begin::Live, Some(&status), Some(&old)).map(drop)
}

/// Takes a file under another name, with all that was counted; the old one goes.
pub(super) fn move_on(files: &mut Files) -> Result {
    let mut old = PathBuf::new();
    old.set(files.held.name.as_bytes())?;
    let [device, inode] = files.held.identity;
    take(files, Begin::Live)?;
    if files.places.reopen(old.as_c_str(), device, inode).is_some() {
        file::remove(old.as_c_str());
    }
    Ok(())
}

/// Whether the file has all there is: no values, no bitmaps that are not mapped, and still its name.
pub(super) fn is_complete(files: &Files) -> bool {
    let image = Image::this();
    // SAFETY: the image's own records.
    let sites = unsafe { node::records(image.data) }.iter().any(|record| node::site_count(record) > 0);
    let named = |now: Status| [now.device, now.inode] == files.held.identity;
    !sites && files.held.bitmap.way != Way::Written && file::status(files.held.name.as_c_str()).is_ok_and(named)
}

/// Whether what the file holds is to be kept: of any run where files are merged into, else of this one.
fn goes_on(files: &Files, old: &Fd, plan: &Plan) -> bool {
    if filename::wished(files).merge_pool > 0 || files.run == 0 {
        return true;
    }
    let mut there = [0u8; stamp::SIZE];
    let at = plan.chunk(Part::Counters).offset.saturating_sub(stamp::SIZE as u64);
    old.read_all(&mut there, at).is_ok() && there == stamp::of(files.run)
}

/// A file that no reader takes: it gets another name.
fn set_aside(files: &mut Files) -> Result {
    let Files { places, name, held, .. } = files;
    // The held file's name serves as scratch: there is none.
    places.move_aside(&mut held.name)?;
    let parts: [&[u8]; 5] = [b"\"", name.as_bytes(), b"\" is damaged and now called \"", held.name.as_bytes(), b"\"."];
    print(Grade::Warning, &parts);
    Ok(())
}

/// Makes the file and maps it. `status`: of the file that is replaced; `mapped`: the same, if it is the one that is mapped now.
/// `false`: the name is another's by now.
fn fill_and_map(
    files: &mut Files,
    image: &Image,
    plan: &Plan,
    copy: &Snapshot,
    from: Begin,
    status: Option<&Status>,
    mapped: Option<&Fd>,
) -> Result<bool> {
    let Files { places, held, run, name, .. } = files;
    let filled = Image { counters: copy.counters(), bitmap: copy.bitmap(), ..*image };
    let mut fill = |file: &Fd| -> Result {
        let _quiet = os::file_size_limited().then(os::Quiet::begin);
        file.allocate(plan.fixed_size())?;
        // SAFETY: the image's sections, of which counters and bitmaps are the copy's.
        unsafe { dump::write_all(&filled, plan, SCRATCH, &mut sink::file::File::new(file)) }?;
        let at = plan.chunk(Part::Counters).offset.saturating_sub(stamp::SIZE as u64);
        file.write_at(&stamp::of(*run), at)?;
        held.counters.prepare(file, plan)?;
        held.bitmap.prepare(file, plan)
    };
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    let file = match places.install(status, mode, &mut fill) {
        Ok(Some(file)) => file,
        other => {
            held.counters.give_up();
            held.bitmap.give_up();
            return other.map(|_| false);
        }
    };
    let counted = if from == Begin::Live { Counted::Here } else { Counted::Nothing };
    // SAFETY: the copy of that section as it was.
    let changed =
        unsafe { held.counters.change(kind_of_counters(), copy.counters_then().start, counted, mapped, plan) };
    if changed.is_ok() {
        // When this fails after that has worked, bitmaps are written at exit.
        // SAFETY: the copy of that section as it was.
        if unsafe { held.bitmap.change(Kind::Bits, copy.bitmap_then().start, counted, mapped, plan) }.is_err() {
            held.bitmap.way = Way::Written;
        }
        let own = file.status()?;
        held.name.set(name.as_bytes())?;
        held.identity = [own.device, own.inode];
        held.process = os::process_id();
    }
    held.counters.give_up();
    held.bitmap.give_up();
    changed.map(|()| true)
}
