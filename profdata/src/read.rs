//! Readers: bytes to records.

pub mod detect;
pub mod indexed;
pub mod names;
pub mod raw;
pub mod text;

use crate::error::{Error, ErrorKind};
use crate::release::Release;
use crate::sink::Sink;
pub(crate) use detect::{Detected, detect};

pub use crate::summary::{Cutoff, Summary};
pub use indexed::{Lookup, Summaries};
pub use raw::Correlation;

/// How to read an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// Take what is complete of a damaged input, with a finding for each loss. Otherwise the first damage is an error, as for `llvm-profdata`; what
    /// stands before it has been delivered, and of raw profiles with a counter above [`raw::LARGEST_COUNTER`] all else, too.
    pub salvage: bool,
    /// Refuse what `llvm-profdata` of this release refuses. `None`: read all versions.
    pub release: Option<Release>,
    /// Where to find the records and names that raw profiles lack ([`ObjectFiles`](crate::correlate) have them).
    pub correlation: Option<&'a dyn Correlation>,
}

impl ReadOptions<'_> {
    /// Returns the options that deliver as much as possible.
    pub fn salvage() -> ReadOptions<'static> {
        ReadOptions { salvage: true, ..ReadOptions::default() }
    }
}

/// Reads an input of any format but a partial result, which is read by merging it ([`crate::read`]).
pub(crate) fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "input"));
    }
    let Some(detected) = detect(bytes) else {
        let start = bytes.get(..16).unwrap_or(bytes);
        let found = format_args!("\"{}\"", start.escape_ascii()).to_string();
        return Err(Error::new(ErrorKind::Unrecognized, "magic").at(0u64).found(found));
    };
    match detected {
        Detected::Text => text::read(bytes, options, sink),
        Detected::Raw(_) => raw::read(bytes, options, sink),
        Detected::Indexed => indexed::read(bytes, options, sink),
        Detected::Sample(_) => Err(unreadable(ErrorKind::SampleProfile, detected)),
        Detected::RawMemProf(_) | Detected::MemProfYaml => Err(unreadable(ErrorKind::RawMemProf, detected)),
        Detected::Partial | Detected::Elf | Detected::Archive(_) => Err(unreadable(ErrorKind::Unrecognized, detected)),
    }
}

#[cold]
fn unreadable(kind: ErrorKind, detected: Detected) -> Error {
    Error::new(kind, "magic").at(0u64).expected("a raw, indexed, text or partial profile").found(detected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn an_error_says_what_the_input_is() {
        let error = |bytes: &[u8]| read(bytes, &ReadOptions::default(), &mut Profile::new()).unwrap_err();
        assert_eq!(error(b"").kind(), ErrorKind::Empty);
        assert_eq!(error(b"main:184019:0\n 4: 534\n").kind(), ErrorKind::SampleProfile);
        assert_eq!(error(b"\x81rforpm\xff").kind(), ErrorKind::RawMemProf);
        let expected =
            "magic at byte 0: not a profile; expected a raw, indexed, text or partial profile; found an ELF file";
        assert_eq!(error(b"\x7fELF\x02\x01\x01").to_string(), expected);
        assert_eq!(error(b"\x00\x01").to_string(), "magic at byte 0: not a profile; found \"\\x00\\x01\"");
    }

    #[test]
    fn text_is_read() {
        let mut profile = Profile::new();
        read(b":ir\nfoo\n1\n1\n7\n", &ReadOptions::default(), &mut profile).unwrap();
        assert_eq!(profile.record(0).unwrap().counters, [7]);
    }
}
