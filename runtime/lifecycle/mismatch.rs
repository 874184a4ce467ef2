//! Messages about programs that were instrumented for another raw version than this archive's, or in two ways at once.

use crate::format::{RawVersion, Variant};
use crate::native::RAW_VERSION;
use crate::path::Text;
use crate::report::{Grade, print};
use crate::sections::variables;

/// Reports that the version variable is wrong about the size of counters. All objects of an image share the variable, and the linker keeps
/// the first one; objects for plain `-fprofile-instr-generate` have none, and use that of the others.
fn explain_kinds() {
    let bytes = Variant(variables::raw_version()).counter_size() == 1;
    let (said, found): (&[u8], &[u8]) = if bytes { (b"1 byte", b"8 bytes") } else { (b"8 bytes", b"1 byte") };
    let parts: [&[u8]; 5] = [
        b"Runtime and instrumentation mismatch: __llvm_profile_raw_version says that each counter has ",
        said,
        b", and functions have counters of ",
        found,
        b". No profile is written: the objects of a program or shared library share this variable, so compile all of them with the same kind \
          of instrumentation (all or none for single-byte coverage).",
    ];
    print(Grade::Error, &parts);
}

/// Reports the mismatch and the archive to link instead. `found` is the version of the records: 0 where it is unknown, and this archive's
/// version where their counters have another size than the version variable specifies.
pub fn explain(found: u8) {
    if u64::from(found) == RAW_VERSION.number() {
        return explain_kinds();
    }
    let (mut name, mut built) = (Text::<24>::new(), Text::<24>::new());
    let _ = name.push_number(u64::from(found)).and_then(|()| built.push_number(RAW_VERSION.number()));
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
        built.as_bytes(),
        b" (",
        RAW_VERSION.emitters().as_bytes(),
        b"). No profile is written",
        if known.is_some() { b": link the libprofrt.a of raw version " } else { b"." },
        // Printed only if there is such an archive.
        name.as_bytes(),
        b", from raw-",
        name.as_bytes(),
    ];
    let said = if known.is_some() { parts.len() } else { 10 };
    print(Grade::Error, parts.get(..said).unwrap_or(&parts));
}
