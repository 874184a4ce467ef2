//! Reads indexed profiles of version 1 to 14.

mod checked;
pub(crate) mod cursor;
mod end;
pub(crate) mod header;
mod index;
mod record;
mod salvage;
mod sections;
mod summary;
pub(crate) mod table;

use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind, MemProfLoss};
use crate::flags::Flags;
use crate::read::ReadOptions;
use crate::sink::{Format, Heading, Sink};

pub use end::end;
pub use header::{Header, MAGIC, is_indexed};
pub use index::{Index, Lookup};
pub use summary::{Summaries, read_summary};

use checked::Unchecked;
use cursor::Cursor;
use record::RecordDecoder;
use table::{DiskTable, TableItem};

/// Reads an indexed profile: its records in the order of the file, then its binary ids, vtable names, temporal traces and MemProf section.
///
/// The summary is not handed over: it follows from the records ([`read_summary`] reads it).
///
/// Errors: the input is no indexed profile, its version is unknown, or, without [`ReadOptions::salvage`], it is damaged anywhere.
/// What was handed over before the error is whole.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    let header = Header::parse(bytes)?;
    if let Some(release) = options.release.filter(|release| release.indexed() < header.version) {
        let error = Error::new(ErrorKind::UnsupportedVersion, "Version").at(8u64).found(header.version);
        return Err(error.expected(format_args!("at most {}, which {release} reads", release.indexed())));
    }
    let flags = header.flags.read(options.release).map_err(|error| error.at(8u64))?;
    // A table that is not there decides nothing, as in LLVM's readers.
    let table = if options.salvage { None } else { Some(sound_table(bytes, &header)?) };
    let format = Format::Indexed(header.version);
    sink.heading(&Heading { format, flags, says_front_end: false, kind_unknown: false })?;
    match table {
        None => salvage::records(bytes, &header, sink)?,
        Some(table) => records(&table, &header, sink)?,
    }
    type Section<'a, S> = fn(&'a [u8], &Header, &mut S) -> Result<usize, Error>;
    let others: [(Section<'_, _>, FindingKind); 4] = [
        (sections::binary_ids, FindingKind::SectionLost),
        (sections::vtable_names, FindingKind::NamesLost),
        (sections::traces, FindingKind::SectionLost),
        (sections::memprof, FindingKind::MemProfLeftOut { why: MemProfLoss::Damaged }),
    ];
    let mut end = table::end(bytes, &header);
    for (section, lost) in others {
        match section(bytes, &header, sink) {
            // Where a damaged section ends is not known.
            Err(_) if options.salvage => {
                end = None;
                sink.finding(Finding::of_input(lost));
            }
            result => {
                let section = result?;
                end = end.map(|end| end.max(section));
            }
        }
    }
    end.map_or(Ok(()), |end| trailing(bytes, end, options, sink))
}

/// Reports bytes after the profile, unless all are 0: two profiles in one file are no profile of both.
fn trailing(bytes: &[u8], end: usize, options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    let rest = bytes.get(end..).unwrap_or(&[]);
    if rest.iter().all(|byte| *byte == 0) {
        return Ok(());
    }
    // LLVM's readers do not look there.
    if options.salvage || options.release.is_some() {
        sink.finding(Finding::of_input(FindingKind::TrailingBytes { bytes: rest.len() as u64 }));
        return Ok(());
    }
    let error = Error::new(ErrorKind::Malformed, "input").at(end as u64);
    Err(error.expected("its end").found(format_args!("{} bytes after the profile", rest.len())))
}

/// Finds a function table whose sizes fit in the input.
fn sound_table<'a>(bytes: &'a [u8], header: &Header) -> Result<DiskTable<'a>, Error> {
    DiskTable::of_functions(bytes, header, summary::payload_start(bytes, header)?)
}

/// Hands over all records of a sound function table.
fn records<'a>(table: &DiskTable<'a>, header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    let mut decoder = RecordDecoder::new(header.version);
    let mut unchecked = Unchecked::default();
    let item = |cursor: &mut Cursor<'a>| TableItem::read(cursor).map(|item| (item.hash, item));
    let walked = table.walk(item, |item| unchecked.take(item, &mut decoder, sink));
    // Those before damage are whole.
    unchecked.deliver(&mut decoder, sink)?;
    walked
}

impl Header {
    /// Returns whether the flags say that there is a section which this version has no place for.
    fn lacks_place_for(&self, flag: Flags, since: u32) -> bool {
        self.flags.has(flag) && self.version < since
    }
}
