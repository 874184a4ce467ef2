//! Frames: parts of a partial result that are whole or not there.

use std::io;

use derive_more::TryFrom;

use super::fields::Put;

/// What a frame has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, TryFrom)]
#[try_from(repr)]
#[repr(u8)]
pub(super) enum Tag {
    /// Variant flags, and the headings of inputs.
    Kinds = 1,
    /// Reports of inputs.
    Inputs = 2,
    /// Records, each with its name.
    Records = 3,
    /// Temporal traces.
    Traces = 4,
    /// Names of vtables.
    VTableNames = 5,
    /// Binary ids.
    BinaryIds = 6,
    /// The MemProf section, or which inputs had one.
    MemProf = 7,
    /// Findings.
    Findings = 8,
    /// What the keeper of the file has noted, which is not of the sum.
    Note = 9,
    /// The number of frames before it.
    End = 255,
}

/// Bytes before the content of a frame.
const HEADER: usize = 9;

fn checksum(start: &[u8], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(start);
    hasher.update(content);
    hasher.finalize()
}

/// Writes frames.
pub(super) struct Writer<'a, W: io::Write + ?Sized> {
    to: &'a mut W,
    frames: u64,
}

impl<'a, W: io::Write + ?Sized> Writer<'a, W> {
    pub(super) fn new(to: &'a mut W) -> Writer<'a, W> {
        Writer { to, frames: 0 }
    }

    /// Writes a frame. Errors: those of the destination, and `InvalidInput` for a content of 4 GiB and more.
    pub(super) fn frame(&mut self, tag: Tag, content: &[u8]) -> io::Result<()> {
        let len = u32::try_from(content.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let [a, b, c, d] = len.to_le_bytes();
        let start = [tag as u8, a, b, c, d];
        self.to.write_all(&start)?;
        self.to.write_all(&checksum(&start, content).to_le_bytes())?;
        self.to.write_all(content)?;
        self.frames = self.frames.saturating_add(1);
        Ok(())
    }

    /// Writes the last frame.
    pub(super) fn end(mut self) -> io::Result<()> {
        let mut content = Vec::new();
        content.number(self.frames);
        self.frame(Tag::End, &content)
    }
}

/// A frame, or why there is none.
pub(super) enum Next<'a> {
    Frame(Tag, &'a [u8]),
    /// A frame that this release does not know.
    Unknown(u8),
    Truncated,
    Damaged,
}

/// Takes the next frame from the front of `bytes`.
pub(super) fn next<'a>(bytes: &mut &'a [u8]) -> Next<'a> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Next::Truncated };
    let [tag, a, b, c, d, crc @ ..] = *header;
    let len = u32::from_le_bytes([a, b, c, d]);
    let Some((content, rest)) = rest.split_at_checked(len as usize) else { return Next::Truncated };
    if checksum(&[tag, a, b, c, d], content) != u32::from_le_bytes(crc) {
        return Next::Damaged;
    }
    *bytes = rest;
    Tag::try_from(tag).map_or(Next::Unknown(tag), |known| Next::Frame(known, content))
}
