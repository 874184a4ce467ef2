//! Checks whether a profile can be written: for firmware, which has its own start-up code and linker script.

#![allow(unsafe_code)]

pub mod code;

use crate::format::Variant;
use crate::link;
use crate::mismatch;
use crate::sections::variables;

/// The result of [`check`]. The numbers are those of `profrt.h`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum State {
    /// Everything is in place.
    Ready = 0,
    /// There are no counters: nothing was compiled with instrumentation, or the linker script has dropped the section.
    NoCounters = 1,
    /// The records are of another raw version than this runtime: compiler and runtime do not belong together.
    WrongVersion = 2,
    /// Counters hold random numbers: the start-up code has not initialized them.
    NotInitialized = 3,
    /// All byte counters are 0, which means that all code ran: the start-up code has zeroed them instead of copying their
    /// initial value, 0xFF.
    Zeroed = 4,
}

/// More than a device counts between its start and the check, and less than half of the numbers that random memory holds.
const IMPLAUSIBLE: u64 = 1 << 48;

/// Checks whether a profile of this image can be written. To be called as early as possible, since counters that have counted look more like
/// random ones.
///
/// ```no_run
/// assert_eq!(profrt::check(), profrt::State::Ready);
/// ```
pub fn check() -> State {
    let counters = link::counters::span();
    if counters.len == 0 {
        return State::NoCounters;
    }
    let version = variables::raw_version();
    if !link::records_are_elsewhere() && mismatch::check_this().is_err() {
        return State::WrongVersion;
    }
    if Variant(version).counter_size() == 1 {
        // SAFETY: within the counters of this image. Volatile: the program goes on.
        let byte = |at: usize| unsafe { counters.start.wrapping_add(at).read_volatile() };
        if (0..counters.len).any(|at| byte(at) != 0 && byte(at) != 0xff) {
            return State::NotInitialized;
        }
        if counters.len > 1 && (0..counters.len).all(|at| byte(at) == 0) {
            return State::Zeroed;
        }
        return State::Ready;
    }
    let first = counters.start.cast::<u64>();
    // SAFETY: within the counters of this image, which are aligned words. Volatile: the program goes on.
    let word = |at: usize| unsafe { first.wrapping_add(at).read_volatile() };
    if (0..counters.len / 8).any(|at| word(at) >= IMPLAUSIBLE) { State::NotInitialized } else { State::Ready }
}
