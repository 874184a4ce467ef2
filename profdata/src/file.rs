//! An input of any format.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error;
use crate::flags::Flags;
use crate::name::{Name, name_hash};
use crate::profile::Profile;
use crate::read::indexed::{Header, Index, Lookup, Summaries, read_summary};
use crate::read::names::NameTable;
use crate::read::raw::{RawFile, profiles};
use crate::read::{self, Detected, ReadOptions, detect, raw};
use crate::sink::{Format, RecordRef, Sink};
use crate::summary::{CUTOFFS, Summary, SummaryPart};

/// A profile of any format, to look into: what its header says, single functions, or all records.
///
/// Only what is asked for is read. Of an indexed profile, [`File::find`] and [`File::summary`] read what a compiler would; of a raw one, names
/// are unpacked when the first is asked for. Text and partial results are read whole by [`File::parse`]. [`read()`] hands all parts of an
/// input to a [`Sink`] instead, in one pass and without keeping any.
///
/// ```
/// use profdata::File;
/// use profdata::read::Lookup;
///
/// let mut file = File::parse(b":ir\nmain\n7\n2\n5\n1\n")?;
/// assert_eq!(file.version(), None); // text has none
/// let Lookup::Found(main) = file.find(b"main", 7)? else { panic!() };
/// assert_eq!(main.counters, [5, 1]);
/// for record in file.records()? {
///     assert_eq!((record.name()?, record.get().hash), (Some(&b"main"[..]), 7));
/// }
/// # Ok::<(), profdata::Error>(())
/// ```
#[derive(Debug)]
pub struct File<'a> {
    bytes: &'a [u8],
    options: ReadOptions<'a>,
    format: Format,
    kind: Flags,
    index: Option<Index<'a>>,
    /// Of a raw profile without the names, unless it is salvaged: there they tell where it ends.
    whole: OnceCell<Profile>,
    /// The places of the records in `whole` by the hashes of their names.
    places: OnceCell<Vec<(u64, usize)>>,
    /// The names that `whole` lacks, of each profile in a raw file.
    names: OnceCell<Vec<Arc<NameTable>>>,
}

/// A record of a [`File`].
#[derive(Clone, Copy, Debug)]
pub struct Record<'f> {
    file: &'f File<'f>,
    record: RecordRef<'f>,
}

impl<'a> File<'a> {
    /// Opens an input. Errors: those of [`read()`] for its header; of text and partial results, for all of it.
    pub fn parse(bytes: &'a [u8]) -> Result<File<'a>, Error> {
        File::parse_with(bytes, ReadOptions::default())
    }

    /// Opens an input, to be read in this way. Errors: as of [`File::parse`].
    pub fn parse_with(bytes: &'a [u8], options: ReadOptions<'a>) -> Result<File<'a>, Error> {
        let (whole, mut index) = (OnceCell::new(), None);
        let (format, kind) = match detect(bytes) {
            Some(Detected::Raw(_)) => {
                let heading = RawFile::parse_cut(bytes, 0)?.heading();
                (heading.format, heading.flags)
            }
            Some(Detected::Indexed) => {
                let header = Header::parse(bytes)?;
                let opened = Index::new(bytes);
                index = if options.salvage { opened.ok() } else { Some(opened?) };
                (Format::Indexed(header.version), header.flags)
            }
            detected => {
                let mut profile = Profile::new();
                read(bytes, &options, &mut profile)?;
                let format = if detected == Some(Detected::Partial) { Format::Partial } else { Format::Text };
                let kind = profile.flags();
                _ = whole.set(profile);
                (format, kind)
            }
        };
        let (places, names) = (OnceCell::new(), OnceCell::new());
        Ok(File { bytes, options, format, kind, index, whole, places, names })
    }

    /// Returns the format, with the version and, of a raw profile, how its numbers are encoded. The first one decides of several in a file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns how the program was instrumented: the flags of the header.
    pub fn kind(&self) -> Flags {
        self.kind
    }

