//! The images of a process that share `__gcov_dump` and `__gcov_reset`: as with LLVM's runtime these reach the shared objects, too, whose
//! reference to `profrt_gcov_images` the loader resolves to the same variable. Those are the shared objects that the executable was linked
//! with, and with `-rdynamic` also those that are loaded later.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::os;
use crate::output;
use crate::output::thread_lock::{Locked, ThreadLock};
use crate::report::{Grade, print, reason};

/// An image: what others call in it. The layout may not change, because images of a process may have different versions of the runtime.
#[repr(C)]
pub struct SharedImage {
    /// The next image of the list.
    next: AtomicPtr<SharedImage>,
    /// Writes the files of the image.
    write: extern "C" fn(),
    /// Resets the counters of the image.
    reset: extern "C" fn(),
}

impl SharedImage {
    /// Creates an image that is in no list yet.
    pub const fn new(write: extern "C" fn(), reset: extern "C" fn()) -> SharedImage {
        SharedImage { next: AtomicPtr::new(core::ptr::null_mut()), write, reset }
    }
}

/// The images of a process. The layout may not change.
#[repr(C)]
pub struct Images {
    /// The first image. Invariant: each image in the list is loaded.
    first: AtomicPtr<SharedImage>,
    /// The lock of the thread that walks through the list or changes it.
    lock: ThreadLock,
}

#[cfg(all(feature = "archive", not(test)))]
unsafe extern "C" {
    static profrt_gcov_images: Images;
}
#[cfg(not(all(feature = "archive", not(test))))]
#[allow(non_upper_case_globals)]
static profrt_gcov_images: Images = Images { first: AtomicPtr::new(core::ptr::null_mut()), lock: ThreadLock::new() };

/// Returns the list of this process.
fn images() -> &'static Images {
    // SAFETY: `abi::gcov` defines the variable as zeros, in this layout.
    #[allow(unused_unsafe)]
    unsafe {
        &profrt_gcov_images
    }
}

/// Locks the list.
fn lock() -> Option<Locked> {
    images().lock.lock(os::BlockedSignals::begin, true)
}

/// Releases, in a forked child, the locks of the list and of the file state where threads of the parent had them.
pub fn release_inherited() {
    images().lock.reset_in_child();
    output::release_in_child();
}

/// Adds an image to the list. Where another thread does not give the list back, the calls of other images do not reach this one.
pub fn add(image: &'static SharedImage) {
    let Some(_guard) = lock() else { return };
    let first = &images().first;
    image.next.store(first.load(Ordering::Relaxed), Ordering::Relaxed);
    first.store((&raw const *image).cast_mut(), Ordering::Release);
}

/// Removes an image from the list, if it is there, because it may be unloaded. Waits while another thread uses the list, which may be in this
/// image: the loader unloads it after this. The executable stays, and waits for nobody.
pub fn remove(image: &'static SharedImage) {
    if !os::may_be_unloaded() {
        return;
    }
    let Some(_guard) = lock() else { return };
    let mut place = &images().first;
    loop {
        let found = place.load(Ordering::Acquire);
        if found.is_null() {
            return;
        }
        if core::ptr::eq(found, image) {
            return place.store(image.next.load(Ordering::Relaxed), Ordering::Release);
        }
        // SAFETY: an image in the list is loaded, and stays so while this thread has the list locked, by the invariant.
        place = unsafe { &(*found).next };
    }
}

/// Calls a function of each image. Returns whether the list could be locked.
fn each(call: impl Fn(&SharedImage)) -> bool {
    let Some(_guard) = lock() else { return false };
    let mut image = images().first.load(Ordering::Acquire);
    while !image.is_null() {
        // SAFETY: as in `remove`. Where this code interrupts another walk of this thread, the lock is that one's.
        let this = unsafe { &*image };
        call(this);
        image = this.next.load(Ordering::Acquire);
    }
    true
}

/// Writes the files of all images.
pub fn write() {
    if !each(|image| (image.write)()) {
        print(Grade::Error, &[b"Failed to write .gcda files: ", reason(Error::BUSY), b"."]);
    }
}

/// Resets the counters of all images.
pub fn reset() {
    if !each(|image| (image.reset)()) {
        print(Grade::Error, &[b"Failed to reset the counters: ", reason(Error::BUSY), b"."]);
    }
}
