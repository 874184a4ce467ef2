//! What an input is, by its first bytes.

use derive_more::Display;
use profrt_format::{Encoding, Endian, WordSize, header};

use crate::leb128;
use crate::read::indexed;

/// The first bytes of a partial result.
pub(crate) const PARTIAL: [u8; 8] = *b"\xffprofpt\x81";

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[non_exhaustive]
pub enum Detected {
    /// A raw profile of any version.
    #[display("a raw profile")]
    Raw(Encoding),
    /// An indexed profile.
    #[display("an indexed profile")]
    Indexed,
    /// The text form.
    #[display("a profile as text")]
    Text,
    /// A partial result of this crate.
    #[display("a partial result")]
    Partial,
    /// A sample profile.
    Sample(Sample),
    /// A raw MemProf profile in this byte order.
    #[display("a raw MemProf profile")]
    RawMemProf(Endian),
    /// A MemProf profile as YAML.
    #[display("a MemProf profile as YAML")]
    MemProfYaml,
    /// An ELF file.
    #[display("an ELF file")]
    Elf,
    /// Compressed bytes, or several files in one.
    Archive(Archive),
}

/// The encoding of a sample profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[non_exhaustive]
pub enum Sample {
    /// Text.
    #[display("a sample profile as text")]
    Text,
    /// Binary.
    #[display("a binary sample profile")]
    Binary,
    /// Extensible binary.
    #[display("an extensible binary sample profile")]
    ExtBinary,
    /// Compact binary (up to LLVM 16).
    #[display("a compact binary sample profile")]
    CompactBinary,
    /// GCC's, from AutoFDO.
    #[display("a GCC sample profile")]
    Gcc,
}

/// The format of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[allow(missing_docs, reason = "the names say what they are")]
#[non_exhaustive]
pub enum Archive {
    #[display("a gzip file")]
    Gzip,
    #[display("a zstd file")]
    Zstd,
    #[display("a zip file")]
    Zip,
    #[display("a tar file")]
    Tar,
}

/// Returns what an input is; `None` for bytes that are nothing of this, and for no bytes.
///
/// Text is recognized by its first line. Unlike `llvm-profdata`, which wants 8 ASCII bytes, it may begin with a name in UTF-8.
pub fn detect(bytes: &[u8]) -> Option<Detected> {
    const TAR: (usize, &[u8]) = (257, b"ustar");
    if let Some(first) = bytes.first_chunk::<8>() {
        if let Some(encoding) = raw(*first) {
            return Some(Detected::Raw(encoding));
        }
        if let Some(endian) = raw_mem_prof(*first) {
            return Some(Detected::RawMemProf(endian));
        }
    }
    if let Some(sample) = binary_sample(bytes) {
        return Some(Detected::Sample(sample));
    }
    let magics: [(&[u8], Detected); 9] = [
        (&indexed::MAGIC, Detected::Indexed),
        (&PARTIAL, Detected::Partial),
        (b"\x7fELF", Detected::Elf),
        (b"\x1f\x8b", Detected::Archive(Archive::Gzip)),
        (b"\x28\xb5\x2f\xfd", Detected::Archive(Archive::Zstd)),
        (b"PK\x03\x04", Detected::Archive(Archive::Zip)),
        (b"PK\x05\x06", Detected::Archive(Archive::Zip)),
        (b"adcg*704", Detected::Sample(Sample::Gcc)),
        (b"---\n", Detected::MemProfYaml),
    ];
    if let Some((_, detected)) = magics.into_iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(detected);
    }
    if bytes.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
        return Some(Detected::Archive(Archive::Tar));
    }
    text(bytes)
}

/// Returns the encoding of a raw profile that begins with these bytes.
pub(crate) fn raw(first: [u8; 8]) -> Option<Encoding> {
    for word in [WordSize::W64, WordSize::W32] {
        for endian in [Endian::Little, Endian::Big] {
            let encoding = Encoding { word, endian };
            if encoding.u64_bytes(header::magic(word)) == first {
                return Some(encoding);
            }
        }
    }
    None
}

fn raw_mem_prof(first: [u8; 8]) -> Option<Endian> {
    match &first {
        b"\xffmprofr\x81" => Some(Endian::Big),
        b"\x81rforpm\xff" => Some(Endian::Little),
        _ => None,
    }
}

