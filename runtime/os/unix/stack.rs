//! A stack for one call: a signal handler may run on one that is almost used up.

#![allow(unsafe_code)]

use super::memory::{map_pages, unmap_pages};

/// Bytes of it. Only the pages that are used take memory.
const SIZE: usize = 64 * 1024;

/// Calls `task` on a stack of its own; on this one where there are no pages, or nobody knows how to change stacks. No
/// signal may come to this thread meanwhile: with an alternate stack in use below, the system would put its handler on top
/// of that one again, over what is kept there.
#[inline(never)]
pub fn on_own_stack(task: extern "C" fn()) {
    let Some(pages) = map_pages(SIZE) else { return task() };
    // SAFETY: fresh pages; their end is aligned as a stack has to be.
    unsafe { call_on(pages.wrapping_add(SIZE), task) };
    unmap_pages(pages, SIZE);
}

/// Calls `task` on the stack that ends at `top`.
///
/// # Safety
/// `top` must be the end of memory that nobody else uses, with room for what `task` needs, aligned to 16.
#[inline(always)]
unsafe fn call_on(top: *mut u8, task: extern "C" fn()) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller passes the end of a stack that nothing else uses. The old stack pointer is in a register that the call preserves, and
    // all others are given up as for any call.
    unsafe {
        core::arch::asm!(
            "xchg rsp, r12",
            "call {}",
            "mov rsp, r12",
            in(reg) task,
            inout("r12") top => _,
            clobber_abi("C"),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the caller passes the end of a stack that nothing else uses. The old stack pointer is in a register that the call preserves, and
    // all others are given up as for any call.
    unsafe {
        core::arch::asm!(
            "mov x20, sp",
            "mov sp, {}",
            "blr {}",
            "mov sp, x20",
            in(reg) top,
            in(reg) task,
            out("x20") _,
            clobber_abi("C"),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = top;
        task();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicUsize, Ordering};

    static WHERE: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn task() {
        let local = 0u8;
        WHERE.store(core::hint::black_box(&raw const local) as usize, Ordering::Relaxed);
    }

    #[test]
    fn another_stack_and_back() {
        let kept = core::hint::black_box(std::vec![1, 2, 3]);
        let here = &raw const kept as usize;
        on_own_stack(task);
        assert!(WHERE.load(Ordering::Relaxed).abs_diff(here) > SIZE);
        assert_eq!(kept, [1, 2, 3]);
    }
}
