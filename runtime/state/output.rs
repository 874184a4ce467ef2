//! The statics of the file writer, and the lock of its state.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use crate::continuous::counts::CountKind;
use crate::continuous::mapped_section::MappedSection;
use crate::error::Result;
use crate::filename::PatternFlags;
use crate::merge::contribution::Contribution;
use crate::os;
use crate::os::file::HeldLock;
use crate::path::PathBuf;
use crate::publish::Publisher;
use crate::publish::recent::Recent;
use crate::state::member::Member;
use crate::state::owner::Owner;
use crate::state::waiting::{OWNER_WAITS, Waiting, wait_under};

/// The exit handler that writes the profile is registered.
pub static EXIT_REGISTERED: AtomicBool = AtomicBool::new(false);
/// The handler for forked children of programs with a profile is registered.
pub static FORK_HANDLED: AtomicBool = AtomicBool::new(false);
/// The functions that a signal handler calls to write the profile, and the `.gcda` files. Invariant: each is null, or an `extern "C" fn()` of
/// this image. (Called by address, so that a program links only what it writes.)
pub static PROFILE_DUMP: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// See [`PROFILE_DUMP`].
pub static GCOV_DUMP: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The environment was read for the handling of forks and signals.
pub static ENDINGS_KNOWN: AtomicBool = AtomicBool::new(false);
/// The address of the program's stream that receives the profile instead of a file; 0: none.
pub static STREAM: AtomicUsize = AtomicUsize::new(0);
/// The function that writes to [`STREAM`], or null before the first stream. Invariant: null, or a function of the type
/// `lifecycle::write::StreamWriter`, set before [`STREAM`]. (Only programs that set a stream link that function.)
pub static STREAM_WRITER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The profile is merged with the one in the stream's file.
pub static STREAM_MERGES: AtomicBool = AtomicBool::new(false);

/// The source of the profile's name; a later source overrides an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameSource {
    /// The name was not needed yet.
    Unset,
    /// `default.profraw`.
    Default,
    /// `__llvm_profile_filename`, from the compiler's command line.
    CommandLine,
    /// `LLVM_PROFILE_FILE`.
    Environment,
    /// `__llvm_profile_set_filename`.
    Program,
}

/// The state of the profile file of this image. A dump locks it for its whole duration, so its buffers also serve as scratch memory.
/// Small fields come first: their accesses take shorter instructions.
#[derive(Debug)]
#[repr(C)]
pub struct Output {
    /// The number of this run, in the stamps of continuous files; 0: not known.
    pub run: u64,
    /// When the first process of this run began, in nanoseconds of the system's clock: a file that was changed later is of this run, if its
    /// name has `%p` or is another one than that of the first process. 0: not known.
    pub began: u64,
    /// The hash of the name of the pool file that could not be written, so that `member` is a private pool file. 0, which no name has: there
    /// is none.
    pub skipped_pool_file: u64,
    /// Which file of the pattern is ours.
    pub member: Member,
    /// The numbered file that was written under the current pattern; [`Member::Undecided`]: none.
    pub written_member: Member,
    /// The flags of the pattern.
    pub flags: PatternFlags,
    /// `lifecycle::run::begin` was called, so that `publisher.earlier_fingerprint` and `run` are decided.
    pub run_known: bool,
    /// The pattern was changed since the last search for a continuous file.
    pub renamed: bool,
    /// The given pattern is longer than any path: `pattern` has its first bytes, for the message.
    pub too_long: bool,
    /// The source of the pattern.
    pub source: NameSource,
    /// The file that counters are mapped onto.
    pub continuous: ContinuousFile,
    /// The pattern in force. Invariant: valid (`filename::parse_flags` is not an error) unless `source` is `Unset`.
    pub pattern: PathBuf,
    /// `$TMPDIR` when the pattern was set, if the pattern has `%t`: the environment may be gone at exit.
    pub temp_dir: PathBuf,
    /// The last expansion of the pattern.
    pub name: PathBuf,
    /// The contributions of this process to pool files.
    pub contributions: Recent<Contribution>,
    /// The writer of the file.
    pub publisher: Publisher,
}

