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
        let (mut name, mut built) = (Text::<24>::new(), Text::<24>::new());
        let _ = name.push_number(u64::from(found)).and_then(|()| built.push_number(RAW_VERSION.number()));
        let known = RawVersion::from_number(u64::from(found));
        let emitters: &[u8] = match known {
            Some(known) => known.emitters().as_bytes(),
            None if found == 0 => b"no clang that this profrt knows",
            None => b"none that this profrt has an archive for",
        };
        let archive = if known.is_some() { name.as_bytes() } else { b"" };
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
            archive,
            if known.is_some() { b", from raw-" } else { b"" },
            archive,
        ];
        print(Grade::Error, &parts);
    }
}
