//! Checks whether a profile can be written: for firmware, which has its own start-up code and linker script.

#![allow(unsafe_code)]

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

pub mod code {
    //! The codes of `profrt.h`: 0, or the reason of a failure. [`super::State`] has the first ones.

    use core::ffi::c_int;

    use super::State;
    use crate::error::{Error, Result};

    /// Records and names are in the ELF file only.
    const NOT_LOADED: c_int = 5;
    /// The function that takes the bytes, or the host of semihosting, refused them.
    const SINK: c_int = 6;
    /// The buffer is too small.
    const FULL: c_int = 7;
    /// Another core or an interrupted dump was changing what is dumped.
    const BUSY: c_int = 8;
    /// The sections do not fit together, or the dump is larger than its format allows.
    const UNFIT: c_int = 9;

    /// Returns the code of a result.
    #[inline(never)]
    pub fn of(result: Result) -> c_int {
        let Err(error) = result else { return State::Ready as c_int };
        match error {
            Error::RECORDS_NOT_LOADED => NOT_LOADED,
            Error::SINK => SINK,
            Error::NO_SPACE => FULL,
            Error::VALUES_CHANGED => BUSY,
            // On devices a dump does not wait for another one.
            #[cfg(feature = "hosted")]
            Error::BUSY => BUSY,
            error if error.is_of_version() => State::WrongVersion as c_int,
            _ => UNFIT,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Returns the number of a code in the header.
        fn declared(name: &str) -> c_int {
            let header = include_str!("include/profrt.h");
            let (_, rest) = header.split_once(&std::format!("  {name} = ")).expect("the code is in the header");
            rest.split([',', '\n']).next().unwrap().parse().unwrap()
        }

        #[test]
        fn codes_are_those_of_the_header() {
            for (name, code) in [
                ("PROFRT_OK", of(Ok(()))),
                ("PROFRT_OK", State::Ready as c_int),
                ("PROFRT_NO_COUNTERS", State::NoCounters as c_int),
                ("PROFRT_WRONG_VERSION", State::WrongVersion as c_int),
                ("PROFRT_WRONG_VERSION", of(Err(Error::mismatch(9)))),
                ("PROFRT_NOT_INITIALIZED", State::NotInitialized as c_int),
                ("PROFRT_ZEROED", State::Zeroed as c_int),
                ("PROFRT_NOT_LOADED", of(Err(Error::RECORDS_NOT_LOADED))),
                ("PROFRT_SINK", of(Err(Error::SINK))),
                ("PROFRT_FULL", of(Err(Error::NO_SPACE))),
                ("PROFRT_BUSY", of(Err(Error::BUSY))),
                ("PROFRT_BUSY", of(Err(Error::VALUES_CHANGED))),
                ("PROFRT_UNFIT", of(Err(Error::OVERFLOW))),
            ] {
                assert_eq!(code, declared(name), "{name}");
            }
        }

        #[test]
        fn the_version_is_that_of_the_crate() {
            let header = include_str!("include/profrt.h");
            let (_, version) = header.split_once("#define PROFRT_VERSION ").unwrap();
            let number: u32 = version.split_whitespace().next().unwrap().parse().unwrap();
            let shown = std::format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100);
            assert_eq!(shown, env!("CARGO_PKG_VERSION"));
        }
    }
}
