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
        let header = include_str!("../include/profrt.h");
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
        let header = include_str!("../include/profrt.h");
        let (_, version) = header.split_once("#define PROFRT_VERSION ").unwrap();
        let number: u32 = version.split_whitespace().next().unwrap().parse().unwrap();
        let shown = std::format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100);
        assert_eq!(shown, env!("CARGO_PKG_VERSION"));
    }
}
