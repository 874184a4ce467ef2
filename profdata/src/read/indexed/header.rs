//! The header of an indexed profile.

use super::cursor::Cursor;
use crate::error::{Error, ErrorKind};
use crate::flags::Flags;

/// The first 8 bytes of an indexed profile.
pub const MAGIC: [u8; 8] = *b"\xfflprofi\x81";

/// The newest version.
pub(super) const NEWEST: u32 = 14;

/// Returns whether an input begins as an indexed profile does.
pub fn is_indexed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The header of an indexed profile. Offsets count from the start of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Version, 1 to 14.
    pub version: u32,
    /// Variant flags.
    pub flags: Flags,
    /// Where the bucket array of the function table starts.
    pub hash_offset: u64,
    /// Where the MemProf section starts.
    pub memprof: Option<u64>,
    /// Where the binary ids start.
    pub binary_ids: Option<u64>,
    /// Where the temporal traces start.
    pub traces: Option<u64>,
    /// Where the names of vtables start.
    pub vtable_names: Option<u64>,
}

impl Header {
    /// Reads a header. Sections that an offset of 0 or the flags deny are `None`; whether the others are in the input is not checked.
    pub fn parse(bytes: &[u8]) -> Result<Header, Error> {
        if bytes.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "input"));
        }
        if !is_indexed(bytes) {
            let kind = if MAGIC.starts_with(bytes) { ErrorKind::Truncated } else { ErrorKind::Unrecognized };
            return Err(Error::new(kind, "Magic").at(0u64));
        }
        let mut cursor = Cursor::new(bytes, bytes.len());
        let mut word = |field| cursor.u64().ok_or_else(|| cursor.too_short(field));
        word("Magic")?;
        let version_word = word("Version")?;
        let version = version_word as u32;
        if version == 0 || version > NEWEST {
            let error = Error::new(ErrorKind::UnsupportedVersion, "Version").at(8u64);
            return Err(error.expected(format_args!("1 to {NEWEST}")).found(version));
        }
        word("Unused")?;
        let hash_type = word("HashType")?;
        if hash_type != 0 {
            let error = Error::new(ErrorKind::UnsupportedHashType, "HashType").at(24u64);
            return Err(error.expected("0 (MD5)").found(hash_type));
        }
        let hash_offset = word("HashOffset")?;
        let mut since = |first, field| if version >= first { word(field) } else { Ok(0) };
        let flags = Flags::of_version_word(version_word);
        let memprof = since(8, "MemProfOffset")?;
        let binary_ids = since(9, "BinaryIdOffset")?;
        let traces = since(10, "TemporalProfTracesOffset")?;
        let vtable_names = since(12, "VTableNamesOffset")?;
        let present = |offset: u64| (offset != 0).then_some(offset);
        Ok(Header {
            version,
            flags,
            hash_offset,
            memprof: present(memprof).filter(|_| flags.has(Flags::MEMPROF)),
            binary_ids: present(binary_ids),
            traces: present(traces).filter(|_| flags.has(Flags::TEMPORAL)),
            vtable_names: present(vtable_names),
        })
    }

    /// Returns the size of the header in bytes.
    pub const fn size(&self) -> usize {
        size(self.version)
    }

    /// Returns where the bucket array of the function table and the sections after it start.
    pub(super) fn starts(&self) -> impl Iterator<Item = u64> {
        [Some(self.hash_offset), self.memprof, self.binary_ids, self.traces, self.vtable_names].into_iter().flatten()
    }

    /// Returns a cursor over the section that starts at `offset`: up to the next section, or to the end of the input.
    pub(super) fn section<'a>(&self, bytes: &'a [u8], offset: u64, field: &'static str) -> Result<Cursor<'a>, Error> {
        let outside = || {
            let error = Error::new(ErrorKind::Truncated, field).at(offset);
            error.expected("an offset in the input").found(format_args!("an input of {} bytes", bytes.len()))
        };
        let start = usize::try_from(offset).ok().filter(|start| *start <= bytes.len()).ok_or_else(outside)?;
        let next = self.starts().filter(|other| *other > offset).min();
        let end = next.and_then(|next| usize::try_from(next).ok()).map_or(bytes.len(), |next| next.min(bytes.len()));
        Ok(Cursor::of_range(bytes, start, end))
    }
}

/// Returns the size of a version's header in bytes.
pub(crate) const fn size(version: u32) -> usize {
    match version {
        ..=7 => 40,
        8 => 48,
        9 => 56,
        10 | 11 => 64,
        _ => 72,
    }
}
