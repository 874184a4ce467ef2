//! Bounds that grow with what objects register: clang before 17, for targets whose linker it does not know, emits a constructor that
//! calls once for each record and once for the names of an object file.
//!
//! They count only where the linker has defined none: where a linker script has put the profile sections into others of its own.
//! Constructors run one after the other, before there are threads.

#![allow(unsafe_code)]

use crate::format::Variant;
use crate::format::record::Record;
use crate::span::Span;
use crate::sync::{AtomicUsize, Ordering};

use super::{elf, variables};

/// Bounds: the lowest address, and the one behind the highest; 0 while nothing is known.
#[derive(Debug)]
pub struct Bounds {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Bounds {
    const fn new() -> Bounds {
        Bounds { from: AtomicUsize::new(0), to: AtomicUsize::new(0) }
    }

    fn grow(&self, from: usize, len: usize) {
        let known = self.from.load(Ordering::Relaxed);
        if known == 0 || from < known {
            self.from.store(from, Ordering::Relaxed);
        }
        let end = from.wrapping_add(len);
        if end > self.to.load(Ordering::Relaxed) {
            self.to.store(end, Ordering::Relaxed);
        }
    }

    /// From the lowest to the highest.
    #[inline(always)]
    pub fn span(&self) -> Span {
        Span::between(self.from.load(Ordering::Relaxed) as *const u8, self.to.load(Ordering::Relaxed) as *const u8)
    }
}

/// Place of the records' bounds in [`All`].
pub const DATA: usize = 0;
/// Of their counters'.
pub const COUNTERS: usize = 1;
/// Of the names'.
pub const NAMES: usize = 2;

/// Everything that was registered.
pub type All = [Bounds; 3];

/// The one of this image. [`elf`] looks for it by its name.
#[cfg_attr(feature = "abi", unsafe(export_name = "profrt_registered"))]
static ALL: All = [const { Bounds::new() }; 3];

/// A record. Its counters get their initial values: no start-up code has known of them before.
///
/// # Safety
/// `record` must be a control record of this image, of this archive's raw version.
pub unsafe fn register(record: *const Record) {
    if elf::data::linked().len > 0 {
        return;
    }
    // SAFETY: the caller's record.
    let (offset, number) = unsafe { ((*record).counter_ptr, (*record).num_counters) };
    let version = Variant(variables::raw_version());
    let start = record.addr().wrapping_add_signed(offset);
    let len = (number as usize).wrapping_mul(version.counter_size() as usize);
    ALL[DATA].grow(record.addr(), size_of::<Record>());
    ALL[COUNTERS].grow(start, len);
    let initial = if version.has(Variant::BYTE_COVERAGE) { 0xff } else { 0 };
    for at in 0..len {
        // SAFETY: the record's own counters.
        unsafe { (start.wrapping_add(at) as *mut u8).write_volatile(initial) };
    }
}

/// Names of an object file.
pub fn register_names(names: *const u8, len: usize) {
    ALL[NAMES].grow(names.addr(), len);
}
