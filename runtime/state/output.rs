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

/// An exit handler that writes is registered.
pub static EXIT_REGISTERED: AtomicBool = AtomicBool::new(false);
/// Forks and signals are seen to.
pub static ENDINGS_KNOWN: AtomicBool = AtomicBool::new(false);
/// The caller's stream that takes the profile instead of a file, as an address; 0: none.
pub static STREAM: AtomicUsize = AtomicUsize::new(0);
/// What writes to it, null as long as there was none: a function of the type `lifecycle::write::StreamWriter`, which
/// only programs link that give us a stream. Set before [`STREAM`].
pub static STREAM_WRITER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The profile in the stream's file and ours are to be united.
pub static STREAM_MERGES: AtomicBool = AtomicBool::new(false);
/// Who said how the profile's file is called; later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameSource {
    /// Nobody asked yet.
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

/// Everything about the file of this image's profile. Held for the whole of a dump, so the buffers serve as scratch. In this order,
/// small fields first, it takes instructions that are shorter.
#[derive(Debug)]
#[repr(C)]
pub struct Output {
    /// Tells this run from others, in the files of continuous mode; 0: not known.
    pub run: u64,
    /// When the first of the processes that fork made began, in nanoseconds of the system's clock: with `%p`, a file that was changed later
    /// is of this run. 0: not known.
    pub began: u64,
    /// The file of a pool that could not be written, so that `member` is a file of one process alone: the key under which `contributions` has
    /// what was given before. 0: there is none.
    pub skipped_pool_file: u64,
    /// Which of the files that a pattern stands for in continuous mode is ours; `None`: not decided.
    pub member: Option<u32>,
    /// What the pattern asks for.
    pub flags: PatternFlags,
    /// Which file is from an earlier run was learnt.
    pub old_file_known: bool,
    /// The pattern is another one than that by which the file of continuous mode was found.
    pub renamed: bool,
    /// The name that was given is longer than any path: its first bytes are kept for the message.
    pub too_long: bool,
    /// Who gave it.
    pub source: NameSource,
    /// The file that counters are mapped onto.
    pub continuous: ContinuousFile,
    /// The pattern in force. Invariant: valid (`filename::parse_flags` is not an error) unless `source` is `Unset`.
    pub pattern: PathBuf,
    /// `$TMPDIR` when the pattern was set, if the pattern has `%t`: the environment may be gone at exit.
    pub temp_dir: PathBuf,
    /// The name the pattern stood for when it was expanded last.
    pub name: PathBuf,
    /// What files that unite the profiles of runs have from us.
    pub contributions: Contributions,
    /// What is known about the file and about our part of it; scratch of `publish`.
    pub publisher: Publisher,
}

impl Output {
    /// The name, for messages. Where it could not be made, the pattern tells more.
    pub fn shown(&self) -> &[u8] {
        match self.name.as_bytes() {
            b"" => self.pattern.as_bytes(),
            name => name,
        }
    }

    /// Whether `member` is a file of this process alone.
    pub fn has_own_member(&self) -> bool {
        self.member.is_some_and(|member| member & (OWN_MEMBERS - 1) == os::process_id())
    }

    /// Forgets that a file of the pool could not be written: the next write tries it again.
    pub fn stay_in_pool(&mut self) {
        if self.skipped_pool_file != 0 {
            self.skipped_pool_file = 0;
            self.member = None;
        }
    }
}

/// Files of a pool that one process has alone are numbered by its id, and by sums of its id and multiples of this: above all process
/// ids.
pub const OWN_MEMBERS: u32 = 1 << 22;

/// The file of continuous mode.
#[derive(Debug)]
#[repr(C)]
pub struct ContinuousFile {
    /// The process whose counters are pages of it; 0: there is none.
    pub process: u32,
    /// Bytes of the pages that it is laid out for; 0: nothing was mapped yet.
    pub page: usize,
    /// Its device and inode.
    pub identity: [u64; 2],
    /// The counters.
    pub counters: MappedSection,
    /// The bitmaps.
    pub bitmap: MappedSection,
    /// Its name, from the root.
    pub name: PathBuf,
}

impl ContinuousFile {
    const NONE: ContinuousFile = ContinuousFile {
        process: 0,
        page: 0,
        identity: [0; 2],
        counters: MappedSection::UNKNOWN,
        bitmap: MappedSection::UNKNOWN,
        name: PathBuf::new(),
    };

