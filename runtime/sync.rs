//! Locks for cold paths.
//!
//! A dump may be asked for by a signal handler or an exit handler while the same thread is inside another dump, so nobody
//! waits without end for a lock here: callers use `try_lock` and know what to do without it.

pub use spin::mutex::SpinMutex as Mutex;
