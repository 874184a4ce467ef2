//! What is said when the program was instrumented for another raw version than this archive's.

use crate::format::RawVersion;
use crate::path::Text;
use crate::report::{Grade, print};

/// The number of this archive's version.
const BUILT: &str = match RawVersion::BUILT {
    RawVersion::V8 => "8",
    RawVersion::V9 => "9",
    RawVersion::V10 => "10",
    RawVersion::V11 => "11",
};

/// Says what does not fit and what to link instead. `found` is 0 where the records are of no version that we know.
pub fn explain(found: u8) {
    let mut name = Text::<24>::new();
    let _ = name.push_number(u64::from(found));
    let known = RawVersion::from_number(u64::from(found));
    let emitters: &[u8] = match known {
        Some(known) => known.emitters().as_bytes(),
        None if found == 0 => b"no clang from 14 to 23",
        None => b"none that this profrt has an archive for",
    };
    let parts: [&[u8]; 13] = [
        b"Runtime and instrumentation version mismatch: the program is instrumented for raw version ",
        if found == 0 { b"unknown" } else { name.as_bytes() },
        b" (",
        emitters,
        b"), this runtime writes raw version ",
        BUILT.as_bytes(),
        b" (",
        RawVersion::BUILT.emitters().as_bytes(),
        b"). No profile is written",
        if known.is_some() { b": link the libprofrt.a of raw version " } else { b"." },
        // Where there is such an archive.
        name.as_bytes(),
        b", from raw-",
        name.as_bytes(),
    ];
    let said = if known.is_some() { parts.len() } else { 10 };
    print(Grade::Error, parts.get(..said).unwrap_or(&parts));
}