    /// Counters of this process are pages of the file.
    pub fn is_mapped(&self) -> bool {
        self.process != 0 && self.process == os::process_id()
    }

    /// Forgets what code that did not know of a move has counted in the old places.
    pub fn discard(&self, counters: CountKind) {
        self.counters.discard(counters);
        self.bitmap.discard(CountKind::Bits);
    }

    /// Does without the pages of a new file that are not in use yet.
    pub fn give_up(&mut self) {
        self.counters.give_up();
        self.bitmap.give_up();
    }

    /// Counters and bitmaps begin anew in memory of this process alone.
    pub fn leave(&mut self, counters: CountKind) -> Result {
        self.counters.leave(counters).and(self.bitmap.leave(CountKind::Bits))
    }
}

/// The file state, for who is the owner.
struct OutputCell(UnsafeCell<Output>);

// SAFETY: only the owner looks into it (`files`), and there is one at a time.
unsafe impl Sync for OutputCell {}

static OUTPUT: OutputCell = OutputCell(UnsafeCell::new(Output {
    run: 0,
    began: 0,
    skipped_pool_file: 0,
    member: None,
    flags: PatternFlags { merge_pool: 0, continuous: false, process: false, plain: false },
    old_file_known: false,
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
/// The thread and the process that have [`OUTPUT`], in one word so that nobody sees it half said; 0: nobody.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// Bits of the owner that are the process.
const PROCESS: u64 = (1 << 22) - 1;

/// This thread, without a process.
fn thread() -> u64 {
    // Tokens of two threads are further apart than 64 bytes, and user addresses have 47 bits.
    (os::thread_token() as u64 >> 6) << 22
}

/// This thread of this process. A process with one thread does not ask for its number: its lock is held by its thread or, in
/// a child, by one that is not there.
fn me() -> u64 {
    let process = if os::single_threaded() { 0 } else { u64::from(os::process_id()) & PROCESS };
    thread() | process
}

/// Exclusive use of [`Output`]. The thread cannot be cancelled meanwhile, and signals that write a profile wait.
///
/// What it is kept from is restored by what is on its own stack: a handler may fork inside of a dump, and in the child another
/// owner comes and goes before that one.
#[derive(Debug)]
pub struct OutputGuard {
    // Dropped in this order: what was pending comes when the lock is free, and still to a thread that stays.
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
        // SAFETY: as above, and this is the owner's only one.
        unsafe { &mut *OUTPUT.0.get() }
    }
}

impl Drop for OutputGuard {
    fn drop(&mut self) {
        OWNER.store(0, Ordering::Release);
    }
}

/// Whether this very thread is inside a dump, or was when its parent forked it.
pub fn is_inside() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner != 0 && (owner ^ me()) & !PROCESS == 0
}

/// Whether the thread that has the lock cannot be in this process.
fn stale(owner: u64, me: u64) -> bool {
    match (owner & PROCESS, me & PROCESS) {
        // The only thread there is finds another one's lock.
        (_, 0) => (owner ^ me) & !PROCESS != 0,
        // Taken when there was one thread, which may be here.
        (0, _) => false,
        (theirs, ours) => theirs != ours,
    }
}

/// Takes the file state. Waits for another thread's dump; `None` when this very thread is inside one (a signal handler
/// that interrupted it: a fault's, or one of a signal that nobody asked us to watch), or when the other one does not end.
pub fn lock() -> Option<OutputGuard> {
    let _uncancelled = os::Uncancelled::begin();
    let _held_back = os::HeldBack::begin();
    let me = me();
    let mut deadline = os::Deadline::new();
    loop {
        let take = |from: u64| OWNER.compare_exchange(from, me, Ordering::Acquire, Ordering::Relaxed);
        let Err(owner) = take(0) else { return Some(OutputGuard { _held_back, _uncancelled }) };
        if stale(owner, me) {
            // We are a child that was forked while a thread of the parent was dumping. That thread is not here, so
            // nobody uses what it had. It may be half changed, but every user sets what it reads.
            if take(owner).is_ok() {
                let mut output = OutputGuard { _held_back, _uncancelled };
                // What it was about to move may stand in two places.
                output.contributions.abandon();
                output.publisher.abandon();
                return Some(output);
            }
        } else if (owner ^ me) & !PROCESS == 0 {
            // Also when it was taken before there were more threads, or before we were forked inside.
            return None;
        } else if deadline.is_over() {
            return None;
        } else {
            os::pause();
        }
    }
}
