//! Values of options.

use super::table::Argument;

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Value {
    /// Of a switch.
    Flag(bool),
    /// A number.
    Number(u64),
    /// Numbers with commas between them.
    Numbers(Vec<u64>),
    /// A string.
    Text(Vec<u8>),
    /// One of several words.
    Choice(&'static str),
}

/// Parses the value of an option. Errors: LLVM's words about it.
pub(super) fn parse(argument: Argument, value: Vec<u8>) -> Result<Value, String> {
    let text = String::from_utf8_lossy(&value);
    match argument {
        Argument::Switch => match text.as_ref() {
            "" | "true" | "TRUE" | "True" | "1" => Ok(Value::Flag(true)),
            "false" | "FALSE" | "False" | "0" => Ok(Value::Flag(false)),
            _ => Err(format!("'{text}' is invalid value for boolean argument! Try 0 or 1")),
        },
        Argument::Uint => {
            let number = number(&text).filter(|number| *number <= u64::from(u32::MAX));
            number.map(Value::Number).ok_or_else(|| format!("'{text}' value invalid for uint argument!"))
        }
        Argument::Ulong => {
            number(&text).map(Value::Number).ok_or_else(|| format!("'{text}' value invalid for ulong argument!"))
        }
        Argument::Ullong => {
            number(&text).map(Value::Number).ok_or_else(|| format!("'{text}' value invalid for ullong argument!"))
        }
        Argument::Uints => {
            let parts = text.split(',').map(|part| {
                let number = number(part).filter(|number| *number <= u64::from(u32::MAX));
                number.ok_or_else(|| format!("'{part}' value invalid for uint argument!"))
            });
            Ok(Value::Numbers(parts.collect::<Result<_, _>>()?))
        }
        Argument::Double => match text.trim_start().parse::<f64>() {
            Ok(_) => Ok(Value::Text(value)),
            Err(_) => Err(format!("'{text}' value invalid for floating point argument!")),
        },
        Argument::Text => Ok(Value::Text(value)),
        Argument::OneOf(words) => match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Value::Choice(word)),
            None => Err(format!("Cannot find option named '{text}'!")),
        },
        // Has no value.
        Argument::Member { .. } => Ok(Value::Flag(true)),
    }
}

/// Returns a number with a C prefix for its radix.
pub(in super::super) fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => (text.get(2..)?, 2),
        [b'0', b'o', ..] => (text.get(2..)?, 8),
        [b'0', digit, ..] if digit.is_ascii_digit() => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_radix() {
        let cases = [
            ("12", Some(12)),
            ("0x1F", Some(31)),
            ("010", Some(8)),
            ("0b11", Some(3)),
            ("0o17", Some(15)),
            ("0", Some(0)),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
        for text in ["", "-1", "+1", "1k", "08", "0x", "18446744073709551616"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