    /// Returns the number of the format's version; `None` of text.
    pub fn version(&self) -> Option<u32> {
        match self.format {
            Format::Raw7(_) => Some(7),
            Format::Raw(version, _) => Some(version.number() as u32),
            Format::Indexed(version) => Some(version),
            Format::Partial => Some(u32::from_le_bytes(*self.bytes.get(8..)?.first_chunk()?)),
            Format::Text => None,
        }
    }

    /// Returns all records, in the order of the file, which is read for that. A raw file with several profiles can have a function several times;
    /// a [`Merger`](crate::Merger) adds them. Errors: those of [`read()`].
    pub fn records(&self) -> Result<impl ExactSizeIterator<Item = Record<'_>>, Error> {
        Ok(self.whole()?.records().map(|record| Record { file: self, record }))
    }

    /// Hands over all records of a function, by its PGO name: one for each structural hash. Returns whether the profile knows the name, which
    /// is for a local function `file.c;name` (IR profiles of LLVM 18 and later) or `file.c:name`.
    ///
    /// Errors: an indexed profile is damaged where the function is looked for; any other, anywhere; those of `take`.
    pub fn records_of(
        &mut self,
        name: &[u8],
        mut take: impl FnMut(RecordRef<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if let Some(index) = &mut self.index {
            return index.records(Name::of(name), take);
        }
        let mut is_known = false;
        for record in self.same_name(name)? {
            is_known = true;
            take(record)?;
        }
        Ok(is_known)
    }

    /// Looks a function up by its PGO name and its structural hash, as a compiler does. Other hashes are a [`Lookup::HashMismatch`], if they are
    /// context-sensitive as this one is (bit 60 of IR hashes).
    ///
    /// Errors: an indexed profile is damaged where the function is looked for; any other, anywhere.
    pub fn find(&mut self, name: &[u8], hash: u64) -> Result<Lookup<'_>, Error> {
        if self.index.is_some() {
            return self.index.as_mut().map_or(Ok(Lookup::Unknown), |index| index.find(Name::of(name), hash));
        }
        let mut same = self.same_name(name)?;
        if let Some(record) = same.clone().find(|record| record.hash == hash) {
            return Ok(Lookup::Found(record));
        }
        let mismatch = same.any(|record| (record.hash ^ hash) >> 60 & 1 == 0);
        Ok(if mismatch { Lookup::HashMismatch } else { Lookup::Unknown })
    }

    /// Returns all records of a name, of an input that is read whole.
    fn same_name<'s, 'n>(
        &'s self,
        name: &'n [u8],
    ) -> Result<impl Iterator<Item = RecordRef<'s>> + Clone + use<'s, 'n, 'a>, Error> {
        let (whole, wanted) = (self.whole()?, name_hash(name));
        let places = self.places.get_or_init(|| {
            let mut places: Vec<_> = whole.records().map(|record| record.name.hash).zip(0..).collect();
            places.sort_unstable();
            places
        });
        let from = places.partition_point(|(other, _)| *other < wanted);
        let same = places.iter().skip(from).take_while(move |(other, _)| *other == wanted);
        let same = same.filter_map(|(_, place)| whole.record(*place));
        Ok(same.filter(move |record| record.name.bytes.is_none_or(|bytes| bytes == name)))
    }

    /// Returns the ids of the binaries that ran. Errors: those of [`read()`].
    pub fn binary_ids(&self) -> Result<&BTreeSet<Vec<u8>>, Error> {
        Ok(self.whole()?.binary_ids())
    }

    /// Returns the summaries: those that an indexed profile has, and of any other, those that it would get.
    ///
    /// Errors: the summary of an indexed profile is damaged; any other, anywhere.
    pub fn summary(&self) -> Result<Summaries, Error> {
        if let Format::Indexed(_) = self.format {
            return read_summary(self.bytes);
        }
        let whole = self.whole()?;
        let of = |part| Summary::of(whole.records(), part, &CUTOFFS);
        let has_contexts = self.kind.has(Flags::CONTEXT_SENSITIVE);
        Ok(Summaries {
            plain: Some(of(SummaryPart::Plain)),
            context_sensitive: has_contexts.then(|| of(SummaryPart::ContextSensitive)),
        })
    }

    /// Returns a copy of everything, with the names. Errors: those of [`read()`].
    pub fn to_profile(&self) -> Result<Profile, Error> {
        let mut profile = Profile::new();
        read(self.bytes, &self.options, &mut profile)?;
        Ok(profile)
    }

    fn is_unnamed(&self) -> bool {
        matches!(self.format, Format::Raw7(_) | Format::Raw(..)) && !self.options.salvage
    }

    fn whole(&self) -> Result<&Profile, Error> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let mut profile = Profile::new();
        if self.is_unnamed() {
            raw::read_names(self.bytes, &self.options, false, &mut profile)?;
        } else {
            read(self.bytes, &self.options, &mut profile)?;
        }
        Ok(self.whole.get_or_init(|| profile))
    }

    fn names(&self) -> Result<&[Arc<NameTable>], Error> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let mut names = Vec::new();
        for profile in profiles(self.bytes)?.iter().filter(|_| self.is_unnamed()) {
            let (table, error) = profile.names();
            error.map_or(Ok(()), Err)?;
            names.push(table);
        }
        Ok(self.names.get_or_init(|| names))
    }
}

