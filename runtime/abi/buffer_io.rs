//! LLVM's buffer for a writer: collects small pieces, so that the writer is called less often.

use core::ffi::c_int;
#[cfg(feature = "hosted")]
use core::ffi::c_void;

use super::buffer::status;
use super::writer::{self, ProfDataIoVec, ProfDataWriter};
use crate::error::Result;
use crate::sink::buffer::Buffer;
use crate::span::Span;

/// A buffer for a writer, with the fields that programs see.
#[repr(C)]
pub struct BufferIo {
    writer: *mut ProfDataWriter,
    /// 1 where `lprofDeleteBufferIO` frees the buffer: [`for_stream`] has made it.
    own: u32,
    buffer: *mut u8,
    size: u32,
    /// Bytes in the buffer. Invariant: not above `size`.
    used: u32,
}

/// Bytes of the buffer of `lprofCreateBufferIO`.
const SIZE: usize = 8192;

impl BufferIo {
    /// Passes the collected bytes to the writer. They stay in the buffer when the writer fails.
    ///
    /// # Safety
    /// The writer must be callable.
    unsafe fn flush(&mut self) -> Result {
        if self.used == 0 {
            return Ok(());
        }
        let full = Span { start: self.buffer, len: self.used as usize };
        // SAFETY: the caller's writer; the bytes are the buffer's.
        unsafe { writer::call(self.writer, &mut [ProfDataIoVec::of(full)]) }?;
        self.used = 0;
        Ok(())
    }

    /// Collects a piece; a piece without data is `len` zeros. A piece that is larger than the buffer goes to the writer at once; without
    /// data it is a gap there.
    ///
    /// # Safety
    /// The writer must be callable; `data` must be null or have `len` bytes.
    unsafe fn write(&mut self, data: *const u8, len: u32) -> Result {
        if self.size.wrapping_sub(self.used) < len {
            // SAFETY: the caller's writer.
            unsafe { self.flush() }?;
        }
        let piece = |zeros| {
            let span = Span { start: data, len: len as usize };
            if data.is_null() { ProfDataIoVec::nothing(span.len, zeros) } else { ProfDataIoVec::of(span) }
        };
        if self.size < len {
            // SAFETY: the caller's writer and data.
            return unsafe { writer::call(self.writer, &mut [piece(false)]) };
        }
        let room = self.buffer.wrapping_add(self.used as usize);
        // SAFETY: `len` bytes of the buffer from `used` on, which are no more than `size`; the caller's data.
        unsafe { piece(true).put(&mut Buffer::new(room, len as usize)) }?;
        self.used = self.used.wrapping_add(len);
        Ok(())
    }
}

export! {
    /// Returns a buffer for a writer of the program. There is only one, as in LLVM's archive: the next call takes it away.
    fn lprofCreateBufferIO(writer: *mut ProfDataWriter) -> *mut BufferIo { one::buffer(writer) }
    /// Collects a piece, or passes it to the writer. Returns 0, or -1.
    fn lprofBufferIOWrite(io: *mut BufferIo, data: *const u8, len: u32) -> c_int {
        // SAFETY: the caller's buffer and data.
        unsafe { status((*io).write(data, len)) }
    }
    /// Passes the collected bytes to the writer. Returns 0, or -1.
    fn lprofBufferIOFlush(io: *mut BufferIo) -> c_int {
        // SAFETY: the caller's buffer.
        unsafe { status((*io).flush()) }
    }
}

/// The buffer of `lprofCreateBufferIO`, which needs no memory from the system.
pub mod one {
    use super::{BufferIo, ProfDataWriter, SIZE};
    use core::ptr;

    // The runtime itself never reads them; they belong to the program that has called `buffer`, whose threads take turns with the one buffer.
    static mut IO: BufferIo = BufferIo { writer: ptr::null_mut(), own: 0, buffer: ptr::null_mut(), size: 0, used: 0 };
    static mut BYTES: [u8; SIZE] = [0; SIZE];

    /// Empties the buffer and returns it, for `writer`.
    pub fn buffer(writer: *mut ProfDataWriter) -> *mut BufferIo {
        let io = &raw mut IO;
        let empty = BufferIo { writer, own: 0, buffer: (&raw mut BYTES).cast(), size: SIZE as u32, used: 0 };
        // SAFETY: a static that no other function of the runtime uses; the program calls from one thread at a time.
        unsafe { io.write(empty) };
        io
    }
}

/// Buffers for a C stream, in mapped pages.
#[cfg(feature = "hosted")]
pub mod for_stream {
    use super::{BufferIo, ProfDataIoVec, ProfDataWriter};
    use crate::os;
    use crate::sink::stdio::StdioStream;
    use core::ffi::c_void;
    use core::ptr;

    /// The first bytes of the pages; the bytes of the buffer follow.
    #[repr(C)]
    struct Made {
        /// The first field, so that its address is that of the pages.
        io: BufferIo,
        writer: ProfDataWriter,
    }

    /// Returns the number of mapped bytes for a buffer of `size` bytes.
    fn mapped(size: u32) -> usize {
        (size as usize).saturating_add(size_of::<Made>())
    }

    /// Creates a buffer of `size` bytes for a stream. Returns null when there is no memory.
    pub fn make(stream: *mut c_void, size: u32) -> *mut BufferIo {
        let Some(pages) = os::map_pages(mapped(size)) else { return ptr::null_mut() };
        let made = pages.cast::<Made>();
        // SAFETY: fresh pages with space for `Made`, aligned to a page.
        unsafe {
            (&raw mut (*made).writer).write(ProfDataWriter::new(write, stream));
            let writer = &raw mut (*made).writer;
            let buffer = pages.wrapping_add(size_of::<Made>());
            (&raw mut (*made).io).write(BufferIo { writer, own: 1, buffer, size, used: 0 });
        }
        made.cast()
    }

    /// Unmaps the pages of a buffer that [`make`] has created; leaves other buffers.
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

    /// Writes pieces to the stream that is the writer's context. Returns 0, or 1 for failures.
    ///
    /// # Safety
    /// The writer's context must be an open stream, and the pieces be readable.
    unsafe extern "C" fn write(writer: *mut ProfDataWriter, pieces: *mut ProfDataIoVec, count: u32) -> u32 {
        for index in 0..count as usize {
            // SAFETY: the caller's writer, list and pieces.
            let done = unsafe {
                let mut stream = StdioStream::new((*writer).context().cast());
                let piece = &*pieces.wrapping_add(index);
                piece.put(&mut stream).and_then(|put| if put { Ok(()) } else { stream.skip(piece.bytes()) })
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
    /// Creates a buffer of `size` bytes for a stream. Returns null when there is no memory.
    fn lprofCreateBufferIOInternal(stream: *mut c_void, size: u32) -> *mut BufferIo { for_stream::make(stream, size) }
    /// Frees the memory of a buffer. Bytes that it has collected are lost.
    fn lprofDeleteBufferIO(io: *mut BufferIo) {
        // SAFETY: the caller's buffer.
        unsafe { for_stream::delete(io) }
    }
}
