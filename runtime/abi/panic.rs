//! The panic handler that an archive without `std` must have. `cargo xtask audit` proves that no code reaches it.

#[cfg(profrt_panic_proof)]
unsafe extern "C" {
    safe fn profrt_panic_reached() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // In the proof build no object defines the function, so the linker reports it when this handler is reachable.
    #[cfg(profrt_panic_proof)]
    profrt_panic_reached();
    #[cfg(not(profrt_panic_proof))]
    loop {
        core::hint::spin_loop();
    }
}