impl Output {
    /// Returns the name for messages: the pattern, where it could not be expanded.
    pub fn shown(&self) -> &[u8] {
        match self.name.as_bytes() {
            b"" => self.pattern.as_bytes(),
            name => name,
        }
    }

    /// Returns whether the profile goes to a pool file, which runs share.
    pub fn is_pooled(&self) -> bool {
        self.flags.merge_pool > 0
    }

    /// Forgets which file of the pattern is ours: the next write decides anew, and tries a shared pool file first.
    pub fn forget_member(&mut self) {
        (self.member, self.written_member, self.skipped_pool_file) = (Member::Undecided, Member::Undecided, 0);
    }

    /// Changes the pattern and what belongs to it. A child that another thread forks meanwhile finds a mixture of the old and the new
    /// pattern, which [`Output::abandon_changes`] removes there.
    pub fn change_pattern<T>(&mut self, change: impl FnOnce(&mut Output) -> T) -> T {
        PATTERN_CHANGES.store(true, Ordering::Relaxed);
        // The mark must be in memory before and after all changes.
        compiler_fence(Ordering::SeqCst);
        let result = change(self);
        compiler_fence(Ordering::SeqCst);
        PATTERN_CHANGES.store(false, Ordering::Relaxed);
        result
    }

    /// Makes the state usable in a forked child, where a thread of the parent was changing it. Other fields than those below may be half
    /// changed, but every user sets them before it reads them, a change of them is one store, or they have the parent's process id in a key.
    fn abandon_changes(&mut self) {
        // Values that the thread was moving may be in two places: neither may be freed.
        self.contributions.abandon();
        self.publisher.abandon();
        self.forget_member();
        if PATTERN_CHANGES.swap(false, Ordering::Relaxed) {
            // Without a source, `lifecycle::filename::ensure` learns the name anew.
            self.source = NameSource::Unset;
            self.flags = PatternFlags::default();
            self.pattern.clear();
            self.temp_dir.clear();
            self.too_long = false;
        }
    }
}

/// The continuous file.
#[derive(Debug)]
#[repr(C)]
pub struct ContinuousFile {
    /// The process whose counters are pages of the file; 0: there is none.
    pub process_key: u32,
    /// What `process_key` was before an attempt to map another file, during which it is 0; 0 at all other times. For a child that another
    /// thread forks meanwhile.
    pub replaced_key: u32,
    /// The page size of the file's layout; 0: continuous mode was not tried yet.
    pub page_size: usize,
    /// The device and inode of the file.
    pub identity: [u64; 2],
    /// The file is a pool file. (The pattern may be another one since, if the counts could not move there.)
    pub pooled: bool,
    /// The lock of the file.
    pub lock: HeldLock,
    /// The counters.
    pub counters: MappedSection,
    /// The bitmaps.
    pub bitmap: MappedSection,
    /// The absolute name of the file.
    pub name: PathBuf,
}

impl ContinuousFile {
    /// The state before a file is mapped.
    const NONE: ContinuousFile = ContinuousFile {
        process_key: 0,
        replaced_key: 0,
        page_size: 0,
        identity: [0; 2],
        pooled: false,
        lock: HeldLock::NONE,
        counters: MappedSection::UNKNOWN,
        bitmap: MappedSection::UNKNOWN,
        name: PathBuf::new(),
    };

    /// Returns whether the counters of this process are pages of the file.
    pub fn is_mapped(&self) -> bool {
        self.process_key != 0 && self.process_key == os::process_key()
    }

    /// Clears the counts that code has made in the sections after the counters moved to the file, before that code saw the move.
    pub fn discard(&self, counters: CountKind) {
        self.counters.discard(counters);
        self.bitmap.discard(CountKind::Bits);
    }

