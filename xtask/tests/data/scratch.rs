//! Compiled by `tests/dist.rs`: see there.
#![no_std]

pub mod value {
    pub mod hook {
        #[inline(never)]
        pub fn fill(bytes: &mut [u8], from: &[u8]) -> u64 {
            for (to, from) in bytes.iter_mut().zip(from) {
                *to = *from;
            }
            bytes.len() as u64
        }
    }
}

pub mod state {
    use core::sync::atomic::{AtomicU64, Ordering};
    static CALLS: AtomicU64 = AtomicU64::new(0);
    #[inline(never)]
    pub fn called() -> u64 {
        CALLS.fetch_add(1, Ordering::Relaxed)
    }
}

pub mod abi {
    pub mod write_buffer {
        #[unsafe(no_mangle)]
        pub extern "C" fn __llvm_profile_write_buffer(bytes: *mut u8, size: usize) -> i32 {
            crate::state::called();
            let bytes = unsafe { core::slice::from_raw_parts_mut(bytes, size) };
            crate::value::hook::fill(bytes, &[3; 64]) as i32 * 3
        }
        core::arch::global_asm!(".hidden __llvm_profile_write_buffer");
    }
    pub mod runtime {
        core::arch::global_asm!(
            ".weak __llvm_profile_runtime",
            ".hidden __llvm_profile_runtime",
            ".data",
            "__llvm_profile_runtime: .long 0",
            ".text"
        );
        extern "C" fn start() {
            crate::state::called();
        }
        #[used]
        #[unsafe(link_section = ".init_array")]
        static START: extern "C" fn() = start;
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
