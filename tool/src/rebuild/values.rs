//! Values of value sites, from memory: a record points to the heads of its sites, a head to the first of its nodes, and a node
//! holds a value, its count, and the address of the next. Nodes of profrt for a hosted system have a second count.

use profdata::format::node::{COUNT, NEXT, SHARED_COUNT, VALUE, not_negative};
use profdata::format::value::MAX_VALUES_PER_SITE;
use profdata::format::{Encoding, RawVersion, RecordShape, WordSize};

use super::memory::Memory;
use super::raw::Site;

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walk {
    /// For each record that has heads the values of its sites.
    pub values: Vec<(usize, Vec<Site>)>,
    /// Sites whose list leads to memory that was not saved, or in a circle.
    pub lost: u64,
}

/// Walks the sites of all records. `shared_counts`: nodes have one, in a program of 64 bits.
pub fn walk(memory: &Memory<'_>, data: &[u8], version: RawVersion, shared_counts: bool) -> Walk {
    let encoding = memory.encoding;
    let shape = RecordShape::of(version, encoding.word);
    let word = encoding.word.bytes();
    let shared_counts = shared_counts && encoding.word == WordSize::W64;
    let mut found = Walk::default();
    let mut room = memory.pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() / word + 1;
    for (index, record) in data.chunks(shape.size as usize).enumerate() {
        let Some(numbers) = shape.value_sites(record, version, encoding) else { break };
        let sites: u64 = numbers.iter().map(|number| u64::from(*number)).sum();
        let heads = encoding.word_at(record, shape.values).unwrap_or(0);
        if sites == 0 || heads == 0 {
            continue;
        }
        // Heads stand one behind the other, and each in memory of its own: in what was saved there is room for so many.
        room = room.saturating_sub(sites);
        if room == 0 {
            found.lost += sites;
            continue;
        }
        let mut values = Vec::new();
        for place in 0..sites {
            let head = heads.wrapping_add(place * word);
            let (site, whole) = site(memory, head, shared_counts);
            found.lost += u64::from(!whole);
            values.push(site);
        }
        found.values.push((index, values));
    }
    found
}

/// The values of one site, and whether the list ends as it should. `shared_counts`: nodes have one.
fn site(memory: &Memory<'_>, head: u64, shared_counts: bool) -> (Site, bool) {
    let mut site = Site::new();
    let mut seen = Vec::new();
    let Some(mut node) = memory.pointer(head) else { return (site, false) };
    while node != 0 {
        // More than a profile can hold; the rest of the list may be there all the same.
        if site.len() as u64 == MAX_VALUES_PER_SITE {
            break;
        }
        if seen.contains(&node) {
            return (site, false);
        }
        seen.push(node);
        let at = |offset: usize| node.wrapping_add(offset as u64);
        let fields = (memory.number(at(VALUE)), memory.number(at(COUNT)), memory.pointer(at(NEXT)));
        let (Some(value), Some(count), Some(next)) = fields else { return (site, false) };
        let shared = if shared_counts { memory.number(at(SHARED_COUNT)).unwrap_or(0) } else { 0 };
        let count = count.wrapping_add(shared);
        site.push((value, not_negative(count)));
        node = next;
    }
    (site, true)
}

/// Whether any record has value sites.
pub fn any_sites(data: &[u8], version: RawVersion, encoding: Encoding) -> bool {
    let shape = RecordShape::of(version, encoding.word);
    let sites = |record| shape.value_sites(record, version, encoding).is_some_and(|sites| sites != [0; 3]);
    data.chunks(shape.size as usize).any(sites)
}
