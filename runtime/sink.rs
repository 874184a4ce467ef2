//! A sink takes the bytes of a profile, in order, and knows nothing of their meaning.

#![allow(unsafe_code)]

pub mod buffer;
pub mod callback;
pub mod count;
pub mod crc;
#[cfg(feature = "hosted")]
pub mod file;
pub mod frame;
pub mod latch;
#[cfg(feature = "hosted")]
pub mod seek;
#[cfg(any(target_arch = "arm", target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"))]
pub mod semihosting;
#[cfg(feature = "hosted")]
pub mod stdio;
#[cfg(feature = "hosted")]
mod zeros;

use crate::error::Result;
use crate::span::Span;
#[cfg(feature = "hosted")]
use crate::sync::AtomicUsize;

/// Where a profile goes.
///
/// The writer calls it any number of times; each call brings the next bytes, and either takes all of them or fails. After a
/// failure the sink is not called again.
pub trait Sink {
    /// Takes the bytes of a span.
    ///
    /// # Safety
    /// The span must point to that many readable bytes for the time of the call. They may change meanwhile.
    unsafe fn put(&mut self, span: Span) -> Result;

    /// Takes the bytes of all spans, one after the other: a gather list, of which a system call takes much.
    ///
    /// # Safety
    /// That of [`Sink::put`], for each of them.
    #[cfg(feature = "hosted")]
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans {
            // SAFETY: this function's contract.
            unsafe { self.put(*span) }?;
        }
        Ok(())
    }
}

/// [`Sink::write`] as the trait has it, but in the module of the sink: the trait's own would be compiled into this module for all sinks,
/// and whoever links one of them would link them all.
macro_rules! in_turn {
    () => {
        #[cfg(feature = "hosted")]
        unsafe fn write(&mut self, spans: &[$crate::span::Span]) -> $crate::error::Result {
            for span in spans {
                // SAFETY: this function's contract.
                unsafe { self.put(*span) }?;
            }
            Ok(())
        }
    };
}
pub(crate) use in_turn;

/// For all sinks the same on devices: each of their own would be linked, and take flash.
#[cfg(not(feature = "hosted"))]
impl dyn Sink + '_ {
    /// Takes the bytes of all spans, one after the other.
    ///
    /// # Safety
    /// That of [`Sink::put`], for each of them.
    pub unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans {
            // SAFETY: this function's contract.
            unsafe { self.put(*span) }?;
        }
        Ok(())
    }
}

/// Bytes of padding that are written at a time.
const MOST: usize = 512;

/// Source of padding: words that nobody writes to. On a system not a constant, which would take room in the program's file; on
/// devices one, for memory is shorter than flash.
#[cfg(feature = "hosted")]
static ZEROS: [AtomicUsize; MOST / size_of::<usize>()] = [const { AtomicUsize::new(0) }; MOST / size_of::<usize>()];
#[cfg(not(feature = "hosted"))]
static ZEROS: [u8; MOST] = [0; MOST];

/// Writes `len` zero bytes.
pub fn write_zeros(sink: &mut dyn Sink, mut len: u64) -> Result {
    while len > 0 {
        let now = Span { start: (&raw const ZEROS).cast(), len: len.min(MOST as u64) as usize };
        // SAFETY: a part of a static.
        unsafe { sink.put(now) }?;
        len = len.saturating_sub(now.len as u64);
    }
    Ok(())
}

/// A span of `len` zero bytes for a gather list, if the list's one piece may be that long.
#[inline]
pub fn zeros(len: u64) -> Option<Span> {
    (len <= MOST as u64).then(|| Span { start: (&raw const ZEROS).cast(), len: len as usize })
}
