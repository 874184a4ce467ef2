//! The statics of the file writer, each with its invariant.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::continuous::counts::CountKind;
use crate::continuous::mapped_section::MappedSection;
use crate::error::Result;
use crate::filename::PatternFlags;
use crate::os;
use crate::path::PathBuf;
use crate::publish::Publisher;
use crate::state::contributions::Contributions;

/// The exit handler that writes the profile is registered.
pub static EXIT_REGISTERED: AtomicBool = AtomicBool::new(false);
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
    /// When the first process of this run began, in nanoseconds of the system's clock: with `%p`, a file that was changed later is of this
    /// run. 0: not known.
    pub began: u64,
    /// The key in `contributions` of the pool file that could not be written, so that `member` is a private pool file. 0: there is none.
    pub skipped_pool_file: u64,
    /// The number of our file among those that the pattern stands for: continuous files and private pool files; `None`: not decided.
    pub member: Option<u32>,
    /// The flags of the pattern.
    pub flags: PatternFlags,
    /// `publisher.earlier_file` and `run` are set.
    pub earlier_file_known: bool,
    /// The pattern was changed after the continuous file was found.
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
    pub contributions: Contributions,
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

    /// Returns whether `member` is a private pool file of this process.
    pub fn has_private_member(&self) -> bool {
        self.member.is_some_and(|member| member & (PRIVATE_MEMBERS - 1) == os::process_id())
    }

    /// Forgets that a pool file could not be written: the next write tries that file again.
    pub fn stay_in_pool(&mut self) {
        if self.skipped_pool_file != 0 {
            self.skipped_pool_file = 0;
            self.member = None;
        }
    }
}

/// Private pool files have the number of their process id plus a multiple of this constant, which is larger than all process ids.
pub const PRIVATE_MEMBERS: u32 = 1 << 22;

/// The continuous file.
#[derive(Debug)]
#[repr(C)]
pub struct ContinuousFile {
    /// The process whose counters are pages of the file; 0: there is none.
    pub process: u32,
    /// The page size of the file's layout; 0: nothing was mapped yet.
    pub page: usize,
    /// The device and inode of the file.
    pub identity: [u64; 2],
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
        process: 0,
        page: 0,
        identity: [0; 2],
        counters: MappedSection::UNKNOWN,
        bitmap: MappedSection::UNKNOWN,
        name: PathBuf::new(),
    };

    /// Returns whether the counters of this process are pages of the file.
    pub fn is_mapped(&self) -> bool {
        self.process != 0 && self.process == os::process_key()
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
        self.counters.leave(counters).and(self.bitmap.leave(CountKind::Bits))
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
    member: None,
    flags: PatternFlags { merge_pool: 0, continuous: false, process: false, plain: false },
    earlier_file_known: false,
    renamed: false,
    too_long: false,
    source: NameSource::Unset,
    continuous: ContinuousFile::NONE,
    pattern: PathBuf::new(),
    temp_dir: PathBuf::new(),
    name: PathBuf::new(),
    contributions: Contributions::new(),
    publisher: Publisher::new(),
}));
/// The thread and the process that have locked [`OUTPUT`], in one word, so that both change at once; 0: nobody.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// The bits of the owner that are the process: its id, and in the highest bit whether the number of forks before it is odd.
const PROCESS: u64 = PROCESS_ID | ODD_FORKS;
const PROCESS_ID: u64 = (1 << 22) - 1;
const ODD_FORKS: u64 = 1 << 63;

/// Returns the bits of the owner that are this thread.
fn thread() -> u64 {
    // Tokens of two threads are further apart than 64 bytes, and user addresses have 47 bits.
    (os::thread_token() as u64 >> 6) << 22 & !PROCESS
}

/// Returns the owner that this thread of this process is. A process with one thread needs no process id: only its own thread holds the
/// lock or, in a child, a thread of the parent.
fn me() -> u64 {
    if os::single_threaded() {
        return thread();
    }
    let key = u64::from(os::process_key());
    // The lowest bit of the number of forks, behind the id, moves to the highest bit.
    thread() | key & PROCESS_ID | key << 41 & ODD_FORKS
}

/// A lock of [`Output`]. The thread cannot be canceled while the guard lives, and signals that write a profile wait.
///
/// The saved signal mask and cancelability live in this guard, not in a static: a handler may fork during a dump, and in the child another
/// thread may lock and unlock the state before this guard is dropped.
#[derive(Debug)]
pub struct OutputGuard {
    // Dropped in this order, after the lock is free: pending signals arrive before the thread can be canceled.
    _held_back: os::HeldBack,
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

impl Drop for OutputGuard {
    fn drop(&mut self) {
        OWNER.store(0, Ordering::Release);
    }
}

/// Returns whether this thread is inside a dump, or was when its process was forked.
pub fn is_inside() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner != 0 && (owner ^ me()) & !PROCESS == 0
}

/// Returns whether the owner of the lock is a thread that cannot be in this process.
fn stale(owner: u64, me: u64) -> bool {
    match (owner & PROCESS, me & PROCESS) {
        // The only thread of this process finds the lock of another one.
        (_, 0) => (owner ^ me) & !PROCESS != 0,
        // The owner took the lock when its process had one thread, which may be this process.
        (0, _) => false,
        (theirs, ours) => theirs != ours,
    }
}

/// Locks the state of the profile file. Waits for the dump of another thread. Returns `None` when this thread is inside a dump (in a
/// handler of a signal that we do not watch, or of a fault), or when the other dump does not end.
pub fn lock() -> Option<OutputGuard> {
    let _uncancelled = os::Uncancelled::begin();
    let _held_back = os::HeldBack::begin();
    let me = me();
    let mut deadline = os::Deadline::new();
    loop {
        let take = |from: u64| OWNER.compare_exchange(from, me, Ordering::Acquire, Ordering::Relaxed);
        let Err(owner) = take(0) else { return Some(OutputGuard { _held_back, _uncancelled }) };
        if stale(owner, me) {
            // This process was forked while a thread of the parent was dumping. That thread is not in this process, so
            // nobody uses the state. The state may be half changed, but every user sets the fields that it reads.
            if take(owner).is_ok() {
                let mut output = OutputGuard { _held_back, _uncancelled };
                // Values that the thread was moving may be in two places: neither may be freed.
                output.contributions.abandon();
                output.publisher.abandon();
                return Some(output);
            }
        } else if (owner ^ me) & !PROCESS == 0 {
            // This thread is the owner, also if it took the lock before there were more threads, or before it forked this process.
            return None;
        } else if deadline.is_over() {
            return None;
        } else {
            os::pause();
        }
    }
}
