//! Values of value sites, from memory: a record points to the heads of its sites, a head to the first of its nodes, and a node
//! holds a value, its count, and the address of the next. What profrt keeps behind that in a node is not looked at.

use profrt_format::node::{
    CELL_COUNT, CELL_NODE, COUNT, HOSTED_TABLES, NEXT, SHARED_COUNT, TABLE_BITS, VALUE, cell_offset, last_cell,
    not_negative,
};
use profrt_format::value::MAX_VALUES_PER_SITE;
use profrt_format::{Encoding, RawVersion, RecordShape, WordSize};

use super::memory::Memory;
use crate::raw::Site;

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walk {
    /// For each record that has heads the values of its sites.
    pub values: Vec<(usize, Vec<Site>)>,
    /// Sites whose list leads to memory that was not saved, or in a circle.
    pub lost: u64,
}

/// Walks the sites of all records. `cells`: where profrt keeps the counts of threads.
pub fn walk(memory: &Memory<'_>, data: &[u8], version: RawVersion, cells: Option<(u64, u64)>) -> Walk {
    let encoding = memory.encoding;
    let shape = RecordShape::of(version, encoding.word);
    let word = encoding.word.bytes();
    // 32-bit programs have neither.
    let tables = cells.filter(|_| encoding.word == WordSize::W64).map(|cells| tables(memory, cells));
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
            let (site, whole) = site(memory, head, tables.as_deref());
            found.lost += u64::from(!whole);
            values.push(site);
        }
        found.values.push((index, values));
    }
    found
}

/// The values of one site, and whether the list ends as it should. `tables`: of the threads, in a program of profrt for a hosted system.
fn site(memory: &Memory<'_>, head: u64, tables: Option<&[u64]>) -> (Site, bool) {
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
        let others = tables
            .map(|tables| memory.number(at(SHARED_COUNT)).unwrap_or(0).wrapping_add(in_cells(memory, tables, node)));
        let count = count.wrapping_add(others.unwrap_or(0));
        site.push((value, not_negative(count)));
        node = next;
    }
    (site, true)
}

/// The tables of cells that threads have mapped: addresses, with the size in the low bits.
fn tables(memory: &Memory<'_>, (mapped, used): (u64, u64)) -> Vec<u64> {
    let used = memory.pointer(used).unwrap_or(0).min(HOSTED_TABLES as u64);
    let table = |place: u64| memory.pointer(mapped.wrapping_add(place * memory.encoding.word.bytes()));
    (0..used).filter_map(table).filter(|table| *table != 0).collect()
}

/// What threads have counted for a node in cells of their own.
fn in_cells(memory: &Memory<'_>, tables: &[u64], node: u64) -> u64 {
    let count = |table: &u64| {
        let bits = (*table as usize & TABLE_BITS).min(usize::BITS as usize - 1) as u32;
        let cell = cell_offset(node as usize, last_cell(bits));
        let at = |offset: usize| (*table & !(TABLE_BITS as u64)).wrapping_add((cell + offset) as u64);
        if memory.pointer(at(CELL_NODE)) == Some(node) { memory.number(at(CELL_COUNT)).unwrap_or(0) } else { 0 }
    };
    tables.iter().map(count).fold(0, u64::wrapping_add)
}

/// Whether any record has value sites.
pub fn any_sites(data: &[u8], version: RawVersion, encoding: Encoding) -> bool {
    let shape = RecordShape::of(version, encoding.word);
    let sites = |record| shape.value_sites(record, version, encoding).is_some_and(|sites| sites != [0; 3]);
    data.chunks(shape.size as usize).any(sites)
}
