//! LLVM's writer structure, for programs that receive a profile through it.

use core::ffi::{c_int, c_void};

use super::buffer::status;
use super::store;
use crate::error::{Error, Result};
use crate::raw;
use crate::sections::Image;
use crate::sink::buffer::Buffer;
use crate::sink::{Sink, in_turn, write_zeros};
use crate::span::Span;

/// A piece of data: `count` elements of `size` bytes, or as many zero bytes when `data` is null and `zeros` is set.
#[repr(C)]
pub struct ProfDataIoVec {
    data: *const u8,
    size: usize,
    count: usize,
    zeros: c_int,
}

/// A function of the program that writes pieces and returns 0. It may throw a foreign exception: the archive is compiled so that exceptions
/// pass through (see `UNWIND_TABLES` in xtask/kit/src/dist/compile.rs), which `extern "C-unwind"` would not allow.
pub type ProfDataWriteFn = unsafe extern "C" fn(*mut ProfDataWriter, *mut ProfDataIoVec, u32) -> u32;

/// A write function with its context.
#[repr(C)]
pub struct ProfDataWriter {
    write: Option<ProfDataWriteFn>,
    context: *mut c_void,
}

impl ProfDataWriter {
    /// Creates a writer.
    pub const fn new(write: ProfDataWriteFn, context: *mut c_void) -> ProfDataWriter {
        ProfDataWriter { write: Some(write), context }
    }

    /// Returns the context of the write function.
    pub const fn context(&self) -> *mut c_void {
        self.context
    }
}

impl ProfDataIoVec {
    /// Creates a piece of these bytes.
    pub const fn of(span: Span) -> ProfDataIoVec {
        ProfDataIoVec { data: span.start, size: 1, count: span.len, zeros: 0 }
    }

    /// Creates a piece without data, of `len` bytes: zeros or a gap.
    pub const fn nothing(len: usize, zeros: bool) -> ProfDataIoVec {
        ProfDataIoVec { data: core::ptr::null(), size: 1, count: len, zeros: zeros as c_int }
    }

    /// Returns the number of bytes.
    pub const fn bytes(&self) -> usize {
        self.size.wrapping_mul(self.count)
    }

    /// Writes the piece to a sink. Returns `false`, and writes nothing, for a gap.
    ///
    /// # Safety
    /// The bytes must be readable.
    #[inline(always)]
    pub unsafe fn put(&self, sink: &mut dyn Sink) -> Result<bool> {
        if !self.data.is_null() {
            // SAFETY: readable by this function's contract.
            unsafe { sink.put(Span { start: self.data, len: self.bytes() }) }?;
        } else if self.zeros != 0 {
            write_zeros(sink, self.bytes() as u64)?;
        }
        Ok(!self.data.is_null() || self.zeros != 0)
    }
}

/// Passes pieces to a writer of the program.
///
/// # Safety
/// The writer must be callable, and the pieces be readable.
pub unsafe fn call(writer: *mut ProfDataWriter, pieces: &mut [ProfDataIoVec]) -> Result {
    // SAFETY: the caller's writer.
    let write = unsafe { (*writer).write }.ok_or(Error::SINK)?;
    // SAFETY: the caller's writer and pieces.
    let refused = unsafe { write(writer, pieces.as_mut_ptr(), pieces.len() as u32) } != 0;
    if refused { Err(Error::SINK) } else { Ok(()) }
}

/// A sink that calls a writer of the program, which must be callable.
pub struct ToWriter(pub *mut ProfDataWriter);

impl Sink for ToWriter {
    #[inline(never)]
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        // SAFETY: the caller's writer; the piece is readable by this function's contract.
        unsafe { call(self.0, &mut [ProfDataIoVec::of(span)]) }
    }

    in_turn! {}
}

/// Copies a piece to the address in the writer's context, and advances that address.
///
/// # Safety
/// The context of `writer` must be a buffer with space for the piece.
unsafe fn copy(writer: *mut ProfDataWriter, piece: &ProfDataIoVec) {
    let len = piece.bytes();
    // SAFETY: a writer by this function's contract.
    let to = unsafe { (*writer).context.cast::<u8>() };
    // SAFETY: the buffer has space for the piece by this function's contract.
    let mut sink = unsafe { Buffer::new(to, len) };
    // SAFETY: the caller's piece.
    let _ = unsafe { piece.put(&mut sink) };
    // SAFETY: a writer by this function's contract. A gap advances the address, too.
    unsafe { (*writer).context = to.wrapping_add(len).cast() };
}

export! {
    /// Writes the entries of the image's binary ids, unless the writer is null. Returns their size, or -1 for failures.
    fn __llvm_write_binary_ids(writer: *mut ProfDataWriter) -> c_int {
        let image = Image::this();
        let size = raw::binary_ids_size(&image.notes) as c_int;
        // SAFETY: this image's notes.
        let written = if writer.is_null() { Ok(()) } else { unsafe { raw::write_binary_ids(&image.notes, &mut ToWriter(writer)) } };
        if status(written) == 0 { size } else { -1 }
    }
    /// Copies pieces to the buffer that is the writer's context. Returns 0.
    fn lprofBufferWriter(writer: *mut ProfDataWriter, pieces: *mut ProfDataIoVec, count: u32) -> u32 {
        for index in 0..count as usize {
            // SAFETY: the caller's writer and list.
            unsafe { copy(writer, &*pieces.add(index)) };
        }
        0
    }
    /// Initializes a writer that fills `buffer`.
    fn initBufferWriter(writer: *mut ProfDataWriter, buffer: *mut u8) {
        // SAFETY: the caller's writer.
        unsafe { store(writer, ProfDataWriter::new(lprofBufferWriter::lprofBufferWriter, buffer.cast())) }
    }
}

// From clang 19 on.
#[cfg(since = "10")]
export! {
    /// Writes the entry of one binary id: its length as a word, the id, and `padding` zeros. Returns 0, or -1.
    fn lprofWriteOneBinaryId(writer: *mut ProfDataWriter, len: u64, id: *const u8, padding: u64) -> c_int {
        let bytes = len.to_ne_bytes();
        let id = ProfDataIoVec::of(Span { start: id, len: len as usize });
        // SAFETY: the caller's writer and id.
        status(unsafe { call(writer, &mut [ProfDataIoVec::of(Span::of(&bytes)), id, ProfDataIoVec::nothing(padding as usize, true)]) })
    }
}
