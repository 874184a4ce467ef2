//! Mode of the directories we make; programs set it.

#![allow(unsafe_code)]

use core::sync::atomic::AtomicU32;

#[cfg(all(feature = "abi", not(test)))]
unsafe extern "C" {
    static lprofDirMode: AtomicU32;
}

#[cfg(not(all(feature = "abi", not(test))))]
#[allow(non_upper_case_globals)]
static lprofDirMode: AtomicU32 = AtomicU32::new(0o755);

/// Mode of the directories we make; programs set it.
#[allow(unused_unsafe)]
pub fn directory_mode() -> &'static AtomicU32 {
    // SAFETY: a word that is only ever used as an atomic.
    unsafe { &lprofDirMode }
}
