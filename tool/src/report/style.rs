//! Numbers and colors. Colors are removed where standard error is no terminal, or where the environment asks for it (`NO_COLOR`, `TERM=dumb`).

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use anstyle::{AnsiColor, Style};
use anyhow::{Context, Result};

/// What is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What needs a look.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// What is lost or wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Headings.
pub const HEADING: Style = Style::new().bold();

/// Writes a text in a style.
pub struct Styled<T>(pub Style, pub T);

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Styled(style, text) = self;
        write!(f, "{style}{text}{style:#}")
    }
}

/// Writes a text to standard output, without colors where that is no terminal. A reader that has seen enough (`head`) is no error.
///
/// Errors: those of the system.
pub fn print(text: &str) -> Result<()> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("standard output cannot be written"),
    }
}

/// Returns a share of a whole in percent, for machines; of nothing, nothing.
pub fn share(part: impl Into<u128>, whole: impl Into<u128>) -> f64 {
    let (part, whole): (u128, u128) = (part.into(), whole.into());
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// A share that a user has asked for: `95%`, `99.9%`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Share {
    /// Parts in a million.
    pub millionths: u32,
}

impl Share {
    /// Everything.
    pub const ALL: Share = Share { millionths: 1_000_000 };

    /// Returns whether `part` of `whole` is at least this share; of nothing, everything is.
    pub fn is_kept(self, part: impl Into<u128>, whole: impl Into<u128>) -> bool {
        let (part, whole) = (part.into(), whole.into());
        let rest = Share { millionths: Share::ALL.millionths.saturating_sub(self.millionths) };
        part >= whole - rest.of(whole)
    }

    /// Returns whether `part` of `whole` is more than this share; of nothing, nothing is.
    pub fn is_exceeded(self, part: u64, whole: u64) -> bool {
        u128::from(part) > self.of(whole.into())
    }

    /// Returns the share of a number, rounded down.
    pub fn of(self, whole: u128) -> u128 {
        let (millionths, rest) = (u128::from(self.millionths), whole % 1_000_000);
        whole / 1_000_000 * millionths + rest * millionths / 1_000_000
    }
}

impl Default for Share {
    fn default() -> Share {
        Share::ALL
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Share, String> {
        let wrong = || format!("`{text}` is no share; write it like 95% or 99.9%");
        let number = text.trim().strip_suffix('%').ok_or_else(wrong)?.trim_end();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > 4 {
            return Err(wrong());
        }
        let whole: u32 = whole.parse().map_err(|_| wrong())?;
        let fraction: u32 = format!("{fraction:0<4}").parse().map_err(|_| wrong())?;
        let millionths = whole.checked_mul(10_000).and_then(|whole| whole.checked_add(fraction)).ok_or_else(wrong)?;
        if millionths > Share::ALL.millionths { Err(wrong()) } else { Ok(Share { millionths }) }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.millionths / 10_000, self.millionths % 10_000);
        match fraction {
            0 => write!(f, "{whole}%"),
            _ => write!(f, "{whole}.{}%", format!("{fraction:04}").trim_end_matches('0')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_large_numbers() {
        let whole = u128::MAX;
        let half = Share { millionths: 500_000 };
        assert!(half.is_kept(whole / 2 + 1, whole) && !half.is_kept(whole / 4, whole));
        assert!(Share::ALL.is_kept(whole, whole) && !Share::ALL.is_kept(whole - 1, whole));
        assert_eq!((half.of(whole), half.of(7), Share::ALL.of(whole)), (whole / 2, 3, whole));
    }

    #[test]
    fn shares() {
        let share = |text: &str| text.parse::<Share>().map(|share| share.millionths).ok();
        assert_eq!(share("95%"), Some(950_000));
        assert_eq!(share("99.9 %"), Some(999_000));
        assert_eq!(share("100%"), Some(1_000_000));
        for wrong in ["95", "101%", "-1%", "%", "a%", "1.23456%", ".5%", "99999999999%"] {
            assert_eq!(share(wrong), None, "{wrong}");
        }
        let half = Share { millionths: 500_000 };
        assert!(half.is_kept(1u8, 2u8) && !half.is_kept(1u8, 3u8) && half.is_kept(0u8, 0u8));
        assert!(!half.is_exceeded(1, 2) && half.is_exceeded(2, 3) && !half.is_exceeded(0, 0));
        assert_eq!("99.5%".parse::<Share>().unwrap().to_string(), "99.5%");
    }
}
