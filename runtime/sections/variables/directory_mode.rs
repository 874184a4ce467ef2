//! The mode of directories that the runtime makes (`lprofDirMode`), which programs set.

#![allow(unsafe_code)]

use core::sync::atomic::AtomicU32;

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static lprofDirMode: AtomicU32;
}

#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static lprofDirMode: AtomicU32 = AtomicU32::new(0o755);

/// Returns the mode of directories that the runtime makes.
#[allow(unused_unsafe)]
pub fn directory_mode() -> &'static AtomicU32 {
    // SAFETY: `abi::variables` defines the variable as an aligned word; the runtime uses it as an atomic only.
    unsafe { &lprofDirMode }
}
