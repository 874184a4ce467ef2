//! Coverage of wasm-bindgen's tests without a C compiler: the functions of the crate minicov that wasm-bindgen-test calls.

use std::hash::{DefaultHasher, Hasher};

use profrt::sink::Bytes;

/// Bytes of a profile that have the sizes and addresses of its sections, and no counts.
const HEADER: usize = 128;

/// Appends the profile of this module.
///
/// # Safety
///
/// None is asked for, as counters may change meanwhile; the function that this one replaces is unsafe.
pub unsafe fn capture_coverage(profile: &mut Vec<u8>) -> Result<(), impl std::fmt::Debug> {
    profrt::capture(&mut Bytes(|bytes: &[u8]| {
        profile.extend_from_slice(bytes);
        Ok::<(), ()>(())
    }))
}

/// What `%m` in `LLVM_PROFILE_FILE` becomes: a number of this module.
pub fn module_signature() -> u64 {
    let (mut profile, mut hasher) = (Vec::new(), DefaultHasher::new());
    // SAFETY: it asks for nothing.
    let _ = unsafe { capture_coverage(&mut profile) };
    hasher.write(profile.get(..HEADER).unwrap_or_default());
    hasher.finish()
}
