//! `core`'s atomics for a CPU that can only load and store: the only core, so read-modify-write has to be whole only for
//! the interrupts that come to it.
//!
//! Where interrupts can be masked it is. Elsewhere the two halves are plain, and `exclusive` keeps out who could come between.

#[cfg(masked)]
use super::masked::whole;
use core::sync::atomic::{self, Ordering};

#[cfg(not(masked))]
#[inline(always)]
fn whole<T>(work: impl FnOnce() -> T) -> T {
    work()
}

macro_rules! atomic {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        #[doc = concat!("`", stringify!($name), "` of `core`, with what a CPU without compare-and-swap lacks.")]
        #[repr(transparent)]
        pub struct $name $(<$t>)? (atomic::$name $(<$t>)?);

        impl $(<$t>)? $name $(<$t>)? {
            /// Creates an atomic with this value.
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            /// Returns the value.
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            /// Sets the value.
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                self.0.store(value, order);
            }

            /// Sets the value, and returns what was there before.
            #[inline]
            pub fn swap(&self, value: $value, _order: Ordering) -> $value {
                self.change(|_| Some(value)).unwrap_or(value)
            }

            /// Sets the value if it is `current`. Returns the previous value.
            ///
            /// # Errors
            /// The value is another one.
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                _success: Ordering,
                _failure: Ordering,
            ) -> Result<$value, $value> {
                self.change(|now| (now == current).then_some(new))
            }

            /// Sets the value to what `next` returns. Returns the previous value.
            ///
            /// # Errors
            /// `next` returned `None`.
            #[inline]
            pub fn fetch_update(
                &self,
                _success: Ordering,
                _failure: Ordering,
                next: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.change(next)
            }

            /// Sets the value to what `next` returns. Returns the previous value, as `Ok` if it was changed.
            #[inline]
            fn change(&self, next: impl FnOnce($value) -> Option<$value>) -> Result<$value, $value> {
                whole(|| {
                    let before = self.0.load(Ordering::Relaxed);
                    let after = next(before);
                    if let Some(after) = after {
                        // The compiler must not move what was written before behind this; the only core does not.
                        atomic::compiler_fence(Ordering::SeqCst);
                        self.0.store(after, Ordering::Relaxed);
                    }
                    atomic::compiler_fence(Ordering::SeqCst);
                    after.map(|_| before).ok_or(before)
                })
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!($name, $value);

        impl $name {
            /// Adds, and returns what was there before.
            #[inline]
            pub fn fetch_add(&self, by: $value, _order: Ordering) -> $value {
                self.change(|now| Some(now.wrapping_add(by))).unwrap_or(by)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicPtr<T>, *mut T);
number!(AtomicU32, u32);
number!(AtomicUsize, usize);
