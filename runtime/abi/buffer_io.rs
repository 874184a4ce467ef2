//! LLVM's buffer in front of a writer: small pieces are collected, so that the writer is called seldom.

use core::ffi::c_int;
#[cfg(feature = "hosted")]
use core::ffi::c_void;

use super::buffer::status;
use super::writer::{self, ProfDataIoVec, ProfDataWriter};
use crate::error::Result;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sink::write_zeros;
use crate::span::Span;

/// The buffer. Fields as programs see them.
#[derive(Debug)]
#[repr(C)]
pub struct BufferIo {
    writer: *mut ProfDataWriter,
    /// Whether buffer and writer are to be given back: 1 for those that [`for_stream`] has made.
    own: u32,
    buffer: *mut u8,
    size: u32,
    /// Bytes in the buffer. Invariant: not above `size`.
    used: u32,
}

/// Bytes of the buffer of `lprofCreateBufferIO`.
const SIZE: usize = 8192;

impl BufferIo {
    /// Hands on what was collected. It stays when the writer refuses it.
    ///
    /// # Safety
    /// The writer must be callable.
    unsafe fn flush(&mut self) -> Result {
        if self.used == 0 {
            return Ok(());
        }
        let mut full = ProfDataIoVec::of(Span { start: self.buffer, len: self.used as usize });
        // SAFETY: the caller's writer; the bytes are the buffer's.
        unsafe { writer::call(self.writer, core::slice::from_mut(&mut full)) }?;
        self.used = 0;
        Ok(())
    }

    /// Collects a piece; one without data is as many zeros. What is larger than the buffer goes to the writer at once, and
    /// without data is a gap there.
    ///
    /// # Safety
    /// The writer must be callable; `data` must be null or have `len` bytes.
    unsafe fn write(&mut self, data: *const u8, len: u32) -> Result {
        if self.size.wrapping_sub(self.used) < len {
            // SAFETY: the caller's writer.
            unsafe { self.flush() }?;
        }
        let piece = Span { start: data, len: len as usize };
        if self.size < len {
            let mut piece =
                if data.is_null() { ProfDataIoVec::nothing(piece.len, false) } else { ProfDataIoVec::of(piece) };
            // SAFETY: the caller's writer and data.
            return unsafe { writer::call(self.writer, core::slice::from_mut(&mut piece)) };
        }
        let room = self.buffer.wrapping_add(self.used as usize);
        // SAFETY: `len` bytes of the buffer from `used` on, which are no more than `size`.
        let mut sink = unsafe { Buffer::new(room, piece.len) };
        // SAFETY: the caller's data.
        if data.is_null() { write_zeros(&mut sink, u64::from(len)) } else { unsafe { sink.put(piece) } }?;
        self.used = self.used.wrapping_add(len);
        Ok(())
    }
}

export! {
    /// A buffer in front of a writer of the program. There is one in all, as in LLVM's archive: the next call takes it
    /// from this caller.
    fn lprofCreateBufferIO(writer: *mut ProfDataWriter) -> *mut BufferIo { one::buffer(writer) }
    /// Collects a piece, or hands it on. 0, or -1.
    fn lprofBufferIOWrite(io: *mut BufferIo, data: *const u8, len: u32) -> c_int {
        // SAFETY: the caller's buffer and data.
        unsafe { status((*io).write(data, len)) }
    }
    /// Hands on what was collected. 0, or -1.
    fn lprofBufferIOFlush(io: *mut BufferIo) -> c_int {
        // SAFETY: the caller's buffer.
        unsafe { status((*io).flush()) }
    }
}

/// The one buffer that is there without memory from the system.
pub mod one {
    use core::cell::UnsafeCell;

    use super::{BufferIo, ProfDataWriter, SIZE};

    struct One {
        io: UnsafeCell<BufferIo>,
        bytes: UnsafeCell<[u8; SIZE]>,
    }

    // SAFETY: the runtime itself never looks into it; it belongs to the program from `buffer` on, and the program's threads
    // take turns, since there is one buffer in all.
    unsafe impl Sync for One {}

