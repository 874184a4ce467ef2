//! From the start of a program to its exit: when the profile file is written, and the messages about failures.
//!
//! | when | modules |
//! | --- | --- |
//! | at the start, at exit, at a reset | `start`, `value_limits` |
//! | at calls of the program | `api`, `heap`, `side_files`, `program_stream` (a stream in the file's place) |
//! | at writes | `write`, `content`, `mismatch` (the message) |
//! | at forks and signals | `fork`, `signals` |

pub mod api;
pub mod content;
pub mod fork;
pub mod heap;
pub mod program_stream;
pub mod side_files;
pub mod signals;
pub mod start;
pub mod value_limits;
pub mod write;

pub mod mismatch {
    //! Messages about programs that were instrumented for another raw version than this archive's, or in two ways at once.

    use crate::format::RawVersion;
    use crate::native::RAW_VERSION;
    use crate::path::Text;
    use crate::report::{Grade, print, say};

    /// Reports the mismatch and the archive to link instead. `found` is the version of the records: 0 where it is unknown, and this archive's
    /// version where their counters have one byte, and the version variable says eight.
    pub fn explain(found: u8) {
        if u64::from(found) == RAW_VERSION.number() {
            // All objects of an image share the variable, and the linker keeps the first one; objects for plain `-fprofile-instr-generate` have none.
            return say(
                Grade::Error,
                b"Runtime and instrumentation mismatch: __llvm_profile_raw_version says that each counter has 8 bytes, and functions have counters \
                  of 1 byte. No profile is written: the objects of a program or shared library share this variable, so compile all of them with the \
                  same kind of instrumentation (all or none for single-byte coverage).",
            );
        }
        let mut number = Text::<24>::new();
        let _ = number.push_number(u64::from(found));
        let number = number.as_bytes();
        let (version, emitters): (&[u8], &[u8]) = match RawVersion::from_number(u64::from(found)) {
            Some(known) => (known.described().as_bytes(), b""),
            None if found == 0 => (b"unknown", b" (no clang that this profrt knows)"),
            None => (number, b" (none that this profrt has an archive for)"),
        };
        let link = emitters.is_empty();
        let parts: [&[u8]; 9] = [
            b"Runtime and instrumentation version mismatch: the program is instrumented for raw version ",
            version,
            emitters,
            b", this runtime writes raw version ",
            RAW_VERSION.described().as_bytes(),
            if link {
                b". No profile is written: link the libprofrt.a of raw version "
            } else {
                b". No profile is written."
            },
            number,
            b", from raw-",
            number,
        ];
        print(Grade::Error, parts.get(..if link { 9 } else { 6 }).unwrap_or_default());
    }
}
