//! The sections of a profile that change while its program runs, to read them again without the rest.

use std::ops::Range;

use profrt_format::Encoding;
use profrt_format::layout::Part;

use super::RawFile;

/// Where the counters and the bitmaps of a profile are in its input, and what counters mean.
#[derive(Clone, Debug)]
pub struct ChangingSections {
    /// The counters of all functions.
    pub counters: Range<u64>,
    /// The bitmaps of all functions.
    pub bitmap: Range<u64>,
    /// Bytes of a counter: 8, or 1 in byte coverage.
    pub counter_size: usize,
    encoding: Encoding,
}

impl RawFile<'_> {
    /// Returns the sections that change while the program runs, as far as they are in the input.
    pub fn changing(&self) -> ChangingSections {
        let range = |part, len: usize| {
            let start = self.offset_of(part);
            start..start.saturating_add(len as u64)
        };
        ChangingSections {
            counters: range(Part::Counters, self.counter_bytes().len()),
            bitmap: range(Part::Bitmap, self.bitmap().len()),
            counter_size: if self.plan().counter_size() == 1 { 1 } else { 8 },
            encoding: self.encoding(),
        }
    }
}

impl ChangingSections {
    /// Returns the byte of counters of code that did not run.
    pub fn zero(&self) -> u8 {
        if self.counter_size == 1 { u8::MAX } else { 0 }
    }

    /// Returns counters as numbers: of byte coverage 1 for code that ran.
    pub fn counts(&self, counters: &[u8]) -> impl Iterator<Item = u64> {
        let counters = counters.chunks_exact(self.counter_size.max(1));
        counters.map(|counter| match counter {
            [byte] => u64::from(*byte == 0),
            word => self.encoding.u64_at(word, 0).unwrap_or(0),
        })
    }
}
