//! A sink that fills memory of the caller.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;

/// Fills `capacity` bytes and then refuses.
#[derive(Debug)]
pub struct Buffer {
    next: *mut u8,
    room: usize,
}

impl Buffer {
    /// A sink into the `capacity` bytes at `start`.
    ///
    /// # Safety
    /// - `start` must point to `capacity` bytes that may be written for as long as the sink is used.
    /// - They must not overlap what is written into the sink.
    pub const unsafe fn new(start: *mut u8, capacity: usize) -> Buffer {
        Buffer { next: start, room: capacity }
    }

    /// Bytes not filled yet.
    pub const fn room(&self) -> usize {
        self.room
    }
}

impl Sink for Buffer {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len > self.room {
            return Err(Error::NoSpace);
        }
        // SAFETY: the source is readable by this function's contract, the room is the buffer's by `new`'s, and the
        // two do not overlap by the same.
        unsafe { copy(self.next, span.start, span.len) };
        self.next = self.next.wrapping_add(span.len);
        self.room = self.room.wrapping_sub(span.len);
        Ok(())
    }

    in_turn! {}
}

/// Copies without calling `memcpy`: a freestanding program need not have one.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes, and the two must not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's contract. The direction flag is clear by the ABI; the string instructions change just their three
    // registers and the destination.
    unsafe {
        core::arch::asm!(
            // Words first, for large copies; then what is left.
            "mov {rest:e}, ecx",
            "and {rest:e}, 7",
            "shr rcx, 3",
            "rep movsq",
            "mov ecx, {rest:e}",
            "rep movsb",
            rest = out(reg) _,
            inout("rcx") len => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack)
        );
    }
}

/// Copies without calling `memcpy`: a freestanding program need not have one.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes, and the two must not overlap.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    const WORD: usize = size_of::<usize>();
    let mut done = 0;
    let aligned = (to as usize) % WORD == 0 && (from as usize) % WORD == 0;
    // Volatile accesses, because the optimiser turns a plain loop into a call of `memcpy`.
    while aligned && len - done >= WORD {
        // SAFETY: below `len` by the condition, aligned by the check above.
        unsafe {
            let word = from.add(done).cast::<usize>().read_volatile();
            to.add(done).cast::<usize>().write_volatile(word);
        }
        done += WORD;
    }
    while done < len {
        // SAFETY: below `len`.
        unsafe { to.add(done).write_volatile(from.add(done).read_volatile()) };
        done += 1;
    }
}

#[cfg(test)]
mod tests {
    //! A dirty buffer comes out clean, and a short one is refused before it is overrun.
    use super::*;
    use crate::sink::write_zeros;

    #[test]
    fn fills_and_refuses() {
        let mut bytes = [0xaa; 16];
        // SAFETY: the array outlives the sink.
        let mut sink = unsafe { Buffer::new(bytes.as_mut_ptr(), 12) };
        // SAFETY: spans of live slices.
        unsafe {
            sink.write(&[Span::of(b"hello"), Span::EMPTY, Span::of(b"!")]).unwrap();
            write_zeros(&mut sink, 4).unwrap();
            assert_eq!(sink.write(&[Span::of(b"abc")]), Err(Error::NoSpace));
        }
        assert_eq!(sink.room(), 2);
        assert_eq!(&bytes, b"hello!\0\0\0\0\xaa\xaa\xaa\xaa\xaa\xaa");
    }
}
