//! Words for messages, and files with errors that name them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

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

/// An offset or an address both ways, as people look for it with different tools.
pub fn offset(number: u64) -> String {
    if number < 10 { number.to_string() } else { format!("{number} ({number:#x})") }
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

/// The whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read; is the path right?", path.display()))
}

/// A number as people write it: decimal, or hexadecimal behind `0x`.
pub fn number(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is no number; write it like 4096 or 0x1000"))
}

/// The longest time that an option may have: a century.
const LONGEST: f64 = 3.2e9;

/// Reads a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=LONGEST).contains(number));
    number
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is no number of seconds; write it like 5 or 0.5"))
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
    fn numbers() {
        assert_eq!(number("0x2000_0000"), Ok(0x2000_0000));
        assert_eq!(number("4096"), Ok(4096));
        assert!(number("0xzz").unwrap_err().contains("0x1000"));
        assert!(number("").is_err());
    }
}
