//! A sink that fills a buffer of the caller.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::copy::copy;
use crate::error::{Error, Result};
use crate::os;
use crate::span::Span;

/// A buffer that is filled from its start. A span that does not fit is refused ([`Error::NO_SPACE`]).
pub struct Buffer {
    next: *mut u8,
    room: usize,
}

impl Buffer {
    /// Creates a sink that fills the `capacity` bytes at `start`.
    ///
    /// # Safety
    /// - `start` must point to `capacity` bytes that may be written for as long as the sink is used.
    /// - They must not overlap what is written into the sink.
    pub const unsafe fn new(start: *mut u8, capacity: usize) -> Buffer {
        Buffer { next: start, room: capacity }
    }

    /// Returns the number of bytes that are not filled yet.
    pub const fn room(&self) -> usize {
        self.room
    }
}

impl Sink for Buffer {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len > self.room {
            return Err(Error::NO_SPACE);
        }
        // SAFETY: the source is readable by this function's contract, the room is the buffer's by `new`'s, and the
        // two do not overlap by the same.
        unsafe { copy(self.next, span.start, span.len) };
        os::initialized(self.next, span.len);
        self.next = self.next.wrapping_add(span.len);
        self.room = self.room.wrapping_sub(span.len);
        Ok(())
    }

    in_turn! {}
}

#[cfg(test)]
mod tests {
    //! A dirty buffer comes out clean, and a short one is refused before it is overrun.
    use super::*;
    use crate::sink::zeros;

    #[test]
    fn fills_and_refuses() {
        let mut bytes = [0xaa; 16];
        // SAFETY: the array outlives the sink.
        let mut sink = unsafe { Buffer::new(bytes.as_mut_ptr(), 12) };
        // SAFETY: spans of live slices.
        unsafe {
            sink.write(&[Span::of(b"hello"), Span::EMPTY, Span::of(b"!")]).unwrap();
            sink.put(zeros(4)).unwrap();
            assert_eq!(sink.write(&[Span::of(b"abc")]), Err(Error::NO_SPACE));
        }
        assert_eq!(sink.room(), 2);
        assert_eq!(&bytes, b"hello!\0\0\0\0\xaa\xaa\xaa\xaa\xaa\xaa");
    }
}