    /// Unmaps the pages of a new file that are not in use yet.
    pub fn give_up(&mut self) {
        self.counters.give_up();
        self.bitmap.give_up();
    }

    /// Moves counters and bitmaps from the file to private memory of this process, where they start from zero.
    pub fn leave(&mut self, counters: CountKind) -> Result {
        let left = self.counters.leave(counters).and(self.bitmap.leave(CountKind::Bits));
        if left.is_ok() {
            self.lock.release();
        }
        left
    }
}

/// The memory of the state, which only the owner of the lock uses.
struct OutputCell(UnsafeCell<Output>);

// SAFETY: only the owner of the lock, of which there is one at a time, uses the state (`lock`).
unsafe impl Sync for OutputCell {}

static OUTPUT: OutputCell = OutputCell(UnsafeCell::new(Output {
    run: 0,
    began: 0,
    skipped_pool_file: 0,
    member: Member::Undecided,
    written_member: Member::Undecided,
    flags: PatternFlags { merge_pool: 0, continuous: false, has_pid: false, verbatim: false },
    run_known: false,
    renamed: false,
    too_long: false,
    source: NameSource::Unset,
    continuous: ContinuousFile::NONE,
    pattern: PathBuf::new(),
    temp_dir: PathBuf::new(),
    name: PathBuf::new(),
    contributions: Recent::new(),
    publisher: Publisher::new(),
}));
/// The [`Owner`] of the lock of [`OUTPUT`].
static OWNER: AtomicU64 = AtomicU64::new(Owner::NOBODY.word());
/// A thread is changing the pattern, and what belongs to it: `flags`, `temp_dir`, `source`.
static PATTERN_CHANGES: AtomicBool = AtomicBool::new(false);

/// A lock of [`Output`]. The thread cannot be canceled while the guard lives, and signals wait (all, or those that write a profile): a handler
/// could fork, and leave two processes in one write, with one lock of its file. Only waits let signals through ([`Publisher::pause`]).
///
/// The saved signal mask and cancelability live in this guard, not in a static: a handler may fork during a dump, and in the child another
/// thread may lock and unlock the state before this guard is dropped.
#[derive(Debug)]
pub struct OutputGuard {
    // Dropped in this order, after the lock is free: pending signals arrive before the thread can be canceled.
    blocked: os::BlockedSignals,
    _uncancelled: os::Uncancelled,
}

impl Deref for OutputGuard {
    type Target = Output;
    #[inline]
    fn deref(&self) -> &Output {
        // SAFETY: an `OutputGuard` is only made for the owner.
        unsafe { &*OUTPUT.0.get() }
    }
}

impl DerefMut for OutputGuard {
    #[inline]
    fn deref_mut(&mut self) -> &mut Output {
        // SAFETY: an `OutputGuard` is only made for the owner, who has only one; the reference borrows it mutably.
        unsafe { &mut *OUTPUT.0.get() }
    }
}

impl OutputGuard {
    /// Holds back all signals until the lock is free, as [`lock`] does.
    pub fn hold_signals_back(&mut self) {
        self.blocked.block_all_but_urgent();
        self.publisher.wait = wait_under(self.blocked.mask_before());
    }
}

impl Drop for OutputGuard {
    fn drop(&mut self) {
        OWNER.store(Owner::NOBODY.word(), Ordering::Release);
    }
}

/// Returns whether this thread is inside a dump, or was when its process was forked.
pub fn is_inside() -> bool {
    Owner::from_word(OWNER.load(Ordering::Relaxed)).is_same_thread(Owner::current())
}

/// Gives up the lock of this thread in a wait: a signal handler has called `exit`, so the write does not go on.
pub fn give_up_wait() {
    if is_inside() && OWNER_WAITS.swap(false, Ordering::Relaxed) {
        OWNER.store(Owner::NOBODY.word(), Ordering::Release);
    }
}

