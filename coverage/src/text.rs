//! Words and numbers in reports and messages.

use std::path::Path;

/// `1 function`, `2 functions`.
pub fn many(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", exact(number)) }
}

/// Returns a number with commas between groups of three digits.
pub fn exact(number: impl Into<u128>) -> String {
    let number: u128 = number.into();
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a share of a whole in percent. All but everything is below 100 %, and all but nothing above 0 %.
pub fn percent(part: impl Into<u128>, whole: impl Into<u128>) -> String {
    let (part, whole): (u128, u128) = (part.into(), whole.into());
    if whole == 0 || part == whole {
        return "100 %".into();
    }
    if part == 0 {
        return "0 %".into();
    }
    let (part, whole) = reduced(part, whole);
    let hundredths = (part * 10_000 / whole).min(9_999);
    if hundredths == 0 {
        return "< 0.01 %".into();
    }
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// Returns two numbers in the same proportion, small enough to be multiplied by a million.
fn reduced(part: u128, whole: u128) -> (u128, u128) {
    const BITS: u32 = 100;
    let used = u128::BITS - part.max(whole).leading_zeros();
    let shift = used.saturating_sub(BITS);
    (part >> shift, whole >> shift)
}

/// Returns a path as messages and reports have it ([`printable_bytes`]).
pub fn display(path: &Path) -> String {
    printable_bytes(path.as_os_str().as_encoded_bytes())
}

/// Returns bytes as a text ([`printable`]). Those that are not UTF-8 are escaped as `\xff`, so that names that differ stay different.
pub fn printable_bytes(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += &printable(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Returns a text with those characters escaped that could change what a terminal shows of the others: control characters, and invisible
/// ones, of which some change the direction of a line.
pub fn printable(text: &str) -> String {
    // Most have nothing else.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Returns whether a character is a separator of lines, or of the Unicode category Cf.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let numbers = [0u64, 7, 999, 1000, 1_234_567].map(exact);
        assert_eq!(numbers, ["0", "7", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn no_loss_is_rounded_away() {
        assert_eq!(percent(1_000_000_000u64, 1_000_000_001u64), "99.99 %");
        assert_eq!(percent(1u8, u64::MAX), "< 0.01 %");
        assert_eq!(percent(2u8, 3u8), "66.66 %");
        assert_eq!(percent(0u8, 0u8), "100 %");
        assert_eq!(percent(u128::MAX / 4, u128::MAX), "24.99 %");
        assert_eq!(percent(u128::MAX - 1, u128::MAX), "99.99 %");
    }
}