/// Returns the encoding of a sample profile that begins with these bytes: with a ULEB128 number that has `SPROF42` in its high bytes.
fn binary_sample(bytes: &[u8]) -> Option<Sample> {
    let [magic @ .., format] = leb128::take(&mut bytes.get(..10).unwrap_or(bytes))?.to_be_bytes();
    match format {
        _ if magic != *b"SPROF42" => None,
        2 => Some(Sample::CompactBinary),
        4 => Some(Sample::ExtBinary),
        0xff => Some(Sample::Binary),
        _ => None,
    }
}

/// Returns the kind of text that the bytes are.
fn text(bytes: &[u8]) -> Option<Detected> {
    const LOOKED_AT: usize = 4096;
    if bytes.is_empty() {
        return None;
    }
    let start = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let mut lines = start.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    if !lines.next().is_some_and(is_text) {
        return None;
    }
    let mut lines =
        start.split(|byte| *byte == b'\n').filter(|line| !matches!(line.first(), None | Some(b'#' | b'\r')));
    // The first line of a sample profile is `name:samples:samples`; in the text form the hash follows a name.
    let sample = lines.next().is_some_and(is_sample_head) && !lines.next().is_some_and(begins_with_digit);
    Some(if sample { Detected::Sample(Sample::Text) } else { Detected::Text })
}

/// Returns whether a line is UTF-8 (its last character may be cut) without control characters.
fn is_text(line: &[u8]) -> bool {
    let utf8 = match std::str::from_utf8(line) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    utf8 && line.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

fn begins_with_digit(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_digit)
}

fn is_sample_head(line: &[u8]) -> bool {
    let mut parts = line.trim_ascii_end().rsplitn(3, |byte| *byte == b':');
    let mut number = || parts.next().is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    let (head, total) = (number(), number());
    head && total && parts.next().is_some_and(|name| !matches!(name.first(), None | Some(b' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uleb(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    #[test]
    fn each_format_has_its_magic() {
        let sample = |format: u8| uleb(u64::from_be_bytes([b'S', b'P', b'R', b'O', b'F', b'4', b'2', format]));
        let raw = |word, endian| Detected::Raw(Encoding { word, endian });
        let mut tar = vec![b'x'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (bytes, detected) in [
            (b"\xfflprofr\x81".to_vec(), raw(WordSize::W64, Endian::Big)),
            (b"\x81rforpl\xff".to_vec(), raw(WordSize::W64, Endian::Little)),
            (b"\xfflprofR\x81".to_vec(), raw(WordSize::W32, Endian::Big)),
            (b"\x81Rforpl\xff".to_vec(), raw(WordSize::W32, Endian::Little)),
            (b"\xfflprofi\x81\x0d".to_vec(), Detected::Indexed),
            (PARTIAL.to_vec(), Detected::Partial),
            (b"\x81rforpm\xff".to_vec(), Detected::RawMemProf(Endian::Little)),
            (b"\xffmprofr\x81".to_vec(), Detected::RawMemProf(Endian::Big)),
            (sample(2), Detected::Sample(Sample::CompactBinary)),
            (sample(4), Detected::Sample(Sample::ExtBinary)),
            (sample(0xff), Detected::Sample(Sample::Binary)),
            (b"adcg*704".to_vec(), Detected::Sample(Sample::Gcc)),
            (b"main:184019:0\n 4: 534\n".to_vec(), Detected::Sample(Sample::Text)),
            (b"# x\n[main:3 @ f]:1:0\n".to_vec(), Detected::Sample(Sample::Text)),
            (b"---\nHeapProfileRecords:\n".to_vec(), Detected::MemProfYaml),
            (b"\x7fELF\x02".to_vec(), Detected::Elf),
            (b"\x1f\x8b\x08".to_vec(), Detected::Archive(Archive::Gzip)),
            (b"\x28\xb5\x2f\xfd".to_vec(), Detected::Archive(Archive::Zstd)),
            (b"PK\x03\x04".to_vec(), Detected::Archive(Archive::Zip)),
            (tar, Detected::Archive(Archive::Tar)),
            (b":ir\nfoo\n".to_vec(), Detected::Text),
            (b"\n".to_vec(), Detected::Text),
            (b"a:1:2\n12\n1\n1\n".to_vec(), Detected::Text),
            ("é\n1\n".as_bytes().to_vec(), Detected::Text),
        ] {
            assert_eq!(detect(&bytes), Some(detected), "{}", bytes.escape_ascii());
        }
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"foo\x01\n", &sample(7)] {
            assert_eq!(detect(bytes), None, "{}", bytes.escape_ascii());
        }
    }
}
