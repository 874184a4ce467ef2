//! Reads the summary in an indexed profile.

use super::cursor::Cursor;
use super::header::Header;
use crate::error::Error;
use crate::flags::Flags;
use crate::summary::{CUTOFFS, Cutoff, Summary};

/// The summaries in an indexed profile. Profiles of version 1 to 3 have none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summaries {
    /// Summary of all records but the context-sensitive ones.
    pub plain: Option<Summary>,
    /// Summary of the context-sensitive records.
    pub context_sensitive: Option<Summary>,
}

/// Reads the summaries that an indexed profile has.
pub fn read_summary(bytes: &[u8]) -> Result<Summaries, Error> {
    let header = Header::parse(bytes)?;
    let mut cursor = Cursor::of_range(bytes, header.size(), bytes.len());
    let mut next = |number| (number < blocks(&header)).then(|| block(&mut cursor)).transpose();
    Ok(Summaries { plain: next(0)?, context_sensitive: next(1)? })
}

/// The first version with a summary.
const FIRST: u32 = 4;

/// Bytes of a summary as LLVM writes it.
const SIZE: usize = 16 + 6 * 8 + CUTOFFS.len() * 24;

/// Returns how many summaries there are: the second is of context-sensitive records.
fn blocks(header: &Header) -> usize {
    match header.version {
        ..FIRST => 0,
        _ => 1 + usize::from(header.flags.has(Flags::CONTEXT_SENSITIVE)),
    }
}

/// Returns where the payload of the function table starts: after the summaries.
pub(super) fn payload_start(bytes: &[u8], header: &Header) -> Result<usize, Error> {
    let mut cursor = Cursor::of_range(bytes, header.size(), bytes.len());
    for _ in 0..blocks(header) {
        parts(&mut cursor)?;
    }
    Ok(cursor.offset())
}

/// Returns where the payload starts if the summaries have the size that LLVM gives them.
pub(super) fn usual_payload_start(header: &Header) -> usize {
    header.size() + blocks(header) * SIZE
}

/// Returns the bytes of the fields and of the cutoff rows, and moves past them.
fn parts<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a [u8], &'a [u8]), Error> {
    let fields = cursor.u64().ok_or_else(|| cursor.too_short("NumSummaryFields"))?;
    let cutoffs = cursor.u64().ok_or_else(|| cursor.too_short("NumCutoffEntries"))?;
    let fields = cursor.take_items(fields, 8).ok_or_else(|| cursor.too_large("NumSummaryFields", fields))?;
    let cutoffs = cursor.take_items(cutoffs, 24).ok_or_else(|| cursor.too_large("NumCutoffEntries", cutoffs))?;
    Ok((fields, cutoffs))
}

fn block(cursor: &mut Cursor<'_>) -> Result<Summary, Error> {
    let (fields, rows) = parts(cursor)?;
    // Fields that are not there are 0, as in LLVM's reader.
    let mut fields = super::cursor::words(fields);
    let mut field = || fields.next().unwrap_or(0);
    let mut summary = Summary {
        functions: field(),
        counters: field(),
        max_function_count: field(),
        max_count: field(),
        max_internal_count: field(),
        total_count: field(),
        cutoffs: Vec::new(),
    };
    let mut rows = super::cursor::words(rows);
    while let (Some(cutoff), Some(min_count), Some(counts)) = (rows.next(), rows.next(), rows.next()) {
        summary.cutoffs.push(Cutoff { cutoff: cutoff as u32, min_count, counts });
    }
    Ok(summary)
}
