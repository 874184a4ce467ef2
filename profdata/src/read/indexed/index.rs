//! Looks up single functions without reading the others.

use super::header::Header;
use super::record::RecordDecoder;
use super::summary;
use super::table::DiskTable;
use crate::error::Error;
use crate::name::Name;
use crate::sink::RecordRef;

/// An indexed profile to look functions up in, as a compiler does. Only what a look-up needs is read and checked.
#[derive(Debug)]
pub struct Index<'a> {
    header: Header,
    table: DiskTable<'a>,
    decoder: RecordDecoder,
}

/// What a look-up has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup<'r> {
    /// The record of the function.
    Found(RecordRef<'r>),
    /// The name has records of other hashes only: the source has changed since the profile was made.
    HashMismatch,
    /// The profile does not know the name.
    Unknown,
}

impl<'a> Index<'a> {
    /// Opens a profile. Errors: it is no indexed profile, or its function table is not whole.
    pub fn new(bytes: &'a [u8]) -> Result<Index<'a>, Error> {
        let header = Header::parse(bytes)?;
        let table = DiskTable::of_functions(bytes, &header, summary::payload_start(bytes, &header)?)?;
        Ok(Index { header, table, decoder: RecordDecoder::new(header.version) })
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Hands over all records of a name, in the order of the file. Returns whether the profile knows the name.
    pub fn records(
        &mut self,
        name: Name<'_>,
        take: impl FnMut(RecordRef<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let Some(item) = self.table.find_name(name)? else { return Ok(false) };
        self.decoder.each(item, take)?;
        Ok(true)
    }

    /// Looks a function up by the compilers' rule: first its name, then its hash; only records that are context-sensitive as the
    /// hash is (bit 60) count.
    pub fn find(&mut self, name: Name<'_>, hash: u64) -> Result<Lookup<'_>, Error> {
        let Some(item) = self.table.find_name(name)? else { return Ok(Lookup::Unknown) };
        let (mut data, mut mismatch) = (item.data, false);
        while !data.is_empty() {
            self.decoder.decode(&mut data)?;
            if self.decoder.hash == hash {
                return Ok(Lookup::Found(self.decoder.record(item.name())));
            }
            mismatch |= (self.decoder.hash ^ hash) >> 60 & 1 == 0;
        }
        Ok(if mismatch { Lookup::HashMismatch } else { Lookup::Unknown })
    }
}
