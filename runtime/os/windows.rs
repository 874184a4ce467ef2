//! Windows: the kernel's own calls for files, and the C library for exit handlers and streams. There are no signals, no `fork`, and no mapped
//! files.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Error;

pub mod file;
mod handle;
mod name;

pub use super::plain_files::{MAPS_FILES, Status};
pub use handle::Fd;

unsafe extern "C" {
    fn _errno() -> *mut c_int;
    fn _putenv_s(name: *const c_char, value: *const c_char) -> c_int;
}

unsafe extern "system" {
    fn GetCurrentProcessId() -> u32;
    fn GetCurrentThreadId() -> u32;
    fn GetTickCount64() -> u64;
    fn Sleep(millis: u32);
    fn VirtualAlloc(at: *mut c_void, len: usize, kind: u32, access: u32) -> *mut u8;
    fn VirtualFree(at: *mut u8, len: usize, kind: u32) -> c_int;
    fn GetComputerNameA(name: *mut u8, len: *mut u32) -> c_int;
    fn FlsAlloc(end: extern "system" fn(*mut c_void)) -> u32;
    fn FlsSetValue(index: u32, value: *mut c_void) -> c_int;
    fn GetEnvironmentVariableW(name: *const u16, value: *mut u16, len: u32) -> u32;
}

/// Returns the error in `errno`.
pub fn last_error() -> Error {
    // SAFETY: always a valid pointer to this thread's `errno`.
    Error::os(unsafe { *_errno() })
}

/// The number of values of the environment that are in use at a moment, or more: a name, and the directory for it.
const VALUES: usize = 4;

/// Values of the environment as UTF-8, each until as many others were asked for.
struct Values([UnsafeCell<[u8; name::LONGEST_UTF8]>; VALUES]);

// SAFETY: a value is written by the call that has its turn. Callers ask at the start of the image or under the lock of its state, for at most a
// pattern and its directory at a time, and copy them before they ask again.
unsafe impl Sync for Values {}

/// Returns the value of a variable, as UTF-8: the C library would have no more of it than the program's code page. One that is longer than a path
/// is not set.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    static KEPT: Values = Values([const { UnsafeCell::new([0; name::LONGEST_UTF8]) }; VALUES]);
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let mut wide_name = [0u16; 48];
    let mut wide = [0u16; name::LONGEST];
    for (to, byte) in wide_name.iter_mut().take(47).zip(name.to_bytes()) {
        *to = u16::from(*byte);
    }
    // SAFETY: a text with a NUL, which the array has after at most 47 characters; room of that length.
    let len = unsafe { GetEnvironmentVariableW(wide_name.as_ptr(), wide.as_mut_ptr(), wide.len() as u32) } as usize;
    let turn = TURN.fetch_add(1, Ordering::Relaxed) % VALUES;
    // SAFETY: this call has the turn.
    let kept = unsafe { &mut *KEPT.0.get(turn)?.get() };
    // 0: it is not set, or empty.
    name::to_utf8(wide.get(..len)?, kept).filter(|_| len > 0)
}

/// Sets a variable for this process and those that it starts.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: two C strings.
    unsafe { _putenv_s(name.as_ptr(), value.as_ptr()) };
}

/// Registers a function that is called when the process exits, or when the library with this image is unloaded. Returns whether the function is
/// registered.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image; the C library drops it when the image goes.
    unsafe { libc::atexit(function) == 0 }
}

/// Has a function called when this thread ends the process without exit handlers (`ExitProcess`): as the end of a fiber. The exit handlers of a
/// library are called in any case.
pub fn at_process_end(function: extern "C" fn()) {
    static HANDLED: AtomicBool = AtomicBool::new(false);
    extern "C" fn handled() {
        HANDLED.store(true, Ordering::Relaxed);
    }
    extern "system" fn end(function: *mut c_void) {
        if !HANDLED.load(Ordering::Relaxed) {
            // SAFETY: the function that is passed below.
            unsafe { core::mem::transmute::<*mut c_void, extern "C" fn()>(function)() };
        }
    }
    if !crate::link::is_library() && at_exit(handled) {
        // SAFETY: functions of the program, which no system unloads. Without an index nothing happens.
        unsafe { FlsSetValue(FlsAlloc(end), function as *mut c_void) };
    }
}

/// Returns the number of the process.
pub fn process_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { GetCurrentProcessId() }
}

/// Returns a number that no parent of this process has.
pub fn process_key() -> u32 {
    process_id()
}

/// Returns a number that this thread has among all living ones; never 0.
pub fn thread_token() -> usize {
    // SAFETY: no preconditions.
    unsafe { GetCurrentThreadId() as usize }
}

/// Calls a function with the host's name.
pub fn host_name<R>(use_it: impl FnOnce(&[u8]) -> R) -> Option<R> {
    let (mut name, mut len) = ([0u8; 256], 256);
    // SAFETY: room of that length.
    let known = unsafe { GetComputerNameA(name.as_mut_ptr(), &mut len) } != 0;
    name.get(..len as usize).filter(|_| known).map(use_it)
}

/// Returns the size of a page.
pub fn page_size() -> usize {
    4096
}

/// Returns at least `len` zeroed bytes at a page boundary. Returns `None` where there is no memory.
pub fn map_pages(len: usize) -> Option<*mut u8> {
    const RESERVE_AND_COMMIT: u32 = 0x3000;
    const READ_WRITE: u32 = 4;
    // SAFETY: new memory, at an address of the system's choice.
    let start = unsafe { VirtualAlloc(core::ptr::null_mut(), len, RESERVE_AND_COMMIT, READ_WRITE) };
    (!start.is_null()).then_some(start)
}

/// Releases pages of [`map_pages`].
pub fn unmap_pages(start: *mut u8, _len: usize) {
    const RELEASE: u32 = 0x8000;
    // SAFETY: pages of that function, which their sole owner gives back.
    unsafe { VirtualFree(start, 0, RELEASE) };
}

/// Sleeps for a millisecond.
pub fn pause() {
    pause_for(1000);
}

/// Sleeps for a while.
pub fn pause_for(micros: u32) {
    // SAFETY: no preconditions.
    unsafe { Sleep(micros.div_ceil(1000)) };
}

/// A limit of 30 seconds for waiting, which begin with the first question.
#[derive(Default, Debug)]
pub struct Deadline(u64);

impl Deadline {
    /// Creates a limit.
    pub const fn new() -> Deadline {
        Deadline(0)
    }

    /// Returns whether the time is over.
    pub fn is_over(&mut self) -> bool {
        // SAFETY: no preconditions.
        let now = unsafe { GetTickCount64() };
        if self.0 == 0 {
            self.0 = now.wrapping_add(30_000);
        }
        now >= self.0
    }
}
