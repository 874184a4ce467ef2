//! A sink takes the bytes of a profile, in order, and knows nothing of their meaning.

#![allow(unsafe_code)]

pub(crate) mod buffer;
mod bytes;
pub(crate) mod crc;
#[cfg(feature = "hosted")]
pub(crate) mod file;
pub(crate) mod frame;
pub(crate) mod latch;
#[cfg(any(target_arch = "arm", target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"))]
pub(crate) mod semihosting;
#[cfg(feature = "hosted")]
pub(crate) mod stdio;

pub use bytes::Bytes;
#[cfg(any(target_arch = "arm", target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"))]
pub use semihosting::Semihosting;

use crate::error::Result;
use crate::span::Span;
#[cfg(feature = "hosted")]
use crate::sync::AtomicUsize;

/// The destination of a profile: [`Bytes`] passes the bytes to a function of the program.
///
/// The writer calls a sink any number of times. Each call passes the next bytes, and the sink takes all of them or fails. After a failure
/// the sink is not called again.
pub trait Sink {
    /// Takes the bytes of a span.
    ///
    /// # Safety
    /// The span must point to that many readable bytes for the time of the call. They may change meanwhile.
    #[doc(hidden)]
    unsafe fn put(&mut self, span: Span) -> Result;

    /// Takes the bytes of all spans, in order: a sink that makes system calls passes them in one call.
    ///
    /// # Safety
    /// Each span must meet the contract of [`Sink::put`].
    #[cfg(feature = "hosted")]
    #[doc(hidden)]
    unsafe fn write(&mut self, spans: &[Span]) -> Result;
}

/// Implements [`Sink::write`] by [`Sink::put`]. No default method: those of all sinks would be compiled into one archive member, so that a
/// program with one sink would link them all.
macro_rules! in_turn {
    () => {
        #[cfg(feature = "hosted")]
        unsafe fn write(&mut self, spans: &[$crate::span::Span]) -> $crate::error::Result {
            for span in spans {
                // SAFETY: the span is readable by this function's contract.
                unsafe { self.put(*span) }?;
            }
            Ok(())
        }
    };
}
pub(crate) use in_turn;

/// On devices one function serves all sinks: one for each sink would take more flash.
#[cfg(not(feature = "hosted"))]
impl dyn Sink + '_ {
    /// Takes the bytes of all spans, in order.
    ///
    /// # Safety
    /// Each span must meet the contract of [`Sink::put`].
    pub(crate) unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans {
            // SAFETY: the span is readable by this function's contract.
            unsafe { self.put(*span) }?;
        }
        Ok(())
    }
}

/// Number of zero bytes: on hosted systems the padding to a page of a continuous file.
const MOST: usize = if cfg!(feature = "hosted") { 4096 } else { 512 };

/// Source of zero bytes, which nobody writes to. On hosted systems a variable, since a constant would take space in the program's file; on
/// devices a constant, since RAM is scarcer than flash.
#[cfg(feature = "hosted")]
static ZEROS: [AtomicUsize; MOST / size_of::<usize>()] = [const { AtomicUsize::new(0) }; MOST / size_of::<usize>()];
#[cfg(not(feature = "hosted"))]
static ZEROS: [u8; MOST] = [0; MOST];

/// Returns a span of `len` zero bytes, or of as many as there are.
#[inline]
pub(crate) fn zeros(len: u64) -> Span {
    Span { start: (&raw const ZEROS).cast(), len: len.min(MOST as u64) as usize }
}

pub(crate) mod callback {
    //! A sink that passes every span to a C function.

    #![allow(unsafe_code)]

    use super::Sink;
    use crate::error::{Error, Result};
    use crate::span::Span;
    use core::ffi::{c_int, c_void};

    /// `int write(void *ctx, const void *bytes, size_t len)`, which returns 0 when it has taken the bytes.
    pub type CallbackFn = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int;

    /// A C function and its context. The function is called for each span that is not empty.
    pub struct Callback {
        function: CallbackFn,
        context: *mut c_void,
    }

    impl Callback {
        /// Creates a sink that calls `function(context, bytes, len)`.
        ///
        /// # Safety
        /// `function` must be callable with `context` for as long as the sink is used.
        pub const unsafe fn new(function: CallbackFn, context: *mut c_void) -> Callback {
            Callback { function, context }
        }
    }

    impl Sink for Callback {
        unsafe fn put(&mut self, span: Span) -> Result {
            if span.len == 0 {
                return Ok(());
            }
            // SAFETY: callable by `new`'s contract; the span is readable by this function's.
            let status = unsafe { (self.function)(self.context, span.start.cast(), span.len) };
            if status == 0 { Ok(()) } else { Err(Error::SINK) }
        }

        in_turn! {}
    }
}
