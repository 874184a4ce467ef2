//! A signal handler that does its task, and then passes the signal on to the action before it.
//!
//! Each image of a process has a handler of its own, which knows the action that was there before it: the program's handler, that of another
//! image, or the system's default. So the image that was loaded last comes first, and the default action comes last.
//!
//! An image in the chain stays loaded (`keep_loaded`), so the program and [`default`] may set or call its handler at any time. After its exit
//! handler an image leaves the chain; where another handler is in front of its own by then, its own stays and only passes signals on.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use super::handler::{
    Action, BlockedSignals, Errno, SIGNALS, action, deliver_pending, raise_again, set_action, set_blocked,
};
use super::loaded::keep_loaded;
use super::signal::{SYNCHRONOUS, bit};
use super::stack::on_own_stack;
use crate::sync::Slot;

/// The action that one signal had before ours.
struct Link {
    handler: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

impl Link {
    fn load(&self) -> Action {
        Action {
            handler: self.handler.load(Ordering::Acquire),
            flags: self.flags.load(Ordering::Relaxed),
            mask: self.mask.load(Ordering::Relaxed),
        }
    }

    fn store(&self, action: &Action) {
        self.mask.store(action.mask, Ordering::Relaxed);
        self.flags.store(action.flags, Ordering::Relaxed);
        self.handler.store(action.handler, Ordering::Release);
    }
}

/// The previous actions, of signal 1 first. Invariant: an action is stored before our handler is set.
static BEFORE: [Link; SIGNALS as usize] =
    [const { Link { handler: AtomicUsize::new(libc::SIG_DFL), flags: AtomicI32::new(0), mask: AtomicU64::new(0) } };
        SIGNALS as usize];

/// Returns the memory for the action that a signal had before ours.
fn link_of(number: c_int) -> Option<&'static Link> {
    BEFORE.get(number.wrapping_sub(1) as usize)
}

/// Signals that have our handler.
static WATCHED: AtomicU64 = AtomicU64::new(0);
/// What to do first, set before any handler is; empty: nothing any more.
static TASK: Slot<extern "C" fn()> = Slot::empty();

/// Signals whose default action does nothing, or (SIGCONT) is complete before a handler runs.
const IGNORED_BY_DEFAULT: u64 = bit(libc::SIGCHLD) | bit(libc::SIGCONT) | bit(libc::SIGURG) | bit(libc::SIGWINCH);
/// Faults of the instruction at hand: it cannot go on before the handler returns.
const FAULTS: u64 = bit(libc::SIGSEGV) | bit(libc::SIGBUS) | bit(libc::SIGILL) | bit(libc::SIGFPE);

/// Calls `task` whenever the signal arrives, before the previous action. One task serves all signals. The first watched signal keeps this image
/// loaded until the process ends. An ignored signal stays ignored. The error says why the signal is not watched.
pub fn watch(number: c_int, task: &'static extern "C" fn()) -> core::result::Result<(), &'static [u8]> {
    const REFUSED: &[u8] = b"it cannot be caught";
    let link = link_of(number).ok_or(REFUSED)?;
    let before = &action(number).map_err(|_| REFUSED)?;
    // Resolves `__errno_location` now, and not lazily in a handler: the loader needs more stack than an alternate stack may have.
    drop(Errno::keep());
    if before.handler == libc::SIG_IGN || before.handler == entry() {
        return Ok(());
    }
    // A handler of this image might be unloaded while a thread runs it.
    if !watching() && !keep_loaded() {
        return Err(b"this shared object cannot be kept loaded");
    }
    TASK.set(Some(task));
    link.store(before);
    let replaced = set_action(number, &in_front_of(before)).map_err(|_| REFUSED)?;
    // The program may have set another one meanwhile.
    link.store(&replaced);
    WATCHED.fetch_or(bit(number), Ordering::Relaxed);
    set_blocked(WATCHED.load(Ordering::Relaxed) & !SYNCHRONOUS);
    Ok(())
}

/// Returns the action that calls our handler where `before` was the action.
fn in_front_of(before: &Action) -> Action {
    let kept = libc::SA_NOCLDSTOP | libc::SA_NOCLDWAIT;
    let (flags, mask) = if before.handler == libc::SIG_DFL {
        // A call that the default action did not disturb goes on after ours. A stack overflow can only be handled on the alternate
        // stack, which may have room for one frame of the kernel: so no other signal may push a second one before ours is gone.
        (before.flags & kept | libc::SA_RESTART | libc::SA_ONSTACK, u64::MAX)
    } else {
        // What the handler was promised when it was installed, the stack it runs on included: the alternate one may be too small for it.
        (before.flags & (kept | libc::SA_RESTART | libc::SA_NODEFER | libc::SA_ONSTACK), before.mask)
    };
    Action { handler: entry(), flags: flags | libc::SA_SIGINFO, mask }
}

/// Returns whether any signal is watched.
pub fn watching() -> bool {
    WATCHED.load(Ordering::Relaxed) != 0
}

/// Returns the address of the handler.
fn entry() -> usize {
    on_signal as *const () as usize
}

/// Handles a signal.
extern "C" fn on_signal(number: c_int, info: *mut c_void, context: *mut c_void) {
    if let Some(task) = TASK.get() {
        let _errno = Errno::keep();
        let _blocked = BlockedSignals::all();
        on_own_stack(task);
    }
    let Some(link) = link_of(number) else { return };
    let before = link.load();
    match before.handler {
        libc::SIG_DFL => default(number, info),
        libc::SIG_IGN => {}
        handler => {
            if before.flags & libc::SA_RESETHAND != 0 {
                let _ = link.handler.compare_exchange(handler, libc::SIG_DFL, Ordering::Relaxed, Ordering::Relaxed);
            }
            // SAFETY: it was installed when we came, and those of our own copies stay loaded; the
            // arguments are those that the system gave us.
            unsafe { before.call(number, info, context) };
        }
    }
}

/// Lets the system do what it does by default: removes our handler, and sends the same signal again.
fn default(number: c_int, info: *mut c_void) {
    let bit = bit(number);
    if IGNORED_BY_DEFAULT & bit != 0 {
        return;
    }
    let _errno = Errno::keep();
    let Ok(top) = set_action(number, &Action::DEFAULT) else { return };
    raise_again(number, info);
    if FAULTS & bit != 0 {
        // Delivered when we return, at the faulting instruction, so that the core file shows it.
        return;
    }
    deliver_pending(number);
    // Reached only if the signal stopped the process, which now continues: our handler goes back. (If another thread was first here, it does that.)
    if top != Action::DEFAULT {
        replace(number, libc::SIG_DFL, &top);
    }
}

/// Sets the action `to`. If the action that this replaces has another handler than `from`, the program has set it meanwhile: puts it back.
fn replace(number: c_int, from: usize, to: &Action) {
    if let Ok(replaced) = &set_action(number, to)
        && replaced.handler != from
    {
        let _ = set_action(number, replaced);
    }
}

/// Stops watching all signals: the process ends, and the profile of this image is written.
pub fn unwatch() {
    let watched = WATCHED.swap(0, Ordering::Relaxed);
    if watched == 0 {
        return;
    }
    TASK.set(None);
    set_blocked(0);
    for (number, link) in (1..).zip(&BEFORE) {
        // Where the program has set a handler since, that stays.
        if watched & bit(number) != 0 && action(number).is_ok_and(|top| top.handler == entry()) {
            replace(number, entry(), &link.load());
        }
    }
}
