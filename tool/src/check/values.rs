//! Value data: a record for each function with sites, of which everything but the values themselves is known beforehand.

use profrt_format::value::{DATA_HEADER, PAIR, kind_header_size, record_size};
use profrt_format::{Encoding, RawVersion, RecordShape};

use super::profile::next_magic;

/// What is wrong, and where.
#[derive(Debug)]
pub struct Bad {
    /// Which function, in the order of the records.
    pub record: usize,
    /// What of it.
    pub field: &'static str,
    /// From the start of the profile.
    pub offset: usize,
    pub expected: String,
    pub found: String,
    /// Where the last good value record ends, and the sites of the functions that have none any more.
    pub good_end: usize,
    pub without: Vec<[u16; 3]>,
}

/// Walks the value data that begin at `at`: where they end, and how many values there are.
pub fn values(
    profile: &[u8],
    mut at: usize,
    data: &[u8],
    version: RawVersion,
    encoding: Encoding,
) -> Result<(usize, u64), Box<Bad>> {
    let shape = RecordShape::of(version, encoding.word);
    let sites: Vec<(usize, [u16; 3])> = data
        .chunks_exact(shape.size as usize)
        .enumerate()
        .filter_map(|(index, record)| Some((index, shape.value_sites(record, version, encoding)?)))
        .filter(|(_, sites)| sites.iter().any(|sites| *sites > 0))
        .collect();
    let mut number = 0;
    for (place, (index, own)) in sites.iter().enumerate() {
        let (end, values) = record(profile, at, own, encoding).map_err(|(field, offset, expected, found)| {
            let without = sites[place..].iter().map(|(_, sites)| *sites).collect();
            Box::new(Bad { record: *index, field, offset, expected, found, good_end: at, without })
        })?;
        at = end;
        number += values;
    }
    Ok((at, number))
}

type What = (&'static str, usize, String, String);

/// One record: where it ends, and its values.
fn record(profile: &[u8], start: usize, sites: &[u16; 3], encoding: Encoding) -> Result<(usize, u64), What> {
    let end_of_file =
        |field, offset: usize, bytes: u64| (field, offset, format!("{bytes} bytes"), rest(profile, offset));
    let word = |field, at: usize| encoding.u32_at(profile, at).ok_or_else(|| end_of_file(field, at, 4));
    let total = word("TotalSize", start)?;
    let kinds = word("NumValueKinds", start + 4)?;
    let least = record_size(sites, 0).unwrap_or(DATA_HEADER);
    if u64::from(total) < least || !(u64::from(total) - least).is_multiple_of(PAIR) {
        return Err(("TotalSize", start, format!("{least} bytes and {PAIR} for each value"), total.to_string()));
    }
    let expected = sites.iter().filter(|sites| **sites > 0).count() as u32;
    if kinds != expected {
        return Err(("NumValueKinds", start + 4, expected.to_string(), kinds.to_string()));
    }
    let mut at = start + DATA_HEADER as usize;
    let mut pairs: u64 = 0;
    for (kind, &sites) in sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
        let found = word("Kind", at)?;
        if found != kind as u32 {
            return Err(("Kind", at, kind.to_string(), found.to_string()));
        }
        let found = word("NumValueSites", at + 4)?;
        if found != u32::from(sites) {
            return Err((
                "NumValueSites",
                at + 4,
                format!("{sites}, as the record of the function says"),
                found.to_string(),
            ));
        }
        let size = kind_header_size(u32::from(sites));
        let header = profile.get(at..).and_then(|rest| rest.get(..size as usize));
        let Some(header) = header else { return Err(end_of_file("SiteCountArray", at, size)) };
        let (counts, padding) = header[8..].split_at(usize::from(sites));
        if let Some(place) = padding.iter().position(|byte| *byte != 0) {
            let offset = at + 8 + counts.len() + place;
            return Err(("padding of SiteCountArray", offset, "0".into(), padding[place].to_string()));
        }
        let own: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        at += header.len();
        let left = profile.len() - at;
        if own * PAIR > left as u64 {
            return Err(end_of_file("values", at, own * PAIR));
        }
        let found =
            next_magic(&profile[..at + (own * PAIR) as usize], at).filter(|found| (found - at).is_multiple_of(8));
        if let Some(found) = found {
            let (expected, found_there) = ("a value and its count", "the beginning of another profile");
            return Err(("values", found, expected.into(), found_there.into()));
        }
        at += (own * PAIR) as usize;
        pairs += own;
    }
    let size = record_size(sites, pairs).unwrap_or(DATA_HEADER);
    if u64::from(total) != size {
        return Err((
            "TotalSize",
            start,
            format!("{size}, with the values that the sites say they have"),
            total.to_string(),
        ));
    }
    Ok((at, pairs))
}

fn rest(profile: &[u8], offset: usize) -> String {
    match profile.len().saturating_sub(offset) {
        0 => "the end of the file".to_owned(),
        left => format!("{left} bytes, then the end of the file"),
    }
}
