//! Where the next profile of a file begins.

use profrt_format::Encoding;
use profrt_format::header::magic;

use super::RawFile;
use crate::error::{Error, ErrorKind};

/// Returns the offset in the input of the profile after the first `at` bytes, of which `file` is the last profile; `None` if there is none.
///
/// Errors: what is there is no profile.
pub(super) fn next_profile(input: &[u8], at: usize, file: &RawFile<'_>) -> Result<Option<usize>, Error> {
    let rest = input.get(at..).unwrap_or(&[]);
    let Some(zeros) = rest.iter().position(|byte| *byte != 0) else { return Ok(None) };
    let at = at.saturating_add(zeros);
    let rest = input.get(at..).unwrap_or(&[]);
    let malformed = || Error::new(ErrorKind::Malformed, "Header").at(at as u64);
    let header = file.plan().version().header_words().saturating_mul(8);
    if rest.len() < header {
        return Err(malformed().expected(format_args!("{header} bytes")).found(format_args!("{} bytes", rest.len())));
    }
    if !at.is_multiple_of(8) {
        return Err(malformed().expected("a multiple of 8 as offset").found(at));
    }
    if !rest.starts_with(&magic_of(file.encoding())) {
        let found = rest.first_chunk::<8>().map_or(&[][..], |bytes| bytes).escape_ascii();
        let error = Error::new(ErrorKind::Malformed, "Magic").at(at as u64);
        return Err(error.expected("another profile, or the end").found(format_args!("\"{found}\"")));
    }
    Ok(Some(at))
}

/// Returns the offset in the input of the first header after that of `file`, wherever it is, in the bytes of `file` or after them.
pub(super) fn search(input: &[u8], file: &RawFile<'_>) -> Option<usize> {
    let from = usize::try_from(file.start()).ok()?.checked_add(8)?;
    let rest = input.get(from..)?;
    let magic = magic_of(file.encoding());
    memchr::memmem::find_iter(rest, &magic)
        .filter_map(|found| from.checked_add(found))
        .find(|at| RawFile::parse_cut(input, *at).is_ok())
}

fn magic_of(encoding: Encoding) -> [u8; 8] {
    encoding.u64_bytes(magic(encoding.word))
}
