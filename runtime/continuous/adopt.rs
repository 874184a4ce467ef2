//! Taking over what a file of this image has counted.

use crate::error::Error;
use crate::format::encoding::Encoding;
use crate::format::record::{Record, RecordShape};
use crate::format::{Header, RawVersion, Variant};
use crate::layout::{Part, Plan};
use crate::value::serialize;

/// Why a file is not taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is no profile, or a damaged one.
    Damaged,
    /// It is a whole profile, but of another image or with more in it than counts.
    Other,
}

/// This image as a file must have it.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// The plan of its profile; how that is padded does not matter.
    pub plan: &'a Plan,
    /// Its control records.
    pub records: &'a [Record],
    /// Its names.
    pub names: &'a [u8],
    /// Its binary ids, which tell images apart that have neither in memory (correlation).
    pub binary_ids: &'a [u8],
}

/// Adds the counters and bitmaps in the file `old` to ours. Nothing is changed when it is refused.
pub fn adopt(old: &[u8], own: &Own<'_>, counters: &mut [u8], bitmap: &mut [u8]) -> Result<(), Refusal> {
    let (header, version, encoding) = Header::decode(old).map_err(|error| match error {
        Error::BadVersion(_) => Refusal::Other,
        _ => Refusal::Damaged,
    })?;
    if encoding != Encoding::NATIVE || version != RawVersion::BUILT {
        return Err(Refusal::Other);
    }
    let plan = Plan { header, version, word: encoding.word };
    plan.check().map_err(|_| Refusal::Damaged)?;
    let len = old.len() as u64;
    if len < plan.fixed_size() {
        return Err(Refusal::Damaged);
    }
    let part = |part: Part| slice(old, plan.chunk(part).offset, plan.chunk(part).len).ok_or(Refusal::Damaged);
    let correlated = own.records.is_empty();
    let same = same_sizes(&header, &own.plan.header)
        && part(Part::Names)? == own.names
        && (!correlated || part(Part::BinaryIds)? == own.binary_ids);
    if !same || !same_records(part(Part::Data)?, own.records, encoding) {
        return Err(Refusal::Other);
    }
    // Value data with values, or another profile behind this one.
    let empty = plan.fixed_size().saturating_add(serialize::size(own.valued(), 0));
    match len.cmp(&empty) {
        core::cmp::Ordering::Less => return Err(Refusal::Damaged),
        core::cmp::Ordering::Greater => return Err(Refusal::Other),
        core::cmp::Ordering::Equal => {}
    }
    let (old_counters, old_bitmap) = (part(Part::Counters)?, part(Part::Bitmap)?);
    if Variant(header.version).has(Variant::BYTE_COVERAGE) {
        counters.iter_mut().zip(old_counters).for_each(|(to, from)| *to &= from);
    } else {
        let stamps = Variant(header.version).has(Variant::TEMPORAL).then_some((own, header.counters_delta));
        add_words(counters, old_counters, stamps);
    }
    bitmap.iter_mut().zip(old_bitmap).for_each(|(to, from)| *to |= from);
    Ok(())
}

impl Own<'_> {
    /// The records with value data in the file.
    fn valued(&self) -> &[Record] {
        if Variant(self.plan.header.version).has(Variant::DEBUG_CORRELATE) { &[] } else { self.records }
    }
}

fn slice(bytes: &[u8], offset: u64, len: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(offset).ok()?..)?.get(..usize::try_from(len).ok()?)
}

/// All but the addresses, which are of a process, and the paddings.
fn same_sizes(old: &Header, own: &Header) -> bool {
    let of = |header: &Header| Header {
        padding_before_counters: 0,
        padding_after_counters: 0,
        padding_after_bitmap: 0,
        padding_after_uniform_counters: 0,
        names_delta: 0,
        ..*header
    };
    of(old) == of(own)
}

/// What is constant in the records.
fn same_records(old: &[u8], own: &[Record], encoding: Encoding) -> bool {
    let shape = RecordShape::NATIVE;
    let mut rest = old;
    let all = own.iter().all(|own| {
        let Some((old, behind)) = rest.split_at_checked(shape.size as usize) else { return false };
        rest = behind;
        encoding.u64_at(old, shape.name_ref) == Some(own.name_ref)
            && encoding.u64_at(old, shape.func_hash) == Some(own.func_hash)
            && encoding.word_at(old, shape.counter_ptr) == Some(own.counter_ptr as usize as u64)
            && encoding.u32_at(old, shape.num_counters) == Some(own.num_counters)
    });
    all && rest.is_empty()
}

/// Adds counters. `stamps`: the first counter of each function is a time stamp, of which the earliest is kept.
fn add_words(counters: &mut [u8], old: &[u8], stamps: Option<(&Own<'_>, u64)>) {
    let stamp_at = |index: usize| {
        let (own, delta) = stamps?;
        let record = own.records.get(index)?;
        // From the first record: the counters' address is relative to the record's own, and `delta` is where they begin.
        let record_at = (index as u64).wrapping_mul(RecordShape::NATIVE.size);
        usize::try_from((record.counter_ptr as i64 as u64).wrapping_add(record_at).wrapping_sub(delta)).ok()
    };
    let word = |bytes: &[u8], at: usize| Encoding::NATIVE.u64_at(bytes, at).unwrap_or(0);
    // Stamps are made what their sum with the old one shall be less that.
    let mut index: usize = 0;
    while let Some(at) = stamp_at(index) {
        let (new, old) = (word(counters, at), word(old, at));
        let first = if new == 0 || old == 0 { new.max(old) } else { new.min(old) };
        let less = first.wrapping_sub(old).to_ne_bytes();
        if let Some(place) = counters.get_mut(at..).and_then(|rest| rest.get_mut(..8)) {
            place.iter_mut().zip(less).for_each(|(to, from)| *to = from);
        }
        index = index.wrapping_add(1);
    }
    for (to, from) in counters.as_chunks_mut::<8>().0.iter_mut().zip(old.as_chunks::<8>().0) {
        *to = u64::from_ne_bytes(*to).wrapping_add(u64::from_ne_bytes(*from)).to_ne_bytes();
    }
}

#[cfg(test)]
mod tests;
