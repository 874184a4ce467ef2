//! Words for messages, and files with errors that name them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

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

/// Writes a file whole or not at all: a reader sees the old one or the new one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let written = if special {
        fs::write(path, bytes)
    } else {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let beside = path.with_file_name(name);
        fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    };
    written.with_context(|| {
        format!("{} cannot be written; choose another place with --output, or make room there", path.display())
    })
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
