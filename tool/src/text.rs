//! Words for messages, and files with errors that name them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::output::{publish, unwritable};

/// `1 function`, `2 functions`.
pub fn many(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// An offset or an address both ways, as people look for it with different tools.
pub fn offset(number: u64) -> String {
    if number < 10 { number.to_string() } else { format!("{number} ({number:#x})") }
}

/// The whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read; is the path right?", path.display()))
}

/// Writes a file whole or not at all, by the rules of [`publish`]: what a link leads to is replaced, and `-` is standard output.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    publish(path, |out| out.write_all(bytes).map_err(|error| unwritable(path, error)))
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
