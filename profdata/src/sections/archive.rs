//! Archives of `ar`, in the forms of GNU, BSD and Windows. The names of members do not matter: nothing looks for them in the table of long names,
//! which takes long in hostile files.

use std::str::FromStr;

use object::ReadRef;

use super::part::Part;
use super::unreadable;
use crate::error::Error;

const HEADER: u64 = 60;

/// Returns the members of an archive but its tables; `None`: it is none. Errors: it refers to files beside it.
pub(super) fn members<'a, F: ReadRef<'a>>(
    file: Part<F>,
) -> Result<Option<impl Iterator<Item = Result<Part<F>, Error>>>, Error> {
    match file.read_bytes_at(0, 8) {
        Ok(b"!<arch>\n") => {}
        Ok(b"!<thin>\n") => {
            return Err(unreadable("archive").expected("the members in the archive").found("a thin archive"));
        }
        _ => return Ok(None),
    }
    let mut at = 8;
    let next = move || {
        (at < file.size).then(|| {
            let next = member(file, &mut at).ok_or_else(|| unreadable("archive").at(at).found("a cut member"));
            at = if next.is_ok() { at } else { file.size };
            next
        })
    };
    Ok(Some(std::iter::from_fn(next).filter_map(Result::transpose)))
}

/// Returns the member whose header is there, and `at` behind it; `None` in it: it is a table.
fn member<'a, F: ReadRef<'a>>(file: Part<F>, at: &mut u64) -> Option<Option<Part<F>>> {
    let header = file.read_bytes_at(*at, HEADER).ok().filter(|header| header.ends_with(b"`\n"))?;
    let (mut name, mut start) = (header.get(..16)?, at.checked_add(HEADER)?);
    let mut size: u64 = number(header.get(48..58)?)?;
    // The last byte of a file may be missing.
    *at = start.checked_add(size)?.checked_next_multiple_of(2)?;
    if let Some(len) = name.strip_prefix(b"#1/").and_then(number) {
        name = file.read_bytes_at(start, len).ok()?;
        (start, size) = (start.checked_add(len)?, size.checked_sub(len)?);
    }
    let is_table = name.starts_with(b"__.SYMDEF") || matches!(name, [b'/', second, ..] if !second.is_ascii_digit());
    let part = file.part(start, size)?;
    Some((!is_table).then_some(part))
}

fn number<N: FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.trim_end().parse().ok()
}
