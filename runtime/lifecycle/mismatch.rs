//! What is said when the program was instrumented for another raw version than this archive's.

use crate::format::RawVersion;
use crate::report::{Grade, print};

/// Says what does not fit and what to link instead.
pub fn explain(found: u8) {
    let built = RawVersion::BUILT;
    let names = |version: RawVersion| -> &'static [u8] {
        match version {
            RawVersion::V8 => b"8",
            RawVersion::V9 => b"9",
            RawVersion::V10 => b"10",
            RawVersion::V11 => b"11",
        }
    };
    let (name, emitters): (&[u8], &[u8]) = match RawVersion::from_number(u64::from(found)) {
        Some(found) => (names(found), found.emitters().as_bytes()),
        None => (b"unknown", b"another compiler"),
    };
    let parts: [&[u8]; 12] = [
        b"Runtime and instrumentation version mismatch: the program is instrumented for raw version ",
        name,
        b" (",
        emitters,
        b"), this runtime writes raw version ",
        names(built),
        b" (",
        built.emitters().as_bytes(),
        b"). No profile is written: link the libprofrt.a of raw version ",
        name,
        b", from raw-",
        name,
    ];
    print(Grade::Error, &parts);
}
