//! Reads and merges the value data of a file. Linked where something counts values ([`crate::value::optional`]).

#![allow(unsafe_code)]

use super::old::OldProfile;
use super::pages::{Pages, pages};
use super::source::ProfileSource;
use super::values::{self, ValueStreams};
use crate::error::{Error, Result};
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::os;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::span::Span;
use crate::value::node::{Record, site_count};
use crate::value::optional::provide;
use crate::value::pair_count;
use crate::value::writer::hosted;
use crate::value::writer::{self, Budget, ScratchMemory};

/// Pointer to [`read_values`].
pub type ReadValues = fn(&dyn ProfileSource, u64, u64, &[Record]) -> Result<Pages>;

/// Pointer to [`merge_values`].
pub type MergeValues = fn(&[Record], Option<&OldProfile>, &[u8], &mut dyn Sink) -> Result<Pages>;

provide!("profrt_values_read": ReadValues = read_values);

/// Reads and checks the value data of these records: `len` bytes from the offset `from`.
pub fn read_values(source: &dyn ProfileSource, from: u64, len: u64, records: &[Record]) -> Result<Pages> {
    // No memory for the size of the file, which may have a hole of terabytes.
    if len > max_size(records) {
        return Err(Error::CORRUPT);
    }
    let len = usize::try_from(len).map_err(|_| Error::OVERFLOW)?;
    let mut data = pages(len)?;
    source.bytes(from, len, data.bytes_mut())?;
    values::check(data.bytes(), records)?;
    Ok(data)
}

/// Returns the size in bytes of the largest value data that these records can have.
fn max_size(records: &[Record]) -> u64 {
    let sites = records.iter().fold(0u64, |sum, record| sum.saturating_add(site_count(record) as u64));
    writer::size(records, sites.saturating_mul(MAX_VALUES_PER_SITE))
}

provide!("profrt_values_merge": MergeValues = merge_values);

/// Writes the union of the old values and those of this process, without the earlier contribution, to `sink`. Returns the value data of this
/// process.
pub fn merge_values(
    records: &[Record],
    old: Option<&OldProfile>,
    earlier_contribution: &[u8],
    sink: &mut dyn Sink,
) -> Result<Pages> {
    let live = live_values(records)?;
    if old.is_none() && earlier_contribution.is_empty() {
        // The first run writes what a plain file has, including values without counts.
        // SAFETY: `live` owns these bytes until the end of this function.
        unsafe { sink.write(&[Span::of(live.bytes())]) }?;
    } else {
        let old_values = old.map_or(&[][..], |old| old.values.bytes());
        let mut room = pages(old_values.len().saturating_add(live.bytes().len()))?;
        let streams = ValueStreams { old: old_values, live: live.bytes(), earlier_contribution };
        values::merge(records, streams, old.map(|old| &old.checked.rebase), room.words_mut(), sink)?;
    }
    Ok(live)
}

/// Returns a copy of the value data of this process.
fn live_values(records: &[Record]) -> Result<Pages> {
    const SCRATCH: ScratchMemory = ScratchMemory::Pages(os::map_pages, os::unmap_pages);
    let pairs = pair_count::count_first(records, usize::MAX);
    let mut live = pages(usize::try_from(writer::size(records, pairs)).map_err(|_| Error::OVERFLOW)?)?;
    let room = live.bytes_mut();
    // SAFETY: `live` owns this memory, which was mapped above, longer than the buffer lives.
    let mut buffer = unsafe { Buffer::new(room.as_mut_ptr(), room.len()) };
    // Other threads may have added values since: the budget is the number of pairs that there is space for.
    hosted::write_live_values(records, Budget(pairs), SCRATCH, &mut buffer)?;
    Ok(live)
}
