//! Keeps an image with a signal handler in memory until the process ends: a thread may be preempted before the handler's first instruction
//! or after its last one, so no count of the threads in it tells when the image can be unloaded.

#![allow(unsafe_code)]

use core::ffi::{c_char, c_int, c_void};
use core::mem::MaybeUninit;

use super::kernel::libc;
use super::process::auxv;
use crate::link::opaque;

crate::link::weak!("dlopen", "dladdr");

unsafe extern "C" {
    // Null in static programs, and where the C library has these in a library of its own (glibc before 2.34) that nobody has loaded.
    #[link_name = "dlopen"]
    static DLOPEN: [u64; 0];
    #[link_name = "dladdr"]
    static DLADDR: [u64; 0];
}

type Open = unsafe extern "C" fn(name: *const c_char, flags: c_int) -> *mut c_void;
type FindAddress = unsafe extern "C" fn(address: *const c_void, info: *mut libc::Dl_info) -> c_int;

/// The loader's functions, where programs can call it.
fn loader() -> Option<(Open, FindAddress)> {
    let open: *const u8 = opaque((&raw const DLOPEN).cast());
    let find: *const u8 = opaque((&raw const DLADDR).cast());
    // SAFETY: null, or the functions of these names, which POSIX and all C libraries declare so.
    let (open, find) = unsafe {
        (
            core::mem::transmute::<*const u8, Option<Open>>(open),
            core::mem::transmute::<*const u8, Option<FindAddress>>(find),
        )
    };
    Some((open?, find?))
}

/// Finds the name of the shared object that this code is in. `None`: nobody can unload this image.
fn own_object(find: FindAddress) -> Option<*const c_char> {
    // What the loader does not know it does not unload. The executable, which it does know, stays in any case, and cannot be opened by name.
    let (base, name) = object_at(find, keep_loaded as *const () as usize)?;
    let is_executable = object_at(find, auxv(libc::AT_ENTRY)).is_some_and(|executable| executable.0 == base);
    (!is_executable).then_some(name)
}

/// Returns whether the loader may unload this image.
pub fn may_be_unloaded() -> bool {
    loader().is_some_and(|(_, find)| own_object(find).is_some())
}

/// Keeps this image loaded, whatever the program closes. `false`: it is a shared object, and the loader refuses. To be called outside of
/// signal handlers, for the loader has locks and a heap.
pub fn keep_loaded() -> bool {
    // Without a loader that programs can call there is nobody to unload us.
    let Some((open, find)) = loader() else { return true };
    let Some(own) = own_object(find) else { return true };
    // SAFETY: the name under which the loader knows this object, so that no other is found and no file is loaded. What the loader
    // allocates for that has the lock of a thread that is in a constructor, or outside of the loader.
    !unsafe { open(own, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) }.is_null()
}

/// Finds where the loaded object begins that has an address, and its name.
fn object_at(find: FindAddress, address: usize) -> Option<(*mut c_void, *const c_char)> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `dladdr`, which takes any address, and room for what it says.
    let found = unsafe { find(address as *const c_void, info.as_mut_ptr()) } != 0;
    // SAFETY: filled where it has found one.
    found.then(|| unsafe { info.assume_init_ref() }).map(|info| (info.dli_fbase, info.dli_fname))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executable_is_kept_anyway() {
        assert!(keep_loaded());
    }
}