    static ONE: One = One {
        io: UnsafeCell::new(BufferIo {
            writer: core::ptr::null_mut(),
            own: 0,
            buffer: core::ptr::null_mut(),
            size: 0,
            used: 0,
        }),
        bytes: UnsafeCell::new([0; SIZE]),
    };

    /// The buffer, empty, in front of `writer`.
    pub fn buffer(writer: *mut ProfDataWriter) -> *mut BufferIo {
        let io = ONE.io.get();
        let empty = BufferIo { writer, own: 0, buffer: ONE.bytes.get().cast(), size: SIZE as u32, used: 0 };
        // SAFETY: a static of ours that the program has given back, or shares at its own risk.
        unsafe { io.write(empty) };
        io
    }
}

/// Buffers that the runtime makes for a stream, in pages of their own.
#[cfg(feature = "hosted")]
pub mod for_stream {
    use super::{BufferIo, ProfDataIoVec, ProfDataWriter};
    use crate::os;
    use crate::sink::stdio::StdioStream;
    use crate::sink::{Sink, seek, write_zeros};
    use core::ffi::c_void;
    use core::ptr;

    /// What stands in front of the bytes of such a buffer.
    #[derive(Debug)]
    #[repr(C)]
    struct Made {
        /// First, so that its address is that of all.
        io: BufferIo,
        writer: ProfDataWriter,
    }

    /// Bytes of a buffer of `size` with all that belongs to it.
    fn mapped(size: u32) -> usize {
        (size as usize).saturating_add(size_of::<Made>())
    }

    /// A buffer of `size` bytes in front of a stream, or null when there is no memory.
    pub fn make(stream: *mut c_void, size: u32) -> *mut BufferIo {
        let Some(pages) = os::map_pages(mapped(size)) else { return ptr::null_mut() };
        let made = pages.cast::<Made>();
        // SAFETY: fresh pages with room for it, aligned to a page.
        unsafe {
            (&raw mut (*made).writer).write(ProfDataWriter::new(write, stream));
            let writer = &raw mut (*made).writer;
            let buffer = pages.wrapping_add(size_of::<Made>());
            (&raw mut (*made).io).write(BufferIo { writer, own: 1, buffer, size, used: 0 });
        }
        made.cast()
    }

    /// Gives its memory back, if it is one of these.
    ///
    /// # Safety
    /// `io` must be a buffer that nobody uses any more.
    pub unsafe fn delete(io: *mut BufferIo) {
        // SAFETY: the caller's buffer.
        let (own, size) = unsafe { ((*io).own, (*io).size) };
        if own != 0 {
            os::unmap_pages(io.cast(), mapped(size));
        }
    }

    /// The write function of a writer whose context is a stream. 0, or 1.
    ///
    /// # Safety
    /// The writer's context must be an open stream, and the pieces be readable.
    unsafe extern "C" fn write(writer: *mut ProfDataWriter, pieces: *mut ProfDataIoVec, count: u32) -> u32 {
        for index in 0..count as usize {
            // SAFETY: the caller's writer, list and pieces.
            let done = unsafe {
                let stream = (*writer).context().cast();
                let piece = &*pieces.wrapping_add(index);
                match piece.span() {
                    Some(span) => StdioStream::new(stream).write(&[span]),
                    None if piece.is_zeros() => write_zeros(&mut StdioStream::new(stream), piece.bytes() as u64),
                    None => seek::skip(stream, piece.bytes()),
                }
            };
            if done.is_err() {
                return 1;
            }
        }
        0
    }
}

#[cfg(feature = "hosted")]
export! {
    /// A buffer of `size` bytes in front of a stream, or null when there is no memory.
    fn lprofCreateBufferIOInternal(stream: *mut c_void, size: u32) -> *mut BufferIo { for_stream::make(stream, size) }
    /// Gives the memory of a buffer back. What it has collected is lost.
    fn lprofDeleteBufferIO(io: *mut BufferIo) {
        // SAFETY: the caller's buffer.
        unsafe { for_stream::delete(io) }
    }
}
