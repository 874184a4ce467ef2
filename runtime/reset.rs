//! Resets counters, bitmaps and values to their state at the start.

#![allow(unsafe_code)]

use crate::format::Variant;
use crate::format::layout::Part;
use crate::format::parts::BITS;
#[cfg(not(feature = "hosted"))]
use crate::link;
use crate::mismatch;
#[cfg(not(feature = "hosted"))]
use crate::sections::linked_part;
use crate::sections::{Image, variables};
use crate::span::Span;
use crate::state::{DUMPED, RESETS};
use crate::sync::Ordering;
#[cfg(feature = "hosted")]
use crate::sync::Slot;
use crate::value::linked;
use crate::value::node::records;

/// Resets counters under the lock that writes take; empty in programs without files.
#[cfg(feature = "hosted")]
pub static LOCKED_RESET: Slot<fn()> = Slot::empty();

/// Resets all counters and values of this image, in continuous mode also in the file, and clears the dumped mark.
///
/// ```no_run
/// # fn warm_up() {}
/// warm_up();
/// profrt::reset();
/// ```
pub fn reset() {
    #[cfg(feature = "hosted")]
    if let Some(reset) = LOCKED_RESET.get() {
        return reset();
    }
    clear();
    note_reset();
}

/// Notes a reset of counters: another dump may follow, earlier ones stay in the file, and the contribution is void.
pub fn note_reset() {
    DUMPED.store(false, Ordering::Relaxed);
    RESETS.fetch_add(1, Ordering::Relaxed);
}

/// Sets all counters and values of this image to their initial state, where they are now.
pub fn clear() {
    let image = Image::this();
    let version = clear_counts(|part| image.get(part).copied().unwrap_or(Span::EMPTY));
    if mismatch::check(&image, version).is_ok() {
        zero_value_counts(&image);
    }
}

/// Zeroes all counts of values of an image, whose records must be of this raw version.
pub fn zero_value_counts(image: &Image) {
    if let Some(reset) = linked::reset() {
        // SAFETY: the image's records, whose version the caller has checked.
        reset(unsafe { records(image.data) });
    }
}

/// Initializes counters, bitmaps, and the heads and nodes of value sites, which our linker-script fragments keep apart from the variables that
/// start-up code initializes. To be called once, before the first instrumented function.
#[cfg(not(feature = "hosted"))]
pub fn start() {
    clear_counts(linked_part);
    // The heads of sites are where the records are. (The call also makes the link fail without a linker-script fragment.)
    if !link::records_are_elsewhere() {
        // SAFETY: sections of this image that the program writes to.
        unsafe {
            fill(link::vheads::span(), 0);
            fill(link::vnodes::span(), 0);
        }
    }
}

/// Sets counters and bits to their initial state, and returns the version variable of the program.
fn clear_counts(at: impl Fn(Part) -> Span) -> u64 {
    let version = variables::raw_version();
    // Byte counters say "covered" with 0.
    let initial = if Variant(version).has(Variant::BYTE_COVERAGE) { 0xff } else { 0 };
    // SAFETY: sections of this image in which the program counts.
    unsafe {
        fill(at(Part::Counters), initial);
        BITS.into_iter().for_each(|part| fill(at(part), 0));
    }
    version
}

/// Sets all bytes of a section of counters, byte by byte or word by word, since threads may count meanwhile.
///
/// # Safety
/// The section must be writable.
#[inline(never)]
pub unsafe fn fill(mut rest: Span, byte: u8) {
    let word = u64::from_ne_bytes([byte; 8]);
    while rest.len > 0 {
        let here = rest.start.cast_mut();
        let whole = here.addr().is_multiple_of(8) && rest.len >= 8;
        // SAFETY: within the section, which is writable by this function's contract; words only where they are aligned and fit.
        unsafe { if whole { here.cast::<u64>().write_volatile(word) } else { here.write_volatile(byte) } };
        rest = rest.skip(if whole { 8 } else { 1 });
    }
}
