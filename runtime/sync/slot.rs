//! A place for a function that another module provides while the program runs, so that programs without that module do not link it.

#![allow(unsafe_code)]

use core::ptr;

use super::{AtomicPtr, Ordering};

/// A pointer to a function, or none.
#[derive(Debug)]
pub struct Slot<F: 'static>(AtomicPtr<F>);

impl<F: Copy + Sync> Slot<F> {
    /// Creates an empty slot.
    pub const fn empty() -> Slot<F> {
        Slot(AtomicPtr::new(ptr::null_mut()))
    }

    /// Stores a function, or empties the slot.
    pub fn set(&self, function: Option<&'static F>) {
        self.0.store(function.map_or(ptr::null(), ptr::from_ref).cast_mut(), Ordering::Release);
    }

    /// Returns the function.
    pub fn get(&self) -> Option<F> {
        // SAFETY: null, or from a reference that `set` was given, which lives for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }.copied()
    }
}
