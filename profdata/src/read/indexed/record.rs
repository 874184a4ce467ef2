//! Decodes the records of one name.

use super::cursor::{Cursor, words};
use super::table::TableItem;
use crate::error::Error;
use crate::name::Name;
use crate::sink::RecordRef;
use crate::values::{KINDS, Value, ValueSites};

/// The parts of a record, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum RecordPart {
    #[default]
    Hash,
    Counters,
    Bitmap,
    Uniformity,
    Values,
}

/// Decodes records one after the other into the same memory.
#[derive(Debug, Default)]
pub(super) struct RecordDecoder {
    version: u32,
    /// Of the function that was decoded last.
    pub(super) hash: u64,
    counters: Vec<u64>,
    bitmap: Vec<u8>,
    uniformity: Vec<u8>,
    values: ValueSites,
    /// The part that is being decoded, or whose decoding has failed.
    pub(super) part: RecordPart,
}

impl RecordDecoder {
    pub(super) fn new(version: u32) -> RecordDecoder {
        RecordDecoder { version, ..RecordDecoder::default() }
    }

    /// Hands over all records of an item.
    pub(super) fn each(
        &mut self,
        item: TableItem<'_>,
        mut take: impl FnMut(RecordRef<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut data, mut names) = (item.data, item.names());
        while !data.is_empty() {
            self.decode(&mut data)?;
            take(self.record(names()))?;
        }
        Ok(())
    }

    /// Returns the record that was decoded last; of one that failed, the parts before [`RecordDecoder::part`].
    pub(super) fn record<'a>(&'a self, name: Name<'a>) -> RecordRef<'a> {
        RecordRef {
            name,
            hash: self.hash,
            counters: &self.counters,
            bitmap: &self.bitmap,
            uniformity: &self.uniformity,
            values: if self.values.is_empty() { None } else { Some(&self.values) },
        }
    }

    /// Decodes the next record.
    pub(super) fn decode(&mut self, data: &mut Cursor<'_>) -> Result<(), Error> {
        self.bitmap.clear();
        self.uniformity.clear();
        self.values.clear();
        self.part = RecordPart::Hash;
        self.hash = data.u64().ok_or_else(|| data.too_short("FuncHash"))?;
        self.part = RecordPart::Counters;
        self.decode_counters(data)?;
        if self.version >= 11 {
            self.part = RecordPart::Bitmap;
            self.decode_bitmap(data)?;
        }
        if self.version >= 14 {
            self.part = RecordPart::Uniformity;
            let size = data.u64().ok_or_else(|| data.too_short("NumUniformityBytes"))?;
            let bits = data.take_padded(size).ok_or_else(|| data.too_large("NumUniformityBytes", size))?;
            self.uniformity.extend_from_slice(bits);
        }
        if self.version >= 3 {
            self.part = RecordPart::Values;
            let decoded = self.decode_values(data);
            if decoded.is_err() {
                self.values.clear();
            }
            decoded?;
        }
        Ok(())
    }

    fn decode_counters(&mut self, data: &mut Cursor<'_>) -> Result<(), Error> {
        self.counters.clear();
        let count = match self.version {
            // Version 1 has one record a name, which fills the data.
            1 => data.rest().len() as u64 / 8,
            _ => data.u64().ok_or_else(|| data.too_short("NumCounters"))?,
        };
        let counters = data.take_items(count, 8).ok_or_else(|| data.too_large("NumCounters", count))?;
        self.counters.extend(words(counters));
        Ok(())
    }

    fn decode_bitmap(&mut self, data: &mut Cursor<'_>) -> Result<(), Error> {
        let size = data.u64().ok_or_else(|| data.too_short("NumBitmapBytes"))?;
        if self.version >= 14 {
            let bitmap = data.take_padded(size).ok_or_else(|| data.too_large("NumBitmapBytes", size))?;
            self.bitmap.extend_from_slice(bitmap);
            return Ok(());
        }
        let start = *data;
        let bitmap = data.take_items(size, 8).ok_or_else(|| data.too_large("NumBitmapBytes", size))?;
        // Each byte stands in a word of its own.
        self.bitmap.extend(words(bitmap).map(|word| word as u8));
        if words(bitmap).any(|word| word > u64::from(u8::MAX)) {
            self.bitmap.clear();
            return Err(start.malformed("BitmapBytes").expected("bytes, each in a word"));
        }
        Ok(())
    }

    fn decode_values(&mut self, data: &mut Cursor<'_>) -> Result<(), Error> {
        let start = *data;
        let total = data.u32().ok_or_else(|| data.too_short("ValueProfData.TotalSize"))?;
        let kinds = data.u32().ok_or_else(|| data.too_short("ValueProfData.NumValueKinds"))?;
        if total < 8 || total % 8 != 0 {
            return Err(start.malformed("ValueProfData.TotalSize").expected("a multiple of 8").found(total));
        }
        let body =
            data.take(total as usize - 8).ok_or_else(|| start.too_large("ValueProfData.TotalSize", total.into()))?;
        if kinds as usize > KINDS {
            let error = start.malformed("ValueProfData.NumValueKinds");
            return Err(error.expected(format_args!("at most {KINDS}")).found(kinds));
        }
        let mut body = Cursor::new(body, data.offset());
        for _ in 0..kinds {
            self.decode_kind(&mut body)?;
        }
        if !body.is_empty() {
            return Err(body.malformed("ValueProfData.TotalSize").expected("the size of its parts").found(total));
        }
        Ok(())
    }

    fn decode_kind(&mut self, body: &mut Cursor<'_>) -> Result<(), Error> {
        let start = *body;
        let kind = body.u32().ok_or_else(|| body.too_short("ValueProfRecord.Kind"))?;
        let sites = body.u32().ok_or_else(|| body.too_short("ValueProfRecord.NumValueSites"))?;
        let counts = body.take_padded(sites.into());
        let counts = counts.ok_or_else(|| body.too_large("ValueProfRecord.NumValueSites", sites.into()))?;
        let Some(kind_sites) = self.values.kinds.get_mut(kind as usize) else {
            let error = start.malformed("ValueProfRecord.Kind");
            return Err(error.expected(format_args!("below {KINDS}")).found(kind));
        };
        if !kind_sites.is_empty() {
            return Err(start.malformed("ValueProfRecord.Kind").expected("each kind once").found(kind));
        }
        for count in counts {
            let pairs = body.take(usize::from(*count) * 16);
            let pairs = pairs.ok_or_else(|| body.too_large("ValueProfRecord.SiteCountArray", (*count).into()))?;
            let pairs = pairs.as_chunks::<16>().0.iter().map(|pair| {
                let pair = u128::from_le_bytes(*pair);
                Value { value: pair as u64, count: (pair >> 64) as u64 }
            });
            if !kind_sites.push_site(pairs) {
                return Err(body.too_large("ValueProfRecord.SiteCountArray", (*count).into()));
            }
        }
        Ok(())
    }
}
