//! For `wasm32-unknown-unknown`: what a test runner calls.
#![cfg_attr(not(feature = "wasi"), no_std)]

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

#[rustfmt::skip]
#[allow(dead_code, unused_mut)]
mod body;

static HITS: [AtomicU32; 2000] = [const { AtomicU32::new(0) }; 2000];

fn t(line: u32) {
    HITS[line as usize].fetch_add(1, Ordering::Relaxed);
}

/// Runs the program with an input.
#[unsafe(no_mangle)]
pub extern "C" fn run(input: u32) -> u32 {
    body::run(input)
}

/// Returns how often a line of `body.rs` has run.
#[unsafe(no_mangle)]
pub extern "C" fn hits(line: u32) -> u32 {
    HITS[line as usize].load(Ordering::Relaxed)
}

struct Buffer(UnsafeCell<[u8; 4 << 20]>);

// SAFETY: a module has one thread.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 4 << 20]));

/// Returns the address of a buffer for profiles.
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *mut u8 {
    BUFFER.0.get().cast()
}

/// Writes the profile to the buffer. Returns its length, or 0 for a failure.
#[unsafe(no_mangle)]
pub extern "C" fn capture() -> usize {
    let mut len = 0;
    let written = profrt::capture(&mut profrt::sink::Bytes(|bytes: &[u8]| -> Result<(), ()> {
        if bytes.len() > (4 << 20) - len {
            return Err(());
        }
        // SAFETY: room for the bytes, which are others.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer().add(len), bytes.len()) };
        len += bytes.len();
        Ok(())
    }));
    if written.is_ok() { len } else { 0 }
}

/// Adds the profile in the buffer to the counts. Returns whether it is one of this module.
#[unsafe(no_mangle)]
pub extern "C" fn merge(len: usize) -> bool {
    // SAFETY: the first bytes of the buffer.
    profrt::merge(unsafe { core::slice::from_raw_parts(buffer(), len) }).is_ok()
}

/// Sets all counts to zero.
#[unsafe(no_mangle)]
pub extern "C" fn reset() {
    profrt::reset();
}

#[cfg(all(target_os = "unknown", not(feature = "wasi")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
