//! Parses and expands the pattern in `LLVM_PROFILE_FILE`. Pure: [`SpecifierValues`] has the values of the specifiers.
//!
//! A pattern without any valid specifier is a name as it is, `%` signs included. Otherwise a `%` that begins no valid
//! specifier is dropped with the byte after it. (The official runtime does both.)

use crate::error::Result;
use crate::path::{PathBuf, directory, hex, until};

/// A part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// Bytes that go to the name unchanged.
    pub literal: &'a [u8],
    /// The letter of the specifier behind them; 0: none.
    ///
    /// - `%p`: the process that writes
    /// - `%h`: the host's name
    /// - `%t`: `$TMPDIR/`
    /// - `%b`: the image's build id in hex
    /// - `%m`, or `%`, a number and `m`: a pool of that many files that are merged into
    /// - `%c`: continuous mode. Adds nothing to the name, or the default base name where the name would have nothing before its extension.
    pub specifier: u8,
    /// The number of files of `%m`, at least 1.
    pub files: u32,
}

/// Removes the first token of a pattern, and returns it. As in the official runtime, the number of files before an `m` has any number of digits, is
/// taken modulo 2^32, and 0 means 1.
#[inline(never)]
fn next<'a>(rest: &mut &'a [u8]) -> Token<'a> {
    let literal = until(rest, b'%');
    let (mut files, mut digits) = (0u32, 0usize);
    while let Some(digit @ b'0'..=b'9') = rest.get(digits) {
        files = files.wrapping_mul(10).wrapping_add(u32::from(digit & 15));
        digits = digits.wrapping_add(1);
    }
    let letter = rest.get(digits).copied().unwrap_or(0);
    let valid = letter == b'm' || digits == 0 && matches!(letter, b'p' | b'h' | b't' | b'b' | b'c');
    let (specifier, len) = if valid { (letter, digits.wrapping_add(1)) } else { (0, 1) };
    *rest = rest.get(len..).unwrap_or_default();
    Token { literal, specifier, files: files.max(1) }
}

/// An error in a pattern: the message about it, in which `@` is the pattern.
pub type Fault = &'static [u8];

/// The pattern has `%m` twice.
pub const MERGE_TWICE: Fault = b"%m specifier can only be specified once in @.";
/// The pattern has `%c` twice.
pub const CONTINUOUS_TWICE: Fault = b"%c specifier can only be specified once in @.";
/// The pattern has `%t`, and `TMPDIR` is not set.
pub const NO_TEMP_DIR: Fault =
    b"Unable to get the TMPDIR environment variable, referenced in @. Using the default path.";
/// The pattern has `%b`, and the image has no build id.
pub const NO_BUILD_ID: Fault = b"Unable to get binary ID for filename pattern @. Using the default name.";

/// The values of the specifiers in an image and process.
pub trait SpecifierValues {
    /// Returns the process id.
    fn process(&self) -> u32;
    /// Returns `$TMPDIR`, if the pattern has `%t`.
    fn temp_dir(&self) -> &[u8];
    /// Returns the build id, which the image has if the pattern has `%b`.
    fn build_id(&self) -> &[u8];
    /// Appends the host's name, or nothing if that is unknown.
    fn push_host(&self, name: &mut PathBuf) -> Result;
    /// Returns the signature, which tells this image's profiles from others.
    fn signature(&self) -> u64;
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
    /// The pattern has a specifier.
    pub expands: bool,
}

/// Parses the flags of a pattern. Does not check whether `%t` and `%b` have values.
pub fn parse_flags(mut pattern: &[u8], flags: &mut PatternFlags) -> core::result::Result<(), Fault> {
    *flags = PatternFlags::default();
    while !pattern.is_empty() {
        let Token { specifier, files, .. } = next(&mut pattern);
        if specifier != 0 {
            flags.expands = true;
        }
        match specifier {
            b'm' if flags.merge_pool > 0 => return Err(MERGE_TWICE),
            b'm' => flags.merge_pool = files,
            b'c' if flags.continuous => return Err(CONTINUOUS_TWICE),
            b'c' => flags.continuous = true,
            b't' => flags.temp_dir = true,
            b'b' => flags.build_id = true,
            _ => {}
        }
    }
    Ok(())
}

/// Writes the expansion of `pattern`, which has a specifier, into `name`. `member`: the number of the pool file; `None`: the process id decides.
pub fn expand(mut pattern: &[u8], values: &impl SpecifierValues, member: Option<u32>, name: &mut PathBuf) -> Result {
    name.clear();
    // The offset of the last `%c` that begins a file's name.
    let mut base = usize::MAX;
    while !pattern.is_empty() {
        let Token { literal, specifier, files } = next(&mut pattern);
        name.push(literal)?;
        match specifier {
            b'p' => name.push_number(u64::from(values.process()))?,
            b'h' => values.push_host(name)?,
            b't' => {
                name.push(values.temp_dir())?;
                name.push(b"/")?;
            }
            b'b' => {
                for byte in values.build_id() {
                    name.push(hex(u64::from(*byte)).get(14..).unwrap_or_default())?;
                }
            }
            b'm' => {
                name.push_number(values.signature())?;
                name.push(b"_")?;
                let member = member.unwrap_or_else(|| if files > 1 { values.process() % files } else { 0 });
                name.push_number(u64::from(member))?;
            }
            b'c' => {
                let name = name.as_bytes();
                base = if directory(name).len() == name.len() { name.len() } else { usize::MAX };
            }
            _ => {}
        }
    }
    // Without a base name, `%c` would expand to an empty name, and `%c.profraw` to a hidden file.
    match name.as_bytes().get(base..) {
        Some([]) => name.push(b"default.profraw"),
        Some([b'.', ..]) => name.insert(base, b"default"),
        _ => Ok(()),
    }
}

/// Inserts `-NUMBER` before the extension of a name, or at its end.
pub fn add_number(name: &mut PathBuf, number: u64) -> Result {
    let bytes = name.as_bytes();
    let file = directory(bytes).len();
    // A dot at the start of the name begins no extension.
    let dot = bytes.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > file);
    let at = dot.unwrap_or(bytes.len());
    name.insert_number(at, number)?;
    name.insert(at, b"-")
}

#[cfg(test)]
mod tests;
