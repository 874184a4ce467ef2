//! Calls that LLVM's runtime does not have; `runtime/include/profrt.h` declares them. Functions that return an `int` return 0, or -1 for
//! failures, except `profrt_check`.

use core::ffi::{c_int, c_void};

use super::buffer::status;
use super::store;
use crate::capture;
use crate::dump::memory::Written;
use crate::sink::callback::{Callback, CallbackFn};

/// Returns the size of the caller's buffer: 0 for null.
#[inline]
fn room(buffer: *mut u8, size: usize) -> usize {
    if buffer.is_null() { 0 } else { size }
}

export! {
    /// Returns how many values were not counted for lack of nodes or memory, or because an interrupt handler passed them
    /// while the interrupted code was changing nodes.
    fn profrt_values_dropped() -> u64 { crate::value::dropped::dropped_values() }
    /// Checks whether a profile can be written. Returns 0, or the code of the first problem.
    fn profrt_check() -> c_int { crate::check::check() as c_int }
    /// Passes the raw profile to a function, piece by piece.
    fn profrt_dump_callback(write: CallbackFn, context: *mut c_void) -> c_int {
        // SAFETY: the caller's function.
        status(capture::capture(&mut unsafe { Callback::new(write, context) }))
    }
    /// Passes the raw profile to a function as lines of text, without data before the offset `from`.
    fn profrt_dump_frame(write: CallbackFn, context: *mut c_void, from: u32) -> c_int {
        // SAFETY: the caller's function.
        status(capture::capture_frame(&mut unsafe { Callback::new(write, context) }, from))
    }
    /// Passes the counters in the compact form to a function, piece by piece.
    fn profrt_dump_counters_callback(write: CallbackFn, context: *mut c_void) -> c_int {
        // SAFETY: the caller's function.
        status(capture::capture_counters(&mut unsafe { Callback::new(write, context) }))
    }
    /// Passes the counters in the compact form to a function as lines of text, without data before the offset `from`.
    fn profrt_dump_counters_frame(write: CallbackFn, context: *mut c_void, from: u32) -> c_int {
        // SAFETY: the caller's function.
        status(capture::capture_counters_frame(&mut unsafe { Callback::new(write, context) }, from))
    }
    /// Writes the raw profile, with as many values as fit into `size` bytes. Stores in `needed`, unless that is null, the size of the
    /// profile with all values. Returns the number of bytes written; or 0 when not even a profile without values fits, and for failures,
    /// for which `needed` is 0, too.
    fn profrt_write_buffer(buffer: *mut u8, size: usize, needed: *mut usize) -> usize {
        let size = room(buffer, size);
        // SAFETY: the caller's memory.
        let done = unsafe { capture::within::capture_within(buffer, size) }.unwrap_or(Written { written: 0, needed: 0 });
        // SAFETY: the caller's place.
        if !needed.is_null() { unsafe { store(needed, done.needed) } }
        done.written
    }
    /// Writes the raw profile into `capacity` bytes of memory. Returns the number of bytes written, or 0 for failures.
    fn profrt_dump_buffer(buffer: *mut u8, capacity: usize) -> usize {
        let capacity = room(buffer, capacity);
        // SAFETY: the caller's memory.
        let mut sink = unsafe { crate::sink::buffer::Buffer::new(buffer, capacity) };
        if capture::capture(&mut sink).is_ok() { capacity.wrapping_sub(sink.room()) } else { 0 }
    }
    /// Writes the counters in the compact form into `capacity` bytes of memory. Returns the number of bytes written, or 0 for failures.
    fn profrt_dump_counters_buffer(buffer: *mut u8, capacity: usize) -> usize {
        let capacity = room(buffer, capacity);
        // SAFETY: the caller's memory.
        let mut sink = unsafe { crate::sink::buffer::Buffer::new(buffer, capacity) };
        if capture::capture_counters(&mut sink).is_ok() { capacity.wrapping_sub(sink.room()) } else { 0 }
    }
}

#[cfg(not(feature = "hosted"))]
export! {
    /// Sets counters, bitmaps and value sites to their initial values: for start-up code.
    fn profrt_start() { crate::reset::start() }
}

#[cfg(any(target_arch = "arm", target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"))]
mod semihosting {
    //! Dumps to a file of the host, by semihosting.
    use core::ffi::{CStr, c_char};

    use super::*;
    use crate::error::Result;
    use crate::sink::Sink;
    use crate::sink::semihosting::Semihosting;

    /// Creates a file of the host, and writes a dump to it.
    ///
    /// # Safety
    /// `path` must be a C string.
    unsafe fn dump(path: *const c_char, write: fn(&mut dyn Sink) -> Result) -> c_int {
        // SAFETY: a C string by this function's contract.
        let file = Semihosting::create(unsafe { CStr::from_ptr(path) });
        let Ok(mut file) = file else { return -1 };
        let written = write(&mut file);
        status(written.and(file.finish()))
    }

    export! {
        /// Writes the raw profile to a file of the host.
        fn profrt_dump_semihosting(path: *const c_char) -> c_int {
            // SAFETY: the caller's string.
            unsafe { dump(path, capture::capture) }
        }
        /// Writes the counters in the compact form to a file of the host.
        fn profrt_dump_counters_semihosting(path: *const c_char) -> c_int {
            // SAFETY: the caller's string.
            unsafe { dump(path, capture::capture_counters) }
        }
    }
}
