//! The statics of the file writer, each with its invariant.

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::os;
use crate::path::PathBuf;
use crate::publish::Places;
use crate::sync::{Guard, Mutex};

/// An exit handler that writes is registered.
pub static EXIT_REGISTERED: AtomicBool = AtomicBool::new(false);
/// The caller's stream that takes the profile instead of a file, as an address; 0: none.
pub static STREAM: AtomicUsize = AtomicUsize::new(0);
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

/// Everything about the file of this image's profile. Held for the whole of a dump, so the buffers serve as scratch.
#[derive(Debug)]
pub struct Files {
    /// The pattern in force. Invariant: valid (`filename::wishes` is not an error) unless `source` is `Unset`.
    pub pattern: PathBuf,
    /// The name that was given is longer than any path: its first bytes are kept for the message.
    pub too_long: bool,
    /// Who gave it.
    pub source: NameSource,
    /// The name the pattern stood for when it was expanded last.
    pub name: PathBuf,
    /// What is known about the file and about our part of it; scratch of `publish`.
    pub places: Places,
}

static FILES: Mutex<Files> = Mutex::new(Files {
    pattern: PathBuf::new(),
    too_long: false,
    source: NameSource::Unset,
    name: PathBuf::new(),
    places: Places::new(),
});
/// The thread that holds `FILES` (its token), 0 if none. Written only by the holder.
static HOLDER: AtomicUsize = AtomicUsize::new(0);
/// The process the holder is in. Written only by the holder.
static HOLDER_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Exclusive use of [`Files`].
#[derive(Debug)]
pub struct Locked(Guard<'static, Files>);

impl Deref for Locked {
    type Target = Files;
    fn deref(&self) -> &Files {
        &self.0
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut Files {
        &mut self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        HOLDER.store(0, Ordering::Relaxed);
    }
}

/// How long another thread is waited for, in steps of about a millisecond.
const PATIENCE: u32 = 30_000;

/// Takes the file state. Waits for another thread's dump; `None` when this very thread is inside one (a signal handler
/// that interrupted it), or when the other one does not end.
pub fn files() -> Option<Locked> {
    let token = os::thread_token();
    for _ in 0..PATIENCE {
        if let Some(guard) = FILES.try_lock() {
            HOLDER.store(token, Ordering::Relaxed);
            HOLDER_PROCESS.store(os::process_id(), Ordering::Relaxed);
            return Some(Locked(guard));
        }
        let holder = HOLDER.load(Ordering::Relaxed);
        if holder != 0 && HOLDER_PROCESS.load(Ordering::Relaxed) != os::process_id() {
            // We are a child that was forked while another thread of the parent was dumping. That thread is not here.
            HOLDER.store(0, Ordering::Relaxed);
            // SAFETY: the holder does not exist in this process, so nobody uses what the lock guards. What it holds
            // may be half changed, but every user of it sets what it reads.
            #[allow(unsafe_code)]
            unsafe {
                FILES.force_unlock();
            }
            continue;
        }
        if holder == token {
            return None;
        }
        os::pause();
    }
    None
}
