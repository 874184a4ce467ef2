//! Parses and expands the pattern in `LLVM_PROFILE_FILE`. Pure: [`SpecifierValues`] has the values of the specifiers.
//!
//! A pattern without any valid specifier is a name as it is, `%` signs included. Otherwise a `%` that begins no valid
//! specifier is dropped with the byte after it. (The official runtime does both.)

use crate::error::Result;
use crate::path::{PathBuf, Text, directory, hex};

/// A token of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// Bytes that go to the name unchanged.
    Literal(&'a [u8]),
    /// `%p`: the process that writes.
    Process,
    /// `%h`: the host's name.
    Host,
    /// `%t`: `$TMPDIR/`.
    TempDir,
    /// `%b`: the image's build id in hex.
    BuildId,
    /// `%m`, or `%`, a number and `m`: a pool of that many files that are merged into. At least 1.
    Merge(u32),
    /// `%c`: continuous mode. Adds nothing to the name, or the default base name where the name would have nothing before its extension.
    Continuous,
}

/// The tokens of a pattern.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    rest: &'a [u8],
    /// The pattern has no valid specifier: all of it is a literal.
    verbatim: bool,
}

/// Splits a pattern into tokens.
pub fn tokens(pattern: &[u8]) -> Tokens<'_> {
    // Most patterns are plain names, and are parsed several times.
    #[allow(clippy::manual_contains, reason = "it is a function of `core` that the archive does not have")]
    let any = pattern.iter().any(|byte| *byte == b'%')
        && Tokens { rest: pattern, verbatim: false }.any(|token| !matches!(token, Token::Literal(_)));
    Tokens { rest: pattern, verbatim: !any }
}

/// Parses the specifier at the start of `bytes` (after the `%`). Returns its token and length. As in the official runtime, the number of
/// files before an `m` has any number of digits, is taken modulo 2^32, and 0 means 1.
fn specifier(bytes: &[u8]) -> Option<(Token<'static>, usize)> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |files: u32, digit: &u8| files.wrapping_mul(10).wrapping_add(u32::from(digit & 15));
    let token = match (bytes.get(digits)?, digits) {
        (b'm', _) => Token::Merge(bytes.iter().take(digits).fold(0, add).max(1)),
        (b'p', 0) => Token::Process,
        (b'h', 0) => Token::Host,
        (b't', 0) => Token::TempDir,
        (b'b', 0) => Token::BuildId,
        (b'c', 0) => Token::Continuous,
        _ => return None,
    };
    Some((token, digits.wrapping_add(1)))
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let percent = if self.verbatim { None } else { self.rest.iter().position(|byte| *byte == b'%') };
            let literal = percent.unwrap_or(self.rest.len());
            if literal > 0 {
                let (bytes, rest) = self.rest.split_at_checked(literal)?;
                self.rest = rest;
                return Some(Token::Literal(bytes));
            }
            let behind = self.rest.get(1..)?;
            if let Some((token, len)) = specifier(behind) {
                self.rest = behind.get(len..)?;
                return Some(token);
            }
            self.rest = behind.get(1..).unwrap_or(&[]);
        }
    }
}

/// An error in a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The pattern has `%m` twice.
    MergeTwice,
    /// The pattern has `%c` twice.
    ContinuousTwice,
    /// The pattern has `%t`, and `TMPDIR` is not set.
    NoTempDir,
    /// The pattern has `%b`, and the image has no build id.
    NoBuildId,
}

/// The values of the specifiers in an image and process.
pub struct SpecifierValues<'a> {
    /// The process id.
    pub process: fn() -> u32,
    /// `$TMPDIR`, if the pattern has `%t`.
    pub temp_dir: &'a [u8],
    /// Returns the build id, which the image has if the pattern has `%b`.
    pub build_id: fn() -> &'static [u8],
    /// The number of the pool file to use; `None`: the process id decides.
    pub member: Option<u32>,
    /// Appends the host's name, or nothing if that is unknown.
    pub host: fn(&mut PathBuf) -> Result,
    /// Returns the signature, which tells this image's profiles from others.
    pub signature: fn() -> u64,
}

/// The properties that a pattern requests besides a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PatternFlags {
    /// The number of files in the pool; 0: no merging.
    pub merge_pool: u32,
    /// Continuous mode.
    pub continuous: bool,
    /// The name has `$TMPDIR`.
    pub temp_dir: bool,
    /// The name has the build id.
    pub build_id: bool,
}

/// Parses the flags of a pattern. Does not check whether `%t` and `%b` have values.
pub fn parse_flags(pattern: &[u8]) -> core::result::Result<PatternFlags, Fault> {
    let mut flags = PatternFlags::default();
    for token in tokens(pattern) {
        match token {
            Token::Merge(_) if flags.merge_pool > 0 => return Err(Fault::MergeTwice),
            Token::Merge(pool) => flags.merge_pool = pool,
            Token::Continuous if flags.continuous => return Err(Fault::ContinuousTwice),
            Token::Continuous => flags.continuous = true,
            Token::TempDir => flags.temp_dir = true,
            Token::BuildId => flags.build_id = true,
            _ => {}
        }
    }
    Ok(flags)
}

/// Writes the expansion of `pattern` into `name`.
pub fn expand(pattern: &[u8], values: &SpecifierValues<'_>, name: &mut PathBuf) -> Result {
    name.clear();
    // The offset of the last `%c` that begins a file's name.
    let mut base = None;
    for token in tokens(pattern) {
        match token {
            Token::Literal(bytes) => name.push(bytes)?,
            Token::Process => name.push_number(u64::from((values.process)()))?,
            Token::Host => (values.host)(name)?,
            Token::TempDir => {
                name.push(values.temp_dir)?;
                name.push(b"/")?;
            }
            Token::BuildId => {
                for byte in (values.build_id)() {
                    name.push(hex(u64::from(*byte)).get(14..).unwrap_or_default())?;
                }
            }
            Token::Merge(pool) => {
                name.push_number((values.signature)())?;
                name.push(b"_")?;
                let member = values.member.unwrap_or_else(|| if pool > 1 { (values.process)() % pool } else { 0 });
                name.push_number(u64::from(member))?;
            }
            Token::Continuous => {
                let start = name.as_bytes().len();
                base = Some(start).filter(|start| directory(name.as_bytes()).len() == *start);
            }
        }
    }
    // Without a base name, `%c` would expand to an empty name, and `%c.profraw` to a hidden file.
    match base.and_then(|base| Some((base, name.as_bytes().get(base..)?))) {
        Some((base, b"")) => name.insert(base, b"default.profraw"),
        Some((base, [b'.', ..])) => name.insert(base, b"default"),
        _ => Ok(()),
    }
}

/// Inserts `-NUMBER` before the extension of a name, or at its end.
pub fn add_number(name: &mut PathBuf, number: u64) -> Result {
    let mut text = Text::<24>::new();
    text.push(b"-")?;
    text.push_number(number)?;
    let bytes = name.as_bytes();
    let file = directory(bytes).len();
    // A dot at the start of the name begins no extension.
    let dot = bytes.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > file);
    name.insert(dot.unwrap_or(bytes.len()), text.as_bytes())
}

#[cfg(test)]
mod tests;
