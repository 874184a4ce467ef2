//! A pass over the object files of this image, and the `.gcda` file that it is writing.
//!
//! The write function of an object file calls `start`, then for each function `function` and `counters`, then `summary` and `finish`. The file is
//! built in memory and published by `finish`. A program may make these calls itself, outside a pass: then each file is a pass of its own.
//!
//! Each count reaches a file once: a pass after which another may follow remembers what it has written of each counter, its
//! **contribution**, and later passes subtract that. Counters are known by their place in the order of a pass, beginning with earlier passes.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::mem;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering, compiler_fence, fence};

use super::buffer::PageBuffer;
use super::content::GcdaContent;
use super::encoding::Version;
use super::functions::Functions;
use super::merge::each_counter;
use super::prefix::Prefix;
use crate::error::{Error, Result};
use crate::lifecycle::content::LaterWrites;
use crate::os;
use crate::output::{self, OutputGuard};
use crate::path::PathBuf;
use crate::publish::{Publication, Way};
use crate::report::{Grade, fail, print, reason};

/// The state of a pass. Only the owner of the lock of the profile file uses it.
struct Pass {
    /// The lock of the profile file, which also excludes two passes at once; `None` outside a pass.
    guard: Option<OutputGuard>,
    /// `finish` ends the pass.
    single_file: bool,
    later: LaterWrites,
    /// `GCOV_PREFIX`, as it was when the pass began.
    prefix: Prefix,
    /// The version of the file that is being written.
    version: Option<Version>,
    /// The first error of that file.
    failed: Result,
    /// The file has a summary.
    has_summary: bool,
    /// The place of the first counter of the file in the order of the pass.
    first_counter: usize,
    /// The place of the next counter.
    next_counter: usize,
    /// Our file.
    ours: PageBuffer,
    /// The sum of the existing file and ours.
    sum: PageBuffer,
    /// What earlier passes have written of each counter since the last reset, one word each.
    contribution: PageBuffer,
    /// [`RESETS`], as `contribution` knows it.
    resets: u32,
    /// The counters before this place were read before the last reset.
    reset_at: usize,
    /// The name of the file.
    name: PathBuf,
}

struct PassCell(UnsafeCell<Pass>);
// SAFETY: only the owner of the lock of the profile file uses it (`current`, `begin`).
unsafe impl Sync for PassCell {}

static PASS: PassCell = PassCell(UnsafeCell::new(Pass {
    guard: None,
    single_file: false,
    later: LaterWrites::None,
    prefix: Prefix::NONE,
    version: None,
    failed: Ok(()),
    has_summary: false,
    first_counter: 0,
    next_counter: 0,
    ours: PageBuffer::EMPTY,
    sum: PageBuffer::EMPTY,
    contribution: PageBuffer::EMPTY,
    resets: 0,
    reset_at: 0,
    name: PathBuf::new(),
}));

/// How often the counters were reset. A pass that finds another number than [`Pass::resets`] has a contribution that is void. (A reset in a signal
/// handler, or beside a pass that does not end, cannot lock the pass.)
static RESETS: AtomicU32 = AtomicU32::new(0);
/// A thread is moving `contribution`, or has not cleared all of it. A child that another thread forks meanwhile begins without one.
static CONTRIBUTION_GROWS: AtomicBool = AtomicBool::new(false);
/// The run of this process is in a file.
static RUN_COUNTED: AtomicBool = AtomicBool::new(false);

/// Returns the pass of this thread.
fn current() -> Option<&'static mut Pass> {
    if !output::is_inside() {
        return None;
    }
    // SAFETY: this thread has the lock of the profile file. Each caller drops the reference before it returns, and calls nothing that uses the
    // pass meanwhile.
    let pass = unsafe { &mut *PASS.0.get() };
    pass.guard.is_some().then_some(pass)
}

/// Begins a pass. Error: [`Error::BUSY`], if this thread is in one already or in a write of the profile.
fn begin(later: LaterWrites, single_file: bool, reads_prefix: bool) -> Result<&'static mut Pass> {
    let guard = output::lock().ok_or(Error::BUSY)?;
    // SAFETY: as in `current`.
    let pass = unsafe { &mut *PASS.0.get() };
    if pass.guard.is_some() {
        // A thread of the parent was in a pass when it forked this process. Its lock is ours now. Its buffers may be half changed: memory in two
        // places may not be unmapped.
        mem::forget(pass.guard.take());
        mem::forget(mem::replace(&mut pass.ours, PageBuffer::EMPTY));
        mem::forget(mem::replace(&mut pass.sum, PageBuffer::EMPTY));
        if CONTRIBUTION_GROWS.swap(false, Ordering::Relaxed) {
            mem::forget(mem::replace(&mut pass.contribution, PageBuffer::EMPTY));
        }
    }
    pass.guard = Some(guard);
    (pass.later, pass.single_file) = (later, single_file);
    if reads_prefix {
        pass.prefix.read();
    }
    pass.version = None;
    (pass.next_counter, pass.reset_at) = (0, 0);
    pass.forget_if_reset();
    Ok(pass)
}

