//! The panic handler that an archive without `std` must have. Nothing can reach it: `cargo xtask audit` proves it.

#[cfg(profrt_panic_proof)]
unsafe extern "C" {
    safe fn profrt_panic_reached() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // In the proof build the linker tells whether this is reachable: nobody defines the function.
    #[cfg(profrt_panic_proof)]
    profrt_panic_reached();
    #[cfg(not(profrt_panic_proof))]
    loop {
        core::hint::spin_loop();
    }
}
