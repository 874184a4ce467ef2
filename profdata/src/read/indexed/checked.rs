//! Checks that each name has the hash that stands before it, several names at once.

use super::record::RecordDecoder;
use super::table::{ITEM_HEADER, TableItem};
use crate::error::{Error, ErrorKind};
use crate::name::{LANES, name_hashes};
use crate::sink::Sink;

/// Items whose names have not been checked, in the order of the file: fewer than are hashed at once.
#[derive(Default)]
pub(super) struct Unchecked<'a> {
    items: Vec<TableItem<'a>>,
}

impl<'a> Unchecked<'a> {
    /// Hands over the records of an item, or keeps it until there are enough of them. What the sink expects has the right hash.
    pub(super) fn take(
        &mut self,
        item: TableItem<'a>,
        decoder: &mut RecordDecoder,
        sink: &mut (impl Sink + ?Sized),
    ) -> Result<(), Error> {
        if self.items.is_empty() && sink.expects(item.name()) {
            return decoder.each(item, |record| sink.record(record));
        }
        self.items.push(item);
        if self.items.len() == LANES { self.deliver(decoder, sink) } else { Ok(()) }
    }

    /// Hands over the records of all items. Errors: a name has another hash; an error of the reader or the sink. No item is left then.
    pub(super) fn deliver(
        &mut self,
        decoder: &mut RecordDecoder,
        sink: &mut (impl Sink + ?Sized),
    ) -> Result<(), Error> {
        let mut names: [&[u8]; LANES] = [&[]; LANES];
        names.iter_mut().zip(&self.items).for_each(|(name, item)| *name = item.key);
        let hashes = if self.items.is_empty() { [0; LANES] } else { name_hashes(&names) };
        self.items.drain(..).zip(hashes).try_for_each(|(item, hash)| {
            if item.hash != hash {
                return Err(wrong(item, hash));
            }
            decoder.each(item, |record| sink.record(record))
        })
    }
}

#[cold]
fn wrong(item: TableItem<'_>, hash: u64) -> Error {
    let before = item.key.len().saturating_add(ITEM_HEADER);
    Error::new(ErrorKind::Malformed, "item")
        .at(item.data.offset().saturating_sub(before) as u64)
        .expected(format_args!("the hash of its name, {hash}"))
        .found(item.hash)
}
