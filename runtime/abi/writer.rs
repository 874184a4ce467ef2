//! LLVM's own writer structure, for programs that walk the profile with it.

use core::ffi::{c_int, c_void};

use super::buffer::status;
use crate::error::{Error, Result};
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::span::Span;

/// A piece of data: `count` elements of `size` bytes, or as many zero bytes when `data` is null and `zeros` is set.
#[derive(Debug)]
#[repr(C)]
pub struct IoVec {
    data: *const u8,
    size: usize,
    count: usize,
    zeros: c_int,
}

/// Writes pieces; 0 means taken.
pub type WriteFn = unsafe extern "C" fn(*mut Writer, *mut IoVec, u32) -> u32;

/// A function and what it needs.
#[derive(Debug)]
#[repr(C)]
pub struct Writer {
    write: Option<WriteFn>,
    context: *mut c_void,
}

/// A sink that calls a writer of the program.
struct ToWriter(*mut Writer);

impl Sink for ToWriter {
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans.iter().filter(|span| span.len > 0) {
            let mut piece = IoVec { data: span.start, size: 1, count: span.len, zeros: 0 };
            // SAFETY: the caller's writer.
            let write = unsafe { (*self.0).write }.ok_or(Error::Sink)?;
            // SAFETY: the caller's writer; the piece is readable by this function's contract.
            if unsafe { write(self.0, &mut piece, 1) } != 0 {
                return Err(Error::Sink);
            }
        }
        Ok(())
    }
}

/// Copies a piece to where the writer's context points, and moves that on.
///
/// # Safety
/// `writer` must have a buffer with room for it as context.
unsafe fn copy(writer: *mut Writer, piece: &IoVec) {
    let len = piece.size.wrapping_mul(piece.count);
    // SAFETY: the caller's contract.
    let to = unsafe { (*writer).context.cast::<u8>() };
    // SAFETY: the caller's contract.
    let mut sink = unsafe { Buffer::new(to, len) };
    if !piece.data.is_null() {
        // SAFETY: the caller's piece.
        let _ = unsafe { sink.write(&[Span { start: piece.data, len }]) };
    } else if piece.zeros != 0 {
        let _ = crate::sink::write_zeros(&mut sink, len as u64);
    }
    // SAFETY: the caller's writer. Pieces without data take their room all the same.
    unsafe { (*writer).context = to.wrapping_add(len).cast() };
}

export! {
    /// Writes the entries of the image's binary ids; with a null writer just tells their size. -1 for failures.
    fn __llvm_write_binary_ids(writer: *mut Writer) -> c_int {
        let image = Image::this();
        let size = raw::binary_ids_size(&image) as c_int;
        // SAFETY: this image's notes.
        let written = if writer.is_null() { Ok(()) } else { unsafe { raw::write_binary_ids(&image, &mut ToWriter(writer)) } };
        if status(written) == 0 { size } else { -1 }
    }
    /// The write function of a writer whose context is a buffer. 0.
    fn lprofBufferWriter(writer: *mut Writer, pieces: *mut IoVec, count: u32) -> u32 {
        for index in 0..count as usize {
            // SAFETY: the caller's writer and list.
            unsafe { copy(writer, &*pieces.add(index)) };
        }
        0
    }
    /// Makes a writer into `buffer`.
    fn initBufferWriter(writer: *mut Writer, buffer: *mut u8) {
        // SAFETY: the caller's writer.
        unsafe { *writer = Writer { write: Some(lprofBufferWriter::lprofBufferWriter), context: buffer.cast() } }
    }
}
