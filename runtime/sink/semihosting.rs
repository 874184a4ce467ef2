//! A sink that writes to a file of the host by semihosting: a debugger or an emulator executes the system call.
//!
//! Without a debugger or an emulator, the instruction is a fault.

#![allow(unsafe_code)]

use core::ffi::CStr;

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;

/// Operations, as Arm's semihosting specification numbers them; RISC-V uses the same.
const SYS_OPEN: usize = 1;
const SYS_CLOSE: usize = 2;
const SYS_WRITE: usize = 5;
/// Mode "wb" of `SYS_OPEN`.
const WRITE_BINARY: usize = 5;

/// Bytes that are collected before a call: each call stops the processor for long, and a dump has many small spans.
const COLLECTED: usize = 16;

/// An open file of the host.
#[derive(Debug)]
pub struct Semihosting {
    handle: usize,
    bytes: [u8; COLLECTED],
    len: usize,
}

/// Calls the host with an operation and a block of its arguments.
///
/// # Safety
/// `block` must hold the arguments of the operation, and pointers in it must be valid for the operation.
unsafe fn call(operation: usize, block: &[usize]) -> isize {
    let result: isize;
    let block = block.as_ptr();
    // SAFETY: the host reads the block, and memory it points to, which is valid by this function's contract.
    #[cfg(cortex_m)]
    unsafe {
        core::arch::asm!("bkpt #0xab", inout("r0") operation as isize => result, in("r1") block, options(nostack));
    }
    #[cfg(all(target_arch = "arm", not(cortex_m)))]
    // SAFETY: as for `bkpt`; this instruction changes `lr`.
    unsafe {
        core::arch::asm!(
            "svc #{number}",
            number = const if cfg!(thumb) { 0xab } else { 0x123456 },
            inout("r0") operation as isize => result,
            in("r1") block,
            out("lr") _,
            options(nostack)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as for the instruction of Arm's M profile above: the block is valid by this function's contract.
    unsafe {
        core::arch::asm!("hlt #0xf000", inout("x0") operation as isize => result, in("x1") block, options(nostack));
    }
    // The three instructions must not be compressed, and stand on one page.
    #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
    // SAFETY: as for the instruction of Arm's M profile above: the block is valid by this function's contract.
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
    /// Creates a file of the host, or empties an existing one.
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

    /// Closes the file. Fails when the host could not write all bytes.
    pub fn close(mut self) -> Result {
        self.finish()
    }

    /// Closes the file through a reference. The sink must not be used afterwards.
    pub fn finish(&mut self) -> Result {
        let written = self.flush();
        // SAFETY: the block is a handle that the host has returned.
        let closed = unsafe { call(SYS_CLOSE, &[self.handle]) };
        written.and(if closed == 0 { Ok(()) } else { Err(Error::SINK) })
    }

    /// Writes the collected bytes to the host's file.
    fn flush(&mut self) -> Result {
        let collected = Span::of(self.bytes.get(..self.len).unwrap_or(&[]));
        self.len = 0;
        // SAFETY: a part of an array of this sink.
        unsafe { self.hand_on(collected) }
    }

    /// Writes a span to the host's file.
    ///
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

    in_turn! {}
}
