//! Continuous mode from start to exit: which file, when its pages take the place of counters, and what is said when that is
//! not possible.
//!
//! Each image and each process has a file of its own, which it keeps locked (`publish::claim`): counters that two processes
//! add to on one page would lose counts. Who finds a file in use takes the next member of the pool, or the next number
//! behind the name. What a file of this run holds already, or with `%m` of any run, is taken over.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::numbered::{Runs, add_stamp, may_write};
use super::{continuous_file, filename, fork, run};
use crate::continuous::counts::Kind;
use crate::continuous::method::Way;
use crate::continuous::snapshot::Begin;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::layout::Part;
use crate::mismatch;
use crate::os;
use crate::publish::claim::Claim;
use crate::report::{Grade, fail, print, reason, say};
use crate::reset;
use crate::sections::{Image, variables};
use crate::state::RESET_MAPPED;
use crate::state::continuous_request::{PAGE_SIZE, WANTED, enabled};
use crate::state::output::{self, Files, NameSource, STREAM};

/// What the bytes of counters mean here.
pub(super) fn kind_of_counters() -> Kind {
    if Variant(variables::raw_version()).has(Variant::BYTE_COVERAGE) { Kind::Covered } else { Kind::Words }
}

/// The size of pages in the file: what a program has said, if the system can map that.
fn page_size() -> usize {
    let system = os::page_size();
    let said = PAGE_SIZE.load(Ordering::Relaxed) as usize;
    if said.is_power_of_two() && said > system { said } else { system }
}

/// Maps the counters onto the file under the name in force, if that is wanted. When they are mapped already, the profile
/// moves to the name if that is another one now.
pub fn begin(files: &mut Files) {
    let _suspended = os::ParentDeath::suspend();
    if files.held.is_mapped() {
        if files.renamed
            && let Err(error) = continuous_file::move_on(files)
        {
            let (name, held) = (files.name.as_bytes(), files.held.name.as_bytes());
            let parts: [&[u8]; 6] =
                [b"The profile cannot move to \"", name, b"\" and stays in \"", held, b"\": ", reason(error)];
            print(Grade::Error, &parts);
        }
        return;
    }
    if !enabled() || STREAM.load(Ordering::Relaxed) != 0 || files.too_long {
        return;
    }
    // Nothing is written at the start of a set-uid program: only a call chooses a file here.
    if os::secure() && !(files.source == NameSource::Program && filename::is_chosen(files)) {
        return;
    }
    let image = Image::this();
    // Another raw version is complained about when the profile is written.
    if image.counters.len == 0 || mismatch::check(&image, variables::raw_version()).is_err() {
        return;
    }
    // Once for all: what is mapped has whole pages of this size.
    if files.held.page == 0 {
        files.held.page = page_size();
    }
    let page = files.held.page;
    files.held.counters.choose(Part::Counters, page);
    files.held.bitmap.choose(Part::Bitmap, page);
    if !files.held.counters.way.mapped() {
        WANTED.store(false, Ordering::Relaxed);
        let name = files.pattern.as_bytes();
        let parts: [&[u8]; 3] = [
            b"Continuous mode (%c) is not possible, the profile is written when the program ends: ",
            name,
            b". Its counters share pages with other data and cannot be moved. Link profrt-continuous.o behind the program's \
              objects, or compile with -fprofile-continuous or -mllvm -runtime-counter-relocation.",
        ];
        print(Grade::Warning, &parts);
        return;
    }
    if files.held.bitmap.way == Way::Written {
        say(
            Grade::Warning,
            b"Continuous mode (%c) is not possible for MC/DC bitmaps, which are written when the program \
              ends. Link profrt-continuous.o behind the program's objects.",
        );
    }
    if !fork::register() {
        say(Grade::Warning, b"Forked children will count into the file of their parent: the system gave no memory.");
    }
    let mapped = continuous_file::take(files, Begin::Live);
    if mapped.is_ok() {
        run::mapped(files);
        RESET_MAPPED.store(reset_mapped as *mut (), Ordering::Relaxed);
    }
    report(files, mapped);
}

/// Says why the file is not mapped, and leaves the profile to the end of the program.
fn report(files: &mut Files, result: Result) {
    if let Err(error) = result {
        WANTED.store(false, Ordering::Relaxed);
        let what = b"Continuous mode (%c) has failed, the profile is written when the program ends: \"";
        fail(what, files.shown(), error);
    }
}

