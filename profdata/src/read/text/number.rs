//! Numbers of the text form.

/// Returns the number that a line of decimal digits stands for.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    of_radix(digits, 10)
}

/// Returns the number that a line stands for: decimal, or with the prefix `0x`, `0X`, `0b`, `0B`, `0o` or `0`.
pub(super) fn any_radix(text: &[u8]) -> Option<u64> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => of_radix(digits, 16),
        [b'0', b'b' | b'B', digits @ ..] => of_radix(digits, 2),
        [b'0', b'o', digits @ ..] => of_radix(digits, 8),
        [b'0', digits @ ..] if digits.first().is_some_and(u8::is_ascii_digit) => of_radix(digits, 8),
        digits => of_radix(digits, 10),
    }
}

fn of_radix(digits: &[u8], radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        number.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_radix_has_its_prefix() {
        let numbers = ["16", "0x10", "0X1f", "0b11", "0B1", "0o17", "017", "0", "18446744073709551615"];
        let values = [16, 16, 31, 3, 1, 15, 15, 0, u64::MAX];
        assert!(numbers.iter().zip(values).all(|(text, value)| any_radix(text.as_bytes()) == Some(value)));
        for text in ["", "0x", "0O1", "09", "-1", "+1", "1 ", "18446744073709551616", "0b2"] {
            assert_eq!(any_radix(text.as_bytes()), None, "{text}");
        }
        assert_eq!(decimal(b"007"), Some(7));
        assert_eq!(decimal(b"0x5"), None);
    }
}