/// Reads the environment at the start of the program, for dumps in signal handlers.
pub fn learn_prefix() {
    let Some(_guard) = output::lock_without_write() else { return };
    // SAFETY: as in `current`.
    let pass = unsafe { &mut *PASS.0.get() };
    pass.prefix.read();
}

/// Ends the pass of this thread.
fn end() {
    let Some(pass) = current() else { return };
    (pass.ours, pass.sum) = (PageBuffer::EMPTY, PageBuffer::EMPTY);
    // Another thread may use the pass afterwards.
    drop(pass.guard.take());
}

/// Calls the write functions of this image. The last pass removes them. `reads_prefix`: not in a signal handler, which may have interrupted a
/// change of the environment: there the prefix is the one that was read last.
pub fn write(functions: &Functions, later: LaterWrites, reads_prefix: bool) {
    if functions.is_empty() {
        return;
    }
    let _suspended = os::ParentDeath::suspend();
    if let Err(error) = begin(later, false, reads_prefix) {
        return print(Grade::Error, &[b"Failed to write .gcda files: ", reason(error), b"."]);
    }
    functions.call();
    if later == LaterWrites::None {
        // A thread that waits for the end of this pass finds nothing to write.
        functions.clear();
    }
    end();
}

/// Calls the reset functions of this image, also inside a pass. What was written before is not subtracted any more.
pub fn reset(functions: &Functions) {
    let guard = output::lock_without_write();
    functions.call();
    RESETS.fetch_add(1, Ordering::Release);
    drop(guard);
}

/// Begins a file.
pub fn start(name: &CStr, version: Version, stamp: u32) {
    let pass = match current() {
        Some(pass) => pass,
        None => match begin(LaterWrites::None, true, true) {
            Ok(pass) => pass,
            Err(error) => return fail(b"Failed to write file \"", name.to_bytes(), error),
        },
    };
    pass.version = Some(version);
    pass.has_summary = false;
    pass.first_counter = pass.next_counter;
    pass.ours.clear();
    pass.failed = match pass.prefix.apply(name.to_bytes(), &mut pass.name) {
        // The caller of a set-uid program chooses where a relative name leads.
        Ok(()) if !pass.single_file && !name.to_bytes().starts_with(b"/") && os::secure() => Err(Error::NOT_CHOSEN),
        Ok(()) => version.header(&mut pass.ours, stamp),
        error => error,
    };
}

impl Pass {
    /// Appends to the file, if there is one and nothing has failed.
    fn append(&mut self, record: impl FnOnce(Version, &mut PageBuffer) -> Result) {
        if let Some(version) = self.version
            && self.failed.is_ok()
        {
            self.failed = record(version, &mut self.ours);
        }
    }

    /// Publishes the file. Waits while another process has it locked. A child that a signal handler forks meanwhile leaves the file to its
    /// parent, and so does a reset.
    fn publish(&mut self) -> Result {
        self.failed?;
        let mask = self.guard.as_ref().and_then(OutputGuard::mask_before);
        let mut deadline = os::Deadline::new();
        loop {
            let result = self.publish_once(mask);
            if !matches!(result, Err(Error::FILE_IN_USE | Error::READ_LOCKED)) || deadline.is_over() {
                return result;
            }
            let process = os::process_key();
            os::with_mask(mask, os::pause);
            if os::process_key() != process || RESETS.load(Ordering::Acquire) != self.resets {
                return Ok(());
            }
        }
    }

