//! The raw version that this archive is built for, this machine, and the control record of both.

use crate::format::{RawVersion, RecordShape, WordSize, layout};

/// The raw version of this archive: that of the feature `raw-N`.
pub const RAW_VERSION: RawVersion = include!(concat!(env!("OUT_DIR"), "/raw_version.rs"));

/// Limits the shipped archive to its own raw version and machine, so that the compiler sees constants.
#[cfg(any(feature = "archive", short_distances))]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Native;

#[cfg(any(feature = "archive", short_distances))]
impl crate::format::Scope for Native {
    const ONLY: Option<(RawVersion, WordSize)> =
        if cfg!(feature = "archive") { Some((RAW_VERSION, WordSize::NATIVE)) } else { None };
    const SHORT_DISTANCES: bool = cfg!(short_distances);
}

// Tests read and write all versions.
#[cfg(not(any(feature = "archive", short_distances)))]
pub use crate::format::All as Native;

/// The bits of a distance between sections of this image.
pub const DISTANCE: u64 = if cfg!(short_distances) { u32::MAX as u64 } else { usize::MAX as u64 };

/// A plan that reads and writes profiles of this archive.
pub type Plan = layout::Plan<Native>;

/// Creates a plan of this archive's version, without any section.
#[cfg_attr(feature = "hosted", inline(never))]
#[cfg_attr(not(feature = "hosted"), inline)]
pub fn empty_plan() -> Plan {
    Plan::empty(RAW_VERSION, WordSize::NATIVE)
}

/// Stands for [`RAW_VERSION`] as a type.
#[cfg(not(feature = "hosted"))]
pub struct OwnVersion;

#[cfg(not(feature = "hosted"))]
impl layout::device::OneVersion for OwnVersion {
    const VERSION: RawVersion = RAW_VERSION;
}

/// The shape of the records in this image.
pub const RECORD: RecordShape = RecordShape::of(RAW_VERSION, WordSize::NATIVE);

/// The number of value kinds in a record of this image.
pub const KINDS: usize = RAW_VERSION.value_kinds();

/// A control record as it lies in this image. Everything but `values` is constant.
#[repr(C, align(8))]
pub struct Record {
    /// MD5-based hash of the PGO name.
    pub name_ref: u64,
    /// Structural hash of the function.
    pub func_hash: u64,
    /// Address of the counters minus address of this record.
    pub counter_ptr: isize,
    /// Address of the uniform counters minus address of this record.
    #[cfg(since = "11")]
    pub uniform_counter_ptr: isize,
    /// Address of the bitmap minus address of this record.
    #[cfg(since = "9")]
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
    #[cfg(since = "11")]
    pub offload_device_wave_size: u16,
    /// Bytes of bitmap.
    #[cfg(since = "9")]
    pub num_bitmap_bytes: u32,
}

// `RECORD` and `Record` must agree; a field that is forgotten in one of them moves all that follow.
const _: () = {
    use memoffset::offset_of;
    macro_rules! same {
        ($($field:ident)*) => {
            $(assert!(offset_of!(Record, $field) == RECORD.$field);)*
        };
    }
    assert!(size_of::<Record>() as u64 == RECORD.size);
    same!(name_ref func_hash counter_ptr function_pointer values num_counters num_value_sites);
    #[cfg(since = "9")]
    assert!(matches!(RECORD.bitmap_ptr, Some(offset) if offset == offset_of!(Record, bitmap_ptr)));
    #[cfg(since = "9")]
    assert!(matches!(RECORD.num_bitmap_bytes, Some(offset) if offset == offset_of!(Record, num_bitmap_bytes)));
    #[cfg(since = "11")]
    assert!(matches!(RECORD.uniform_counter_ptr, Some(offset) if offset == offset_of!(Record, uniform_counter_ptr)));
};
