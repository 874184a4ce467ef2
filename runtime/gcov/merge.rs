//! Adds an existing `.gcda` file and ours.
//!
//! A file has its form from the object file: the same functions with the same checksums and numbers of counters, in the same order. So two
//! files of one object file differ only in counters and runs, and a file in which anything else differs is not added to.

use super::encoding::{COUNTERS, FUNCTION, HEADER, MAGIC, Word, decoded, encoded, place_of_runs};
use crate::error::{Error, Result};

/// Takes a record of a complete file of ours from the words of the rest: its tag, and its words.
fn take_record<'a>(rest: &mut &'a [Word]) -> Option<(u32, &'a [Word])> {
    let ([tag, len], others) = rest.split_first_chunk::<2>()?;
    let (record, others) = others.split_at_checked(u32::from_ne_bytes(*len) as usize)?;
    *rest = others;
    Some((u32::from_ne_bytes(*tag), record))
}

/// Why a file with the first bytes `old` and `size` bytes is not one of the object file whose complete file is `ours`. `None`: it may be one.
pub fn reason(old: &[u8], size: u64, ours: &[u8]) -> Option<Error> {
    let magic = MAGIC.to_ne_bytes();
    if !magic.starts_with(old.get(..old.len().min(4)).unwrap_or(&[])) {
        return Some(Error::NO_GCDA);
    }
    let identity = 4..HEADER.saturating_mul(4);
    match (old.get(identity.clone()), ours.get(identity)) {
        (Some(theirs), Some(ours)) if theirs != ours => Some(Error::OTHER_BUILD),
        (None, _) => Some(Error::TRUNCATED),
        _ if size < ours.len() as u64 => Some(Error::TRUNCATED),
        _ if size > ours.len() as u64 => Some(Error::CORRUPT),
        _ => None,
    }
}

/// Adds `ours`, a complete file, to `old`, the bytes of an existing one, and a run if `new_run`. An error leaves `old` half changed.
pub fn add(old: &mut [u8], ours: &[u8], new_run: bool) -> Result {
    if let Some(error) = reason(old, old.len() as u64, ours) {
        return Err(error);
    }
    let mut rest = old.as_chunks_mut::<4>().0.get_mut(HEADER..).ok_or(Error::TRUNCATED)?;
    let mut ours = ours.as_chunks::<4>().0.get(HEADER..).ok_or(Error::CORRUPT)?;
    loop {
        let (tag, our_words) = take_record(&mut ours).ok_or(Error::CORRUPT)?;
        let Some(([their_tag, their_len], after)) = rest.split_first_chunk_mut::<2>() else {
            return Err(Error::TRUNCATED);
        };
        if u32::from_ne_bytes(*their_tag) != tag || u32::from_ne_bytes(*their_len) as usize != our_words.len() {
            return Err(Error::CORRUPT);
        }
        if tag == 0 {
            return Ok(());
        }
        let (words, after) = after.split_at_mut_checked(our_words.len()).ok_or(Error::TRUNCATED)?;
        match tag {
            COUNTERS => add_counters(words, our_words),
            FUNCTION if words != our_words => return Err(Error::OTHER_BUILD),
            _ => {
                if let Some(runs) = place_of_runs(tag).and_then(|place| words.get_mut(place)) {
                    *runs = u32::from_ne_bytes(*runs).saturating_add(new_run.into()).to_ne_bytes();
                }
            }
        }
        rest = after;
    }
}

/// Adds counters to counters.
fn add_counters(old: &mut [Word], ours: &[Word]) {
    let mut ours = ours.as_chunks::<2>().0.iter();
    for old in old.as_chunks_mut::<2>().0 {
        let ours = ours.next().map_or(0, |ours| decoded(*ours));
        *old = encoded(decoded(*old).saturating_add(ours));
    }
}

/// Calls `each` with the counters of a complete file of ours, in order.
pub fn each_counter(ours: &[u8], mut each: impl FnMut(u64)) {
    let mut rest = ours.as_chunks::<4>().0.get(HEADER..).unwrap_or(&[]);
    while let Some((tag, record)) = take_record(&mut rest) {
        if tag == COUNTERS {
            for counter in record.as_chunks::<2>().0 {
                each(decoded(*counter));
            }
        }
    }
}
