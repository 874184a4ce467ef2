//! The control record that the compiler emits for each function: the offsets of its fields, for every raw version and word size.

use super::encoding::{Encoding, WordSize};
use super::parts::Part;
use super::version::RawVersion;

/// Offsets in bytes from the start of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordShape {
    /// From one record to the next: records are aligned to 8 everywhere.
    pub size: u64,
    /// `u64` hash of the name.
    pub name_ref: usize,
    /// `u64` structural hash.
    pub func_hash: usize,
    /// Pointer: address of the counters minus address of this record.
    pub counter_ptr: usize,
    /// The same for uniform counters (version 11).
    pub uniform_counter_ptr: Option<usize>,
    /// The same for the bitmap (from version 9).
    pub bitmap_ptr: Option<usize>,
    /// Pointer: the function, or null.
    pub function_pointer: usize,
    /// Pointer: heads of the value sites, or null.
    pub values: usize,
    /// `u32` counters.
    pub num_counters: usize,
    /// `u16` for each value kind: its sites.
    pub num_value_sites: usize,
    /// `u32` bytes of bitmap (from version 9).
    pub num_bitmap_bytes: Option<usize>,
}

impl RecordShape {
    /// The shape in `version` on machines with this word size.
    #[inline]
    pub const fn of(version: RawVersion, word: WordSize) -> RecordShape {
        let pointer = word.bytes() as usize;
        let counter_ptr = 16;
        let uniform = counter_ptr + pointer;
        let bitmap = if Part::UniformCounters.is_in(version) { uniform + pointer } else { uniform };
        let function_pointer = if Part::Bitmap.is_in(version) { bitmap + pointer } else { bitmap };
        let values = function_pointer + pointer;
        let num_counters = values + pointer;
        let num_value_sites = num_counters + 4;
        // Version 11 adds a u16 behind the site counts (wave size of an offload device).
        let more = if Part::UniformCounters.is_in(version) { 2 } else { 0 };
        let sites_end = num_value_sites + 2 * version.value_kinds() + more;
        let bitmap_bytes = sites_end.next_multiple_of(4);
        let end = if Part::Bitmap.is_in(version) { bitmap_bytes + 4 } else { sites_end };
        RecordShape {
            size: end.next_multiple_of(8) as u64,
            name_ref: 0,
            func_hash: 8,
            counter_ptr,
            uniform_counter_ptr: if Part::UniformCounters.is_in(version) { Some(uniform) } else { None },
            bitmap_ptr: if Part::Bitmap.is_in(version) { Some(bitmap) } else { None },
            function_pointer,
            values,
            num_counters,
            num_value_sites,
            num_bitmap_bytes: if Part::Bitmap.is_in(version) { Some(bitmap_bytes) } else { None },
        }
    }

    /// Sites a kind of the record in `bytes`; `None` when it is cut short. Kinds the version lacks have 0.
    #[inline]
    pub fn value_sites(&self, bytes: &[u8], version: RawVersion, encoding: Encoding) -> Option<[u16; 3]> {
        let mut sites = [0; 3];
        for (kind, count) in sites.iter_mut().enumerate().take(version.value_kinds()) {
            *count = encoding.u16_at(bytes, self.num_value_sites.wrapping_add(kind.wrapping_mul(2)))?;
        }
        Some(sites)
    }
}

#[cfg(test)]
mod tests {
    //! Sizes as the compilers' objects have them.
    use super::*;

    #[test]
    fn sizes_of_the_table() {
        use RawVersion::*;
        for (version, w64, w32) in [(V8, 48, 40), (V9, 64, 48), (V10, 64, 48), (V11, 72, 56)] {
            assert_eq!(RecordShape::of(version, WordSize::W64).size, w64, "{version:?}");
            assert_eq!(RecordShape::of(version, WordSize::W32).size, w32, "{version:?}");
        }
    }

    #[test]
    fn bitmap_bytes_move_with_the_third_kind() {
        assert_eq!(RecordShape::of(RawVersion::V9, WordSize::W64).num_bitmap_bytes, Some(56));
        assert_eq!(RecordShape::of(RawVersion::V10, WordSize::W64).num_bitmap_bytes, Some(60));
    }
}
