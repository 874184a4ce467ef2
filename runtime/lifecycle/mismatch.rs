//! What is said when the program was instrumented for another raw version than this archive's.

use crate::format::RawVersion;
use crate::path::Text;
use crate::report::{Grade, print};

/// Says what does not fit and what to link instead. `found` is 0 where the records are of no version that we know.
pub fn explain(found: u8) {
    let built = number(RawVersion::BUILT.number());
    let built_by = RawVersion::BUILT.emitters().as_bytes();
    let name = number(u64::from(found));
    let (name, emitters, remedy): (&[u8], &[u8], [&[u8]; 4]) = match RawVersion::from_number(u64::from(found)) {
        Some(known) => (
            name.as_bytes(),
            known.emitters().as_bytes(),
            [b": link the libprofrt.a of raw version ", name.as_bytes(), b", from raw-", name.as_bytes()],
        ),
        None if found == 0 => (b"unknown", b"no clang from 14 to 23", [b".", b"", b"", b""]),
        None => (name.as_bytes(), b"none that this profrt has an archive for", [b".", b"", b"", b""]),
    };
    let parts: [&[u8]; 13] = [
        b"Runtime and instrumentation version mismatch: the program is instrumented for raw version ",
        name,
        b" (",
        emitters,
        b"), this runtime writes raw version ",
        built.as_bytes(),
        b" (",
        built_by,
        b"). No profile is written",
        remedy[0],
        remedy[1],
        remedy[2],
        remedy[3],
    ];
    print(Grade::Error, &parts);
}

/// A number as text; those of versions are short.
fn number(version: u64) -> Text<24> {
    let mut text = Text::new();
    let _ = text.push_number(version);
    text
}