/// Locks the state of the profile file, and holds signals back. Waits for the dump of another thread. Returns `None` when this thread is inside
/// a dump (in a handler that has interrupted a wait, or of a fault), or when the other dump does not end.
pub fn lock() -> Option<OutputGuard> {
    lock_unless_shared(false, Waiting::All)
}

/// Locks the state as [`lock`], for work that opens no file: only the signals that write a profile are held back.
pub fn lock_briefly() -> Option<OutputGuard> {
    lock_unless_shared(false, Waiting::Watched)
}

/// Locks the state as [`lock`], in memory that a `vfork` child may share: an owner of another process goes on, and keeps the lock until it is
/// done. Callers have released the locks of a parent whose memory this process has copied.
pub fn lock_in_shared_memory(waiting: Waiting) -> Option<OutputGuard> {
    lock_unless_shared(true, waiting)
}

/// Locks the state. `shared`: another process may use this memory, so that no lock is taken over.
fn lock_unless_shared(shared: bool, waiting: Waiting) -> Option<OutputGuard> {
    let _uncancelled = os::Uncancelled::begin();
    let blocked = match waiting {
        Waiting::Watched => os::BlockedSignals::begin(),
        Waiting::All => os::BlockedSignals::all_but_urgent(),
    };
    let mask_before = blocked.mask_before();
    let mut deadline = os::Deadline::new();
    let mut output = loop {
        // In each round: a handler may fork this process in the pause.
        let me = Owner::current();
        let take = |from: Owner| OWNER.compare_exchange(from.word(), me.word(), Ordering::Acquire, Ordering::Relaxed);
        let Err(owner) = take(Owner::NOBODY) else { break OutputGuard { blocked, _uncancelled } };
        let owner = Owner::from_word(owner);
        if owner.is_of_parent(me) && !shared {
            // This process was forked while a thread of the parent was dumping or was changing the name. That thread is not in this process,
            // so nobody uses the state.
            if take(owner).is_ok() {
                let mut output = OutputGuard { blocked, _uncancelled };
                output.abandon_changes();
                break output;
            }
        } else if owner.is_same_thread(me) {
            // This thread is the owner, also if it took the lock before there were more threads, or before it forked this process.
            return None;
        } else if owner.has_ended(me) {
            if take(owner).is_ok() {
                let mut output = OutputGuard { blocked, _uncancelled };
                os::file::forget_all();
                output.abandon_changes();
                break output;
            }
        } else if deadline.is_over() {
            return None;
        } else {
            os::with_mask(mask_before, os::pause);
        }
    };
    output.publisher.wait = wait_under(mask_before);
    // The owner before may have left a wait by `longjmp`, or was forked in one.
    OWNER_WAITS.store(false, Ordering::Relaxed);
    Some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Locks the state as a forked child does while a thread of its parent has the lock.
    fn lock_in_child() -> OutputGuard {
        const OTHER_THREAD: u64 = 1 << 22;
        // Another process than this one: the number of forks differs.
        OWNER.store((Owner::current().word() | 1) ^ 1 << 63 ^ OTHER_THREAD, Ordering::Relaxed);
        lock().unwrap()
    }

    #[test]
    fn a_child_learns_a_name_anew_that_its_parent_was_changing() {
        {
            let mut output = lock().unwrap();
            output.change_pattern(|output| {
                output.source = NameSource::Program;
                output.pattern.set(b"old.profraw").unwrap();
            });
        }
        {
            let output = lock_in_child();
            assert_eq!((output.source, output.pattern.as_bytes()), (NameSource::Program, &b"old.profraw"[..]));
        }
        {
            let mut output = lock().unwrap();
            PATTERN_CHANGES.store(true, Ordering::Relaxed);
            output.flags.verbatim = true;
            output.pattern.set(b"new-%p").unwrap();
        }
        let output = lock_in_child();
        assert_eq!((output.source, output.pattern.as_bytes()), (NameSource::Unset, &b""[..]));
        assert_eq!(output.flags, PatternFlags::default());
        assert!(!PATTERN_CHANGES.load(Ordering::Relaxed));
    }
}
