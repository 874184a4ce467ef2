//! The atomics that the runtime uses, with the operations that it uses.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::AtomicUsize as Real;

pub use std::sync::atomic::Ordering;

/// The number of the run.
static RUN: Real = Real::new(1);

pub(crate) fn begin() {
    RUN.fetch_add(1, Ordering::Relaxed);
}

/// What an atomic was made with, and one of loom's for the run that used it last.
struct Lazy<V: Copy, A: 'static> {
    made_with: V,
    run: Cell<usize>,
    of_loom: Cell<Option<&'static A>>,
}

impl<V: Copy, A: 'static> Lazy<V, A> {
    const fn new(made_with: V) -> Self {
        Lazy { made_with, run: Cell::new(0), of_loom: Cell::new(None) }
    }

    fn get(&self, make: fn(V) -> A) -> &'static A {
        let run = RUN.load(Ordering::Relaxed);
        match self.of_loom.get() {
            Some(atomic) if self.run.get() == run => atomic,
            _ => {
                let atomic: &'static A = Box::leak(Box::new(make(self.made_with)));
                self.of_loom.set(Some(atomic));
                self.run.set(run);
                atomic
            }
        }
    }
}

macro_rules! atomic {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        pub struct $name $(<$t: 'static>)? {
            lazy: Lazy<$value, loom::sync::atomic::$name $(<$t>)?>,
        }

        // SAFETY: loom runs the threads of a model on one thread of the system, one after the other.
        unsafe impl $(<$t>)? Sync for $name $(<$t>)? {}
        // SAFETY: the same.
        unsafe impl $(<$t>)? Send for $name $(<$t>)? {}

        impl $(<$t: 'static>)? $name $(<$t>)? {
            pub const fn new(value: $value) -> Self {
                Self { lazy: Lazy::new(value) }
            }

            fn get(&self) -> &'static loom::sync::atomic::$name $(<$t>)? {
                self.lazy.get(loom::sync::atomic::$name::new)
            }

            pub fn load(&self, order: Ordering) -> $value {
                self.get().load(order)
            }

            pub fn store(&self, value: $value, order: Ordering) {
                self.get().store(value, order);
            }

            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.get().swap(value, order)
            }

            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.get().compare_exchange(current, new, success, failure)
            }
        }

        impl $(<$t>)? fmt::Debug for $name $(<$t>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!($name, $value);

        impl $name {
            pub fn fetch_add(&self, by: $value, order: Ordering) -> $value {
                self.get().fetch_add(by, order)
            }

            pub fn fetch_sub(&self, by: $value, order: Ordering) -> $value {
                self.get().fetch_sub(by, order)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicPtr<T>, *mut T);
number!(AtomicU32, u32);
number!(AtomicU64, u64);
number!(AtomicUsize, usize);