/// Brings the file up to date, if there is one: `None` when the profile is to be written in the usual way. Counters are in it
/// already; values, and what else is not mapped, come with a new file in its place.
pub fn write(files: &mut Files) -> Option<Result> {
    if files.held.process == 0 {
        return None;
    }
    if !files.held.is_mapped() {
        // A child that the C library does not know of (`_Fork`): its counts are in its parent's file.
        return Some(Ok(()));
    }
    files.held.counters.collect(kind_of_counters());
    files.held.bitmap.collect(Kind::Bits);
    if continuous_file::is_complete(files) { Some(Ok(())) } else { Some(continuous_file::renew(files)) }
}

/// Brings the file up to date and gives it up: counts go on from zero, in memory of the process.
pub(super) fn leave(files: &mut Files) -> Result {
    write(files).unwrap_or(Ok(()))?;
    files.held.leave(kind_of_counters())?;
    files.held.process = 0;
    reset::forget_values(&Image::this());
    Ok(())
}

/// Counters are reset. In a file of our own they are zeroed, and values that it has from an earlier write go. A file of a pool holds
/// counts of other runs as well: what is in there stays, our values too, and we begin anew in the next one.
extern "C" fn reset_mapped() {
    let _suspended = os::ParentDeath::suspend();
    let Some(mut files) = output::files() else {
        return print(Grade::Error, &[b"Counters were not reset: ", reason(Error::BUSY), b"."]);
    };
    let pooled = files.held.is_mapped() && continuous_file::pooled(&files);
    if !pooled {
        reset::clear();
        files.held.discard(kind_of_counters());
    }
    if let Some(Err(error)) = write(&mut files) {
        report(&mut files, Err(error));
    }
    if pooled {
        begin_anew(&mut files);
    }
}

/// In a forked child, before `fork` returns there: what is counted from here on is the child's own, and goes to a file of its
/// own. What its parent has counted is in the parent's file. `false`: nothing is mapped, and the child counts where it did.
pub fn in_child() -> bool {
    // Without the state nobody knows; but where pages may be those of the parent's file they are left alone.
    let Some(mut files) = output::files() else { return !RESET_MAPPED.load(Ordering::Relaxed).is_null() };
    // Whatever its number: in a namespace of its own it may be its parent's.
    if files.held.process == 0 {
        // After the mode was left for a stream, children go on to begin with no counts.
        let left = enabled() && files.held.page != 0 && STREAM.load(Ordering::Relaxed) != 0;
        if left {
            reset::clear();
        }
        return left;
    }
    // What another thread was about to map; before that place is given to anything else.
    files.held.give_up();
    begin_anew(&mut files);
    true
}

/// Leaves the file that is mapped as it is, and counts from zero into another one.
fn begin_anew(files: &mut Files) {
    files.held.process = 0;
    files.held.discard(kind_of_counters());
    reset::forget_values(&Image::this());
    if let Err(error) = continuous_file::take(files, Begin::Start) {
        // Not the pages of that file in any case.
        let left = files.held.leave(kind_of_counters());
        // What is written at exit goes to a file with a number, which a later run finds and removes, or to one of the pool.
        files.member = Some(if continuous_file::pooled(files) { os::process_id() } else { 1 });
        report(files, Err(left.err().unwrap_or(error)));
    }
}

/// Finds a file for a profile that is written at exit although its name asks for the mode: not one that a process has mapped, which
/// is locked until that ends.
pub fn avoid_mapped(files: &mut Files) -> Result {
    if !files.wishes.continuous {
        return Ok(());
    }
    let decided = files.member;
    let runs = &mut Runs::default();
    let pooled = continuous_file::pooled(files);
    let from = if pooled { 0 } else { decided.unwrap_or(0) };
    for member in core::iter::once(decided).chain((from..continuous_file::MEMBERS).map(Some)) {
        let free = match member {
            // The file that this process has written before.
            Some(1..) if member == decided && files.places.looks_for_header() => true,
            Some(number @ 1..) if !pooled => may_write(files, number, runs),
            _ => {
                files.member = member;
                filename::resolve(files)?;
                // What else is wrong with the name is told by the write.
                !matches!(files.places.claim(files.name.as_bytes()), Ok(Claim::Taken))
            }
        };
        files.places.leave();
        files.member = member;
        if free {
            return Ok(());
        }
    }
    Err(Error::BUSY)
}

/// Whether the file in force is a numbered one, in which a later run looks for the number of ours.
pub fn is_numbered(files: &Files) -> bool {
    files.wishes.continuous && !continuous_file::pooled(files) && files.member.is_some_and(|member| member > 0)
}

/// Says in the numbered file, which was just written, that it is of this run.
#[cold]
#[inline(never)]
pub fn mark(files: &Files) {
    if let Err(error) = add_stamp(files) {
        let name = files.name.as_bytes();
        print(
            Grade::Warning,
            &[b"\"", name, b"\" will be counted in later runs, too, unless it is removed: ", reason(error)],
        );
    }
}
