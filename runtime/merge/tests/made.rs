//! Raw profiles made by hand, word for word as the format says: with nothing of `layout`, `raw` or `value`, so that those are
//! tested too.

use std::vec;
use std::vec::Vec;

/// The raw version and machine that the runtime is built for.
const RAW: u64 = crate::native::RAW_VERSION.number();
const POINTER: usize = size_of::<usize>();

/// Time stamps come first in the counters of each function.
pub const TEMPORAL: u64 = 1 << 63;
/// Counters are bytes.
pub const BYTES: u64 = 1 << 60;

/// A function of a program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its address.
    pub address: u64,
    /// Its counters: 8 bytes each, or one with [`BYTES`].
    pub counters: Vec<u8>,
    /// Its bitmap.
    pub bitmap: Vec<u8>,
    /// For each kind, its sites: values and their counts.
    pub sites: [Vec<Vec<(u64, u64)>>; 3],
}

/// A program that has run.
#[derive(Clone, Debug)]
pub struct Made {
    /// Flags of the version word.
    pub flags: u64,
    /// Address of its first record.
    pub base: u64,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Bytes of names, of vtable names, and vtables.
    pub names: [usize; 3],
    /// Whether counters are padded to pages, as in continuous mode.
    pub paged: bool,
    /// Whether there is value data.
    pub valued: bool,
}

fn pad(bytes: &mut Vec<u8>, unit: usize) {
    bytes.resize(bytes.len().next_multiple_of(unit), 0);
}

fn pointer(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend((value as usize).to_ne_bytes());
}

impl Made {
    /// Returns the number of kinds of values.
    pub fn kinds() -> usize {
        if RAW < 10 { 2 } else { 3 }
    }

    /// Returns the profile that the program writes.
    pub fn profile(&self) -> Vec<u8> {
        let counter = if self.flags & BYTES != 0 { 1 } else { 8 };
        let counters: Vec<u8> = self.functions.iter().flat_map(|function| function.counters.clone()).collect();
        let bitmap: Vec<u8> = match RAW {
            8 => vec![],
            _ => self.functions.iter().flat_map(|function| function.bitmap.clone()).collect(),
        };
        let record = if self.functions.is_empty() { 0 } else { self.record(0, 0, 0).len() as u64 };
        let data_len = record * self.functions.len() as u64;
        // In memory the sections follow each other.
        let counters_delta = data_len;
        let bitmap_delta = counters_delta + counters.len() as u64;
        let names_delta = self.base + (bitmap_delta + bitmap.len() as u64).next_multiple_of(8);

        let [names, vnames, vtables] = self.names;
        let (vnames, vtables) = if RAW < 10 { (0, 0) } else { (vnames, vtables) };
        let header_len = 8 * match RAW {
            8 => 11,
            9 => 14,
            10 => 16,
            _ => 19,
        };
        let unit = if self.paged { 4096 } else { 8 };
        let unit_of_counters = if RAW == 8 && !self.paged { 1 } else { unit };
        let to = |len: usize, unit: usize| len.next_multiple_of(unit) - len;
        let before = if self.paged { to(header_len + data_len as usize, unit) } else { 0 };
        let behind = to(counters.len(), unit_of_counters);
        let behind_bitmap = to(bitmap.len(), unit);

        let letter = if POINTER == 8 { b'r' } else { b'R' };
        let magic = u64::from_be_bytes([0xff, b'l', b'p', b'r', b'o', b'f', letter, 0x81]);
        let mut words = vec![magic, RAW | self.flags, 0, self.functions.len() as u64, before as u64];
        words.extend([(counters.len() / counter) as u64, behind as u64]);
        if RAW >= 9 {
            words.extend([bitmap.len() as u64, behind_bitmap as u64]);
        }
        if RAW >= 11 {
            words.extend([0; 3]);
        }
        words.extend([names as u64, counters_delta]);
        if RAW >= 9 {
            words.push(bitmap_delta);
        }
        words.push(names_delta);
        if RAW >= 10 {
            words.extend([vtables as u64, vnames as u64]);
        }
        words.push(Made::kinds() as u64 - 1);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(bytes.len(), header_len);

        let (mut at_counters, mut at_bitmap) = (counters_delta, bitmap_delta);
        for (index, function) in self.functions.iter().enumerate() {
            let place = record * index as u64;
            bytes.extend(self.record(index, at_counters.wrapping_sub(place), at_bitmap.wrapping_sub(place)));
            at_counters += function.counters.len() as u64;
            at_bitmap += function.bitmap.len() as u64;
        }
        bytes.resize(bytes.len() + before, 0);
        bytes.extend(&counters);
        bytes.resize(bytes.len() + behind, 0);
        bytes.extend(&bitmap);
        bytes.resize(bytes.len() + behind_bitmap, 0);
        let text = |seed: u8, len: usize| (0..len).map(move |at| seed.wrapping_add(at as u8));
        let zeros = |len: usize| core::iter::repeat_n(0, to(len, 8));
        bytes.extend(text(b'n', names).chain(zeros(names)));
        for index in 0..vtables {
            bytes.extend((0x3333_0000 + index as u64).to_ne_bytes());
            // Vtables of which nobody knows where they are.
            pointer(&mut bytes, 0);
            bytes.extend(16u32.to_ne_bytes());
            bytes.extend(core::iter::repeat_n(0, if POINTER == 8 { 4 } else { 0 }));
        }
        bytes.extend(text(b'v', vnames).chain(zeros(vnames)));
        if self.valued {
            self.functions.iter().for_each(|function| function.value_data(&mut bytes));
        }
        bytes
    }

