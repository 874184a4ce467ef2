//! Any bytes merged into memory, as `__llvm_profile_merge_from_buffer` does.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    profrt_fuzz::with_input(input, |image, profile| {
        let _ = profrt_fuzz::drive::memory(image, profile);
    });
});
