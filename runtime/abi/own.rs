//! Calls that LLVM's runtime does not have; `runtime/include/profrt.h` declares them. Functions that return an `int` return a code of
//! [`crate::check::code`].

use core::ffi::{c_int, c_void};

use super::store;
use crate::capture;
use crate::check::code;
use crate::dump::memory::{self, Written};
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sink::callback::{Callback, CallbackFn};
use crate::sink::crc::{Checksum, Crc};

/// Returns the size of the caller's buffer: 0 for null.
#[inline]
fn room(buffer: *mut u8, size: usize) -> usize {
    if buffer.is_null() { 0 } else { size }
}

/// Stores a number, unless the place is null.
///
/// # Safety
/// `place` must be null or writable.
#[inline(always)]
unsafe fn store_at(place: *mut usize, number: usize) {
    if !place.is_null() {
        // SAFETY: writable by this function's contract.
        unsafe { store(place, number) }
    }
}

/// Writes a dump into `size` bytes of memory, and stores the number of bytes written, or 0 for failures. Returns a code. Inlined, so that a
/// program with one dump does not link another.
///
/// # Safety
/// `buffer` must be null or have `size` writable bytes; `written` must be null or writable.
#[inline(always)]
unsafe fn into_memory(buffer: *mut u8, size: usize, written: *mut usize, dump: fn(&mut dyn Sink) -> Result) -> c_int {
    let size = room(buffer, size);
    // SAFETY: writable by this function's contract.
    let mut sink = unsafe { Buffer::new(buffer, size) };
    let result = dump(&mut sink);
    // SAFETY: null or writable by this function's contract.
    unsafe { store_at(written, if result.is_ok() { size.wrapping_sub(sink.room()) } else { 0 }) }
    code::of(result)
}

export! {
    /// Returns how many values were not counted for lack of nodes or memory, or because an interrupt handler passed them
    /// while the interrupted code was changing nodes.
    fn profrt_values_dropped() -> u64 { crate::value::limits::dropped_values() }
    /// Checks whether a profile can be written. Returns 0, or the code of the first problem.
    fn profrt_check() -> c_int { crate::check::check() as c_int }
    /// Passes the raw profile to a function, piece by piece.
    fn profrt_dump_callback(write: CallbackFn, context: *mut c_void) -> c_int {
        // SAFETY: the caller's function.
        code::of(capture::capture(&mut unsafe { Callback::new(write, context) }))
    }
    /// Passes the raw profile to a function as lines of text, without data before the offset `from`.
    fn profrt_dump_frame(write: CallbackFn, context: *mut c_void, from: u32) -> c_int {
        // SAFETY: the caller's function.
        code::of(capture::capture_frame(&mut unsafe { Callback::new(write, context) }, from))
    }
    /// Passes the counters in the compact form to a function, piece by piece.
    fn profrt_dump_counters_callback(write: CallbackFn, context: *mut c_void) -> c_int {
        // SAFETY: the caller's function.
        code::of(capture::capture_counters(&mut unsafe { Callback::new(write, context) }))
    }
    /// Passes the counters in the compact form to a function as lines of text, without data before the offset `from`.
    fn profrt_dump_counters_frame(write: CallbackFn, context: *mut c_void, from: u32) -> c_int {
        // SAFETY: the caller's function.
        code::of(capture::capture_counters_frame(&mut unsafe { Callback::new(write, context) }, from))
    }
    /// Writes the raw profile, with as many values as fit into `size` bytes. Stores the number of bytes written, and the size of the profile with
    /// all values. Returns `PROFRT_FULL` when not even a profile without values fits. For other failures both numbers are 0.
    fn profrt_write_buffer(buffer: *mut u8, size: usize, written: *mut usize, needed: *mut usize) -> c_int {
        let size = room(buffer, size);
        // SAFETY: the caller's memory.
        let done = capture::can_capture().and_then(|()| unsafe { memory::write_within(buffer, size) });
        let numbers = done.unwrap_or(Written { written: 0, needed: 0 });
        // SAFETY: the caller's places.
        unsafe {
            store_at(written, numbers.written);
            store_at(needed, numbers.needed);
        }
        code::of(done.and_then(|done| if done.written == 0 { Err(Error::NO_SPACE) } else { Ok(()) }))
    }
    /// Writes the raw profile into `size` bytes of memory, and stores the number of bytes written, or 0 for failures.
    fn profrt_dump_buffer(buffer: *mut u8, size: usize, written: *mut usize) -> c_int {
        // SAFETY: the caller's memory and place.
        unsafe { into_memory(buffer, size, written, capture::capture) }
    }
    /// Writes the counters in the compact form into `size` bytes of memory, and stores the number of bytes written, or 0 for failures.
    fn profrt_dump_counters_buffer(buffer: *mut u8, size: usize, written: *mut usize) -> c_int {
        // SAFETY: the caller's memory and place.
        unsafe { into_memory(buffer, size, written, capture::capture_counters) }
    }
    /// Stores the number of bytes of the counters in the compact form as they are now, or 0 for failures.
    fn profrt_counters_size(size: *mut usize) -> c_int {
        let mut sum = Checksum { crc: Crc::new(), len: 0 };
        let result = capture::capture_counters(&mut sum);
        // SAFETY: the caller's place.
        unsafe { store_at(size, if result.is_ok() { sum.len as usize } else { 0 }) }
        code::of(result)
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
    use crate::sink::semihosting::Semihosting;

    /// Creates a file of the host, and writes a dump to it.
    ///
    /// # Safety
    /// `path` must be a C string.
    unsafe fn dump(path: *const c_char, write: fn(&mut dyn Sink) -> Result) -> c_int {
        // SAFETY: a C string by this function's contract.
        let file = Semihosting::create(unsafe { CStr::from_ptr(path) });
        code::of(file.and_then(|mut file| write(&mut file).and(file.finish())))
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