    fn record(&self, index: usize, counters: u64, bitmap: u64) -> Vec<u8> {
        let function = &self.functions[index];
        let counter = if self.flags & BYTES != 0 { 1 } else { 8 };
        let mut bytes = Vec::new();
        bytes.extend((0x1111_0000 + index as u64).to_ne_bytes());
        bytes.extend((0x2222_0000 + index as u64).to_ne_bytes());
        pointer(&mut bytes, counters);
        if RAW >= 11 {
            pointer(&mut bytes, 0);
        }
        if RAW >= 9 {
            pointer(&mut bytes, if function.bitmap.is_empty() { 0 } else { bitmap });
        }
        pointer(&mut bytes, function.address);
        pointer(&mut bytes, 0);
        bytes.extend(((function.counters.len() / counter) as u32).to_ne_bytes());
        for sites in function.sites.iter().take(Made::kinds()) {
            bytes.extend((sites.len() as u16).to_ne_bytes());
        }
        if RAW >= 11 {
            bytes.extend(0u16.to_ne_bytes());
        }
        if RAW >= 9 {
            pad(&mut bytes, 4);
            bytes.extend((function.bitmap.len() as u32).to_ne_bytes());
        }
        pad(&mut bytes, 8);
        bytes
    }
}

impl Function {
    fn value_data(&self, bytes: &mut Vec<u8>) {
        let kinds = self.sites.iter().take(Made::kinds()).enumerate().filter(|(_, sites)| !sites.is_empty());
        let start = bytes.len();
        bytes.extend([0; 4]);
        bytes.extend((kinds.clone().count() as u32).to_ne_bytes());
        if kinds.clone().count() == 0 {
            bytes.truncate(start);
            return;
        }
        for (kind, sites) in kinds {
            bytes.extend((kind as u32).to_ne_bytes());
            bytes.extend((sites.len() as u32).to_ne_bytes());
            let counts = sites.iter().map(|site| site.len() as u8).collect::<Vec<_>>();
            bytes.extend(&counts);
            bytes.resize(bytes.len() + counts.len().next_multiple_of(8) - counts.len(), 0);
            for (value, count) in sites.iter().flatten() {
                bytes.extend(value.to_ne_bytes());
                bytes.extend(count.to_ne_bytes());
            }
        }
        let total = (bytes.len() - start) as u32;
        bytes[start..start + 4].copy_from_slice(&total.to_ne_bytes());
    }
}
