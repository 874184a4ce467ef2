//! Control records, decoded.

use profrt_format::layout::Plan;
use profrt_format::{Encoding, RecordShape, WordSize};

/// A control record: where the parts of a function are in the sections of its profile. Nothing in it has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct RecordHead {
    /// Hash of the function's name.
    pub name_ref: u64,
    /// Structural hash of the function.
    pub hash: u64,
    /// Offset in bytes of its counters in their section. Of a damaged record it is anything.
    pub counters_at: u64,
    /// Number of its counters.
    pub num_counters: u32,
    /// Offset of its bitmap in the section.
    pub bitmap_at: u64,
    /// Length of its bitmap.
    pub num_bitmap_bytes: u32,
    /// Offset in bytes of its uniform counters in their section; `None`: it has none.
    pub uniform_at: Option<u64>,
    /// Address of the function in the process that ran; 0 when it is not known.
    pub function_pointer: u64,
    /// Number of value sites of each kind.
    pub sites: [u16; 3],
}

impl RecordHead {
    /// Returns the number of the first counter in a section of `u64`; `None` if it stands between two.
    pub fn counter_index(&self) -> Option<usize> {
        if self.counters_at.is_multiple_of(8) { usize::try_from(self.counters_at / 8).ok() } else { None }
    }

    /// Returns whether there is a value site, and so a record in the value data.
    pub fn has_values(&self) -> bool {
        self.sites != [0; 3]
    }
}

/// Decodes the records of one profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadDecoder {
    shape: RecordShape,
    encoding: Encoding,
    kinds: usize,
    seven: bool,
    counters_delta: u64,
    bitmap_delta: u64,
    uniform_delta: u64,
    /// The bits of an address.
    mask: u64,
}

impl HeadDecoder {
    pub(super) fn new(plan: &Plan, encoding: Encoding, shape: RecordShape, seven: bool) -> HeadDecoder {
        let header = plan.header();
        HeadDecoder {
            shape,
            encoding,
            kinds: plan.version().value_kinds(),
            seven,
            counters_delta: header.counters_delta,
            bitmap_delta: header.bitmap_delta,
            uniform_delta: header.uniform_counters_delta,
            mask: if plan.word() == WordSize::W32 { u64::from(u32::MAX) } else { u64::MAX },
        }
    }

    /// Returns the decoder of records with absolute addresses of counters and bitmaps, whose sections have these.
    #[cfg(feature = "correlate")]
    pub(super) fn absolute(self, counters: u64, bitmap: u64) -> HeadDecoder {
        HeadDecoder { seven: true, counters_delta: counters, bitmap_delta: bitmap, ..self }
    }

    /// Decodes the record with this number. Bytes that are missing count as 0.
    pub(super) fn decode(&self, index: u64, bytes: &[u8]) -> RecordHead {
        let (shape, encoding) = (&self.shape, self.encoding);
        let u64_at = |at| encoding.u64_at(bytes, at).unwrap_or(0);
        let u32_at = |at| encoding.u32_at(bytes, at).unwrap_or(0);
        let word_at = |at| encoding.word_at(bytes, at).unwrap_or(0);
        // Addresses of parts are relative to the record, and the header has where the sections begin relative to the first record. In
        // version 7 both are absolute.
        let from_first = if self.seven { 0 } else { index.wrapping_mul(shape.size) };
        let offset = |pointer: u64, delta: u64| pointer.wrapping_sub(delta.wrapping_sub(from_first)) & self.mask;
        let mut sites = [0; 3];
        for (kind, count) in sites.iter_mut().enumerate().take(self.kinds) {
            let at = shape.num_value_sites.saturating_add(kind.saturating_mul(2));
            *count = encoding.u16_at(bytes, at).unwrap_or(0);
        }
        let num_bitmap_bytes = shape.num_bitmap_bytes.map_or(0, u32_at);
        let uniform = shape.uniform_counter_ptr.map_or(0, word_at);
        RecordHead {
            name_ref: u64_at(shape.name_ref),
            hash: u64_at(shape.func_hash),
            counters_at: offset(word_at(shape.counter_ptr), self.counters_delta),
            num_counters: u32_at(shape.num_counters),
            bitmap_at: shape
                .bitmap_ptr
                .filter(|_| num_bitmap_bytes > 0)
                .map_or(0, |at| offset(word_at(at), self.bitmap_delta)),
            num_bitmap_bytes,
            uniform_at: (uniform != 0).then(|| offset(uniform, self.uniform_delta)),
            function_pointer: word_at(shape.function_pointer),
            sites,
        }
    }
}
