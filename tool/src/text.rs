//! Words for messages, those of reports ([`profrt_coverage::text`]) among them, and files with errors that name them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
pub use profrt_coverage::text::*;

/// An offset or an address both ways, as people look for it with different tools.
pub fn offset(number: u64) -> String {
    if number < 10 { number.to_string() } else { format!("{number} ({number:#x})") }
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
    fn numbers() {
        assert_eq!(number("0x2000_0000"), Ok(0x2000_0000));
        assert_eq!(number("4096"), Ok(4096));
        assert!(number("0xzz").unwrap_err().contains("0x1000"));
        assert!(number("").is_err());
    }
}
