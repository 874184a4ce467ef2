//! The control record the compiler emits for each function: where its fields stand, for every raw version and word size,
//! and the same as a Rust struct for the version and machine this archive is built for.

use super::encoding::{Encoding, WordSize};
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
        let mut next = counter_ptr + pointer;
        let uniform_counter_ptr = if version.has_uniform_counters() {
            next += pointer;
            Some(next - pointer)
        } else {
            None
        };
        let bitmap_ptr = if version.has_bitmap() {
            next += pointer;
            Some(next - pointer)
        } else {
            None
        };
        let function_pointer = next;
        let values = next + pointer;
        let num_counters = next + 2 * pointer;
        let num_value_sites = num_counters + 4;
        next = num_value_sites + 2 * version.value_kinds();
        // Version 11 adds a u16 behind the site counts (wave size of an offload device).
        if version.has_uniform_counters() {
            next += 2;
        }
        let num_bitmap_bytes = if version.has_bitmap() {
            next = next.next_multiple_of(4) + 4;
            Some(next - 4)
        } else {
            None
        };
        RecordShape {
            size: next.next_multiple_of(8) as u64,
            name_ref: 0,
            func_hash: 8,
            counter_ptr,
            uniform_counter_ptr,
            bitmap_ptr,
            function_pointer,
            values,
            num_counters,
            num_value_sites,
            num_bitmap_bytes,
        }
    }

    /// The shape of the records in this image.
    pub const NATIVE: RecordShape = RecordShape::of(RawVersion::BUILT, WordSize::NATIVE);

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

/// Value kinds of this archive's raw version.
pub const KINDS: usize = RawVersion::BUILT.value_kinds();

/// A control record as it lies in this image. Everything but `values` is constant.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Record {
    /// MD5-based hash of the PGO name.
    pub name_ref: u64,
    /// Structural hash of the function.
    pub func_hash: u64,
    /// Address of the counters minus address of this record.
    pub counter_ptr: isize,
    /// Address of the uniform counters minus address of this record.
    #[cfg(raw = "11")]
    pub uniform_counter_ptr: isize,
    /// Address of the bitmap minus address of this record.
    #[cfg(not(raw = "8"))]
    pub bitmap_ptr: isize,
    /// The function, or 0.
    pub function_pointer: usize,
    /// First of the heads of the value sites, or null. The runtime sets it when it allocates them.
    pub values: crate::sync::AtomicPtr<u8>,
    /// Counters of the function.
    pub num_counters: u32,
    /// Value sites for each kind.
    pub num_value_sites: [u16; KINDS],
    /// Not for CPUs.
    #[cfg(raw = "11")]
    pub offload_device_wave_size: u16,
    /// Bytes of bitmap.
    #[cfg(not(raw = "8"))]
    pub num_bitmap_bytes: u32,
}

// The two descriptions above must agree; a field that is forgotten in one of them moves all that follow.
const _: () = {
    use memoffset::offset_of;
    let shape = RecordShape::NATIVE;
    assert!(size_of::<Record>() as u64 == shape.size);
    assert!(offset_of!(Record, name_ref) == shape.name_ref);
    assert!(offset_of!(Record, func_hash) == shape.func_hash);
    assert!(offset_of!(Record, counter_ptr) == shape.counter_ptr);
    assert!(offset_of!(Record, function_pointer) == shape.function_pointer);
    assert!(offset_of!(Record, values) == shape.values);
    assert!(offset_of!(Record, num_counters) == shape.num_counters);
    assert!(offset_of!(Record, num_value_sites) == shape.num_value_sites);
    #[cfg(not(raw = "8"))]
    assert!(matches!(shape.bitmap_ptr, Some(o) if o == offset_of!(Record, bitmap_ptr)));
    #[cfg(not(raw = "8"))]
    assert!(matches!(shape.num_bitmap_bytes, Some(o) if o == offset_of!(Record, num_bitmap_bytes)));
    #[cfg(raw = "11")]
    assert!(matches!(shape.uniform_counter_ptr, Some(o) if o == offset_of!(Record, uniform_counter_ptr)));
};

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
