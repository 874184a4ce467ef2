//! A sink into a file of the host, by semihosting: a debugger or an emulator does the work of a system call.
//!
//! Only where a debugger or an emulator listens: without one, the instruction is a fault.

#![allow(unsafe_code)]

use core::ffi::CStr;

use super::Sink;
use crate::error::{Error, Result};
use crate::span::Span;

/// Operations, as Arm's semihosting specification numbers them; RISC-V uses the same.
const SYS_OPEN: usize = 1;
const SYS_CLOSE: usize = 2;
const SYS_WRITE: usize = 5;
/// Mode "wb" of `SYS_OPEN`.
const WRITE_BINARY: usize = 5;

/// Bytes that are collected for a call: it stops the processor for long, and dumps have many small pieces.
const COLLECTED: usize = 16;

/// An open file of the host.
#[derive(Debug)]
pub struct Semihosting {
    handle: usize,
    bytes: [u8; COLLECTED],
    len: usize,
}

/// The call: an operation and a block of arguments, in whose words the host finds what it needs.
///
/// # Safety
/// The block must hold the operation's arguments, and pointers in it must be valid for it.
unsafe fn call(operation: usize, block: &[usize]) -> isize {
    let result: isize;
    let block = block.as_ptr();
    // SAFETY: the caller's contract. The host reads the block, and memory that it points to.
    #[cfg(all(target_arch = "arm", target_feature = "mclass"))]
    unsafe {
        core::arch::asm!("bkpt #0xab", inout("r0") operation as isize => result, in("r1") block, options(nostack));
    }
    #[cfg(all(target_arch = "arm", not(target_feature = "mclass")))]
    // SAFETY: the same; ARM state.
    unsafe {
        core::arch::asm!("svc #0x123456", inout("r0") operation as isize => result, in("r1") block, out("lr") _, options(nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the same.
    unsafe {
        core::arch::asm!("hlt #0xf000", inout("x0") operation as isize => result, in("x1") block, options(nostack));
    }
    // The three instructions must not be compressed, and stand on one page.
    #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
    // SAFETY: the same.
    unsafe {
        core::arch::asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli zero, zero, 0x1f",
            "ebreak",
            "srai zero, zero, 7",
            ".option pop",
            inout("a0") operation as isize => result,
            in("a1") block,
            options(nostack)
        );
    }
    result
}

impl Semihosting {
    /// A new file of the host, or an old one emptied.
    pub fn create(path: &CStr) -> Result<Semihosting> {
        let block = [path.as_ptr().addr(), WRITE_BINARY, path.count_bytes()];
        // SAFETY: address, mode and length of a C string.
        let handle = unsafe { call(SYS_OPEN, &block) };
        if handle < 0 {
            Err(Error::SINK)
        } else {
            Ok(Semihosting { handle: handle as usize, bytes: [0; COLLECTED], len: 0 })
        }
    }

    /// Closes it. An error: the host could not write everything.
    pub fn close(mut self) -> Result {
        self.finish()
    }

    /// The same in its place; the file is not to be used any more.
    pub fn finish(&mut self) -> Result {
        let written = self.flush();
        // SAFETY: a handle of the host's.
        let closed = unsafe { call(SYS_CLOSE, &[self.handle]) };
        written.and(if closed == 0 { Ok(()) } else { Err(Error::SINK) })
    }

    fn flush(&mut self) -> Result {
        let collected = Span::of(self.bytes.get(..self.len).unwrap_or(&[]));
        self.len = 0;
        // SAFETY: bytes of our own.
        unsafe { self.hand_on(collected) }
    }

    /// # Safety
    /// The span must be readable.
    unsafe fn hand_on(&self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        let block = [self.handle, span.start.addr(), span.len];
        // SAFETY: handle, address and length; readable by this function's contract. The answer is what was not written.
        if unsafe { call(SYS_WRITE, &block) } == 0 { Ok(()) } else { Err(Error::SINK) }
    }
}

impl Sink for Semihosting {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len > COLLECTED.wrapping_sub(self.len) {
            self.flush()?;
        }
        let end = self.len.wrapping_add(span.len);
        let Some(room) = self.bytes.get_mut(self.len..end) else {
            // SAFETY: this function's contract.
            return unsafe { self.hand_on(span) };
        };
        for (at, place) in room.iter_mut().enumerate() {
            // SAFETY: within a span that is readable by this function's contract. Volatile: it may change.
            *place = unsafe { span.start.wrapping_add(at).read_volatile() };
        }
        self.len = end;
        Ok(())
    }
}
