//! Compressed data in the text of a page.
//!
//! Base64 would make it a third larger. Here each character has 7 bits; what may not stand in a script element (NUL, carriage return, `<`) is
//! written as the character 128 above it, which takes two bytes. `tool/templates/page/block.js` reads it: `code & 127`.

use std::io::Write as _;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Returns a text, deflated (RFC 1951), as characters.
pub(crate) fn block(text: &[u8]) -> Result<String> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    let deflated = deflate.write_all(text).and_then(|()| deflate.finish()).context("data cannot be compressed")?;
    Ok(characters(&deflated))
}

/// Returns bytes as characters of 7 bits, the first bits first.
fn characters(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 5 + 1);
    let mut push = |bits: u32| {
        let code = (bits & 127) as u8;
        text.push(char::from(if matches!(code, 0 | b'\r' | b'<') { code | 128 } else { code }));
    };
    let (mut bits, mut number) = (0u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        number += 8;
        while number >= 7 {
            number -= 7;
            push(bits >> number);
        }
    }
    if number > 0 {
        push(bits << (7 - number));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the page reads it.
    fn bytes(text: &str) -> Vec<u8> {
        let bits: String = text.chars().map(|c| format!("{:07b}", c as u32 & 127)).collect();
        let whole = bits.as_bytes().chunks_exact(8);
        whole.map(|byte| u8::from_str_radix(str::from_utf8(byte).unwrap(), 2).unwrap()).collect()
    }

    #[test]
    fn all_bytes_survive_and_nothing_ends_the_script() {
        let all: Vec<u8> = (0..=255).chain([b'<'; 9]).chain([0; 9]).collect();
        for length in 0..all.len() {
            let text = characters(&all[..length]);
            assert!(!text.contains(['\0', '\r', '<']));
            assert_eq!(bytes(&text), all[..length]);
        }
    }

    #[test]
    fn random_data_grow_by_a_sixth() {
        let mut random = fastrand::Rng::with_seed(7);
        let data: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(1 << 16).collect();
        let grown = characters(&data).len() as f64 / data.len() as f64;
        assert!(grown < 1.18, "{grown}");
    }
}
