//! Where reading goes on after a record that cannot be read.

use crate::read::text::lines::{Line, Lines};
use crate::read::text::number;

/// Returns the lines after the record whose name is the line `name`.
///
/// A writer ends each record with a blank line, but also each bitmap. Therefore the next record begins after a blank line only where the
/// line that follows is not a number.
pub(super) fn after<'a>(lines: &Lines<'a>, name: Line<'a>) -> Lines<'a> {
    let mut lines = lines.after(name);
    let mut blank = false;
    loop {
        let before = lines.clone();
        match lines.next_of_any_kind() {
            None => return lines,
            Some(line) if line.bytes.is_empty() => blank = true,
            Some(line) if line.bytes.first() == Some(&b'#') => (),
            Some(line) if blank && !is_number(line) => return before,
            Some(_) => blank = false,
        }
    }
}

/// Returns whether a line is a number anywhere in a record. A count such as `09` is no number of another radix; taken for a name, it would
/// be read again as the count that it is by each record before it.
fn is_number(line: Line<'_>) -> bool {
    number::any_radix(line.bytes).is_some() || number::decimal(line.bytes).is_some()
}