    fn publish_once(&mut self, mask: Option<u64>) -> Result {
        let new_run = self.has_summary && !RUN_COUNTED.load(Ordering::Relaxed);
        let (ours, sum) = (self.ours.bytes(), &mut self.sum);
        let mut content = GcdaContent { ours, sum, new_run, merged: false, replaced: None };
        let mut to = Publication { content: &mut content, merges: true, mask, way: Way::Replace };
        let mut written = to.publish(&self.name);
        match written {
            // A device has no counts to add. (Nobody waits for a pipe's reader.)
            Err(Error::NOT_REGULAR) => {
                to.merges = false;
                written = to.publish(&self.name);
            }
            // The sum is as long as the existing file.
            Err(error) if error.is_refused() || matches!(error, Error::ENOSPC | Error::EDQUOT) => {
                to.way = Way::InPlace;
                written = to.publish(&self.name);
            }
            _ => {}
        }
        written?;
        content.report(self.name.as_bytes());
        if self.has_summary {
            RUN_COUNTED.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Forgets the contribution if the counters were reset since it was made. Returns whether they were.
    fn forget_if_reset(&mut self) -> bool {
        let resets = RESETS.load(Ordering::Acquire);
        let is_void = resets != self.resets;
        if is_void {
            self.contribution.clear();
            (self.resets, self.reset_at) = (resets, self.next_counter);
        }
        is_void
    }

    /// Makes room to remember the counters of the file: what is written and not remembered would be written again.
    fn prepare_to_remember(&mut self) -> Result {
        let more = self.next_counter.saturating_mul(8).saturating_sub(self.contribution.bytes().len());
        if more == 0 {
            return Ok(());
        }
        CONTRIBUTION_GROWS.store(true, Ordering::Relaxed);
        // The mark must be in memory before and after all changes.
        compiler_fence(Ordering::SeqCst);
        let room = self.contribution.extend(more);
        // Not `fill`, which would be a call of `memset` in a member of the archive that other programs link, too.
        let room = room.map(|room| {
            for byte in room {
                *byte = 0;
            }
        });
        compiler_fence(Ordering::SeqCst);
        CONTRIBUTION_GROWS.store(false, Ordering::Relaxed);
        room
    }

    /// Remembers what the file has of each counter that was not reset since. A child that another thread forks meanwhile does not write again what
    /// is remembered by then.
    fn remember(&mut self) -> Result {
        self.forget_if_reset();
        // A reset has removed the room.
        self.prepare_to_remember()?;
        let Pass { contribution, ours, first_counter, reset_at, .. } = self;
        let words = contribution.bytes_mut().as_chunks_mut::<8>().0.get_mut(*first_counter..).unwrap_or_default();
        let mut places = words.iter_mut().enumerate();
        each_counter(ours.bytes(), |written| {
            if let Some((at, place)) = places.next()
                && at.saturating_add(*first_counter) >= *reset_at
            {
                *place = u64::from_ne_bytes(*place).wrapping_add(written).to_ne_bytes();
            }
        });
        Ok(())
    }

    /// Appends the counters of a function, whose place is `first`, without what was written of them before.
    fn append_counters(&mut self, first: usize, count: u32, live: impl Iterator<Item = u64>) -> Result {
        let Some(version) = self.version.filter(|_| self.failed.is_ok()) else { return self.failed };
        let earlier = match self.single_file {
            true => &[],
            false => self.contribution.bytes().as_chunks::<8>().0.get(first..).unwrap_or(&[]),
        };
        if earlier.is_empty() {
            return version.counters(&mut self.ours, count, live);
        }
        let mut earlier = earlier.iter();
        // A counter below its contribution is no reset, which clears the contribution: without atomic updates a thread may store an old value.
        let new = live.map(|live| {
            let earlier = earlier.next().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
            live.saturating_sub(earlier)
        });
        version.counters(&mut self.ours, count, new)
    }
}

/// Appends a function to the file.
pub fn function(ident: u32, line_checksum: u32, flow_checksum: u32) {
    if let Some(pass) = current() {
        pass.append(|version, to| version.function(to, ident, line_checksum, flow_checksum));
    }
}

/// Appends the counters of a function to the file.
///
/// # Safety
/// `counters` must point to `count` counters. They may change meanwhile.
pub unsafe fn counters(count: u32, counters: *const u64) {
    let Some(pass) = current() else { return };
    let (first, written) = (pass.next_counter, pass.ours.bytes().len());
    loop {
        // SAFETY: one of the `count` counters by this function's contract. Volatile: other threads may be counting.
        let live = (0..count as usize).map(|at| unsafe { counters.wrapping_add(at).read_volatile() });
        pass.failed = pass.append_counters(first, count, live);
        // The counters are read before `RESETS` is.
        fence(Ordering::Acquire);
        if pass.single_file || !pass.forget_if_reset() {
            break;
        }
        // A signal handler has reset some of them: once more.
        pass.ours.truncate(written);
    }
    if !pass.single_file {
        pass.next_counter = first.saturating_add(count as usize);
    }
}

/// Appends the summary to the file.
pub fn summary() {
    if let Some(pass) = current() {
        pass.has_summary = true;
        pass.append(|version, to| version.summary(to));
    }
}

/// Ends the file and publishes it.
pub fn finish() {
    let Some(pass) = current() else { return };
    if pass.version.is_some() {
        pass.append(|version, to| version.end(to));
        pass.version = None;
        let remembers = pass.later == LaterWrites::Possible && !pass.single_file;
        let room = if remembers { pass.prepare_to_remember() } else { Ok(()) };
        let written = room.and_then(|()| pass.publish());
        if let Err(error) = written.and_then(|()| if remembers { pass.remember() } else { Ok(()) }) {
            fail(b"Failed to write file \"", pass.name.as_bytes(), error);
        }
    }
    if pass.single_file {
        end();
    }
}