impl<'f> Record<'f> {
    /// Returns the PGO name; `None` if the input has only its hash. Errors: the names of a raw profile are damaged.
    pub fn name(&self) -> Result<Option<&'f [u8]>, Error> {
        if self.record.name.bytes.is_some() || !self.file.is_unnamed() {
            return Ok(self.record.name.bytes);
        }
        let names = self.file.names()?;
        Ok(names.iter().find_map(|names| names.get(self.record.name.hash)).and_then(|name| name.bytes))
    }

    /// Returns everything else. The name in it may be only a hash where [`Record::name`] has the bytes.
    pub fn get(&self) -> RecordRef<'f> {
        self.record
    }
}

/// Reads an input of any format that this crate reads.
///
/// Errors: [`ErrorKind`](crate::error::ErrorKind)`::Empty` for an input without bytes, which LLVM's tool takes for a profile without records;
/// `SampleProfile`, `RawMemProf` or `Unrecognized`, with what was found, for a format that this crate
/// does not read; and the errors of the reader.
///
/// ```
/// use profdata::Profile;
/// use profdata::error::ErrorKind;
/// use profdata::read;
/// use profdata::read::ReadOptions;
///
/// let mut profile = Profile::new();
/// read(b":ir\nmain\n7\n2\n5\n1\n", &ReadOptions::default(), &mut profile)?;
/// assert_eq!(profile.record(0).unwrap().counters, [5, 1]);
///
/// let cut = b":ir\nmain\n7\n2\n5\n1\nother\n8\n3\n";
/// let error = read(cut, &ReadOptions::default(), &mut Profile::new()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Truncated);
///
/// let mut kept = Profile::new();
/// read(cut, &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut kept)?;
/// assert_eq!((kept.len(), kept.findings().len()), (1, 1));
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    match detect(bytes) {
        Some(Detected::Partial) => partial(bytes, options, sink),
        _ => read::read(bytes, options, sink),
    }
}

/// Reads a partial result: the profile that it would end in, with all its kinds and traces.
fn partial(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    use crate::finding::{Finding, FindingKind};
    use crate::merge::{MergeOptions, Merger};
    // One file: whoever wrote it has decided what merges, and how much of it stays.
    let all = usize::MAX;
    let merge = MergeOptions { max_traces: all, max_trace_length: all, mix_kinds: true, ..MergeOptions::default() };
    let mut merger = Merger::new(merge);
    merger.add_partial("", 1, bytes)?;
    options.correlation.map_or(Ok(()), |correlation| merger.name_by(correlation))?;
    let (profile, report) = merger.finish()?;
    let damage = report.inputs.iter().find(|(id, _)| id.part == u32::MAX).and_then(|(_, input)| input.error.clone());
    match damage {
        Some(error) if !options.salvage => return Err(error),
        Some(_) => sink.finding(Finding::of_input(FindingKind::SectionLost)),
        None => {}
    }
    report.findings.into_iter().for_each(|finding| sink.finding(finding));
    profile.send_to(sink)
}
