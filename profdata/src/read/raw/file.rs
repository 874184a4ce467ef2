//! The parsed view of one raw profile: its plan, its sections as slices, and its records.

use std::sync::Arc;

use profrt_format::layout::{Part, Plan};
use profrt_format::{Encoding, FormatError, Header, RawVersion, RecordShape, Variant, header};

use super::head::RecordHead;
use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::read::names::NameTable;
use crate::sink::{Format, Heading};

/// One profile of a raw file, with its sections as slices of the input.
///
/// A merger of many files of one binary parses each file to this, compares [`RawFile::fingerprint`], and adds [`RawFile::counters`] of
/// equal ones without a look at records and names.
#[derive(Clone, Debug)]
pub struct RawFile<'a> {
    /// From the header on: up to the end of the input, or to a later profile that cuts this one.
    bytes: &'a [u8],
    /// Offset of the header in the input.
    start: u64,
    plan: Plan,
    encoding: Encoding,
    shape: RecordShape,
    /// The version is 7, which has the layout of 8 and absolute addresses of counters.
    seven: bool,
    data: &'a [u8],
    counters: &'a [u8],
    bitmap: &'a [u8],
    uniform: &'a [u8],
}

/// The counters of a profile: the whole section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counters<'a> {
    /// Counters of 8 bytes, in the byte order of the profile.
    Words(&'a [[u8; 8]]),
    /// Counters of one byte: 0 for code that ran.
    Bytes(&'a [u8]),
}

/// The version of clang 13.
const SEVEN: u64 = 7;

impl<'a> RawFile<'a> {
    /// Parses the profile that begins at the offset `start` of the input. Checks that all sections are in the input.
    ///
    /// Errors: [`ErrorKind::Unrecognized`], [`ErrorKind::UnsupportedVersion`], [`ErrorKind::BadHeader`].
    pub fn parse(input: &'a [u8], start: usize) -> Result<RawFile<'a>, Error> {
        let file = RawFile::parse_cut(input, start)?;
        let cut = file.first_cut();
        cut.map_or(Ok(file), Err)
    }

    /// Parses the profile that begins at the offset `start` of the input, which may end before the end of its sections: they are then cut.
    pub fn parse_cut(input: &'a [u8], start: usize) -> Result<RawFile<'a>, Error> {
        let bytes = input.get(start..).unwrap_or(&[]);
        let (plan, encoding, seven) = plan_of(bytes).map_err(|error| header_error(error, bytes, start as u64))?;
        let mut file = RawFile {
            bytes,
            start: start as u64,
            plan,
            encoding,
            shape: RecordShape::of(plan.version(), plan.word()),
            seven,
            data: &[],
            counters: &[],
            bitmap: &[],
            uniform: &[],
        };
        file.cut(bytes.len());
        Ok(file)
    }

    /// Cuts the profile after `len` bytes.
    pub(super) fn cut(&mut self, len: usize) {
        self.bytes = self.bytes.get(..len).unwrap_or(self.bytes);
        self.data = self.part(Part::Data);
        self.counters = self.part(Part::Counters);
        self.bitmap = self.part(Part::Bitmap);
        self.uniform = self.part(Part::UniformCounters);
    }

    /// Returns the error of the first section that is cut.
    pub(super) fn first_cut(&self) -> Option<Error> {
        let binary_ids = self.plan.header().binary_ids_size;
        if !binary_ids.is_multiple_of(8) {
            let error = self.field_error(ErrorKind::BadHeader, Part::BinaryIds).expected("a multiple of 8");
            return Some(error.found(binary_ids));
        }
        if self.plan.fixed_size() <= self.bytes.len() as u64 {
            return None;
        }
        let end = self.bytes.len() as u64;
        let cut = self
            .plan
            .chunks()
            .find(|chunk| chunk.offset.saturating_add(chunk.len).saturating_add(chunk.padding) > end)?;
        let wanted = cut.len.saturating_add(cut.padding);
        let error = self.field_error(ErrorKind::BadHeader, cut.part).expected(format_args!("{wanted} bytes"));
        Some(error.found(format_args!("{} bytes", end.saturating_sub(cut.offset))))
    }

    /// Returns an error about the size of a section.
    fn field_error(&self, kind: ErrorKind, part: Part) -> Error {
        let field = header::Field::of(header::Role::Count, part).unwrap_or(header::Field::Magic);
        let word = header::fields(self.plan.version()).position(|other| other == field).unwrap_or(0);
        Error::new(kind, field.name()).at(self.start.saturating_add((word as u64).saturating_mul(8)))
    }

    /// Returns the plan. That of version 7 says 8.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the encoding of all numbers.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the raw version number.
    pub fn version_number(&self) -> u64 {
        if self.seven { SEVEN } else { self.plan.version().number() }
    }

    /// Returns the offset of the header in the input.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the variant flags.
    pub fn flags(&self) -> Flags {
        Flags::of_version_word(self.plan.variant().0)
    }

    /// Returns whether records and names are only in the binary.
    pub fn needs_correlation(&self) -> bool {
        let header = self.plan.header();
        self.flags().has(Flags::DEBUG_CORRELATE)
            || (header.num_data == 0 && header.names_size == 0 && header.num_counters > 0)
    }

    /// Returns the heading for a sink. Its flags lack [`Flags::DEBUG_CORRELATE`]: records that a sink gets have been found.
    pub fn heading(&self) -> Heading {
        let format =
            if self.seven { Format::Raw7(self.encoding) } else { Format::Raw(self.plan.version(), self.encoding) };
        let flags = self.flags().without(Flags::DEBUG_CORRELATE);
        Heading { format, flags, says_front_end: false, kind_unknown: false }
    }

    /// Returns a section without padding, or what there is of it in the input.
    pub fn part(&self, part: Part) -> &'a [u8] {
        let chunk = self.plan.chunk(part);
        let end = self.bytes.len() as u64;
        let (from, to) = (chunk.offset.min(end), chunk.offset.saturating_add(chunk.len).min(end));
        self.bytes.get(from as usize..to as usize).unwrap_or(&[])
    }

    /// Returns the offset of a section in the input.
    pub(super) fn offset_of(&self, part: Part) -> u64 {
        self.start.saturating_add(self.plan.chunk(part).offset)
    }

    /// Returns the number of bytes that a killed writer has left: where profrt's runtime appends, a header without counts stands first, and its
    /// padding is all of the profile.
    pub(super) fn unfinished(&self) -> u64 {
        let header = self.plan.header();
        let is_empty = header.num_data <= 1 && header.num_counters == header.num_data && header.names_size == 0;
        if is_empty { header.padding_after_counters } else { 0 }
    }

    /// Returns the raw version that the records seem to have, if it is another one: compiler and runtime did not belong together.
    pub(super) fn other_version(&self) -> Option<RawVersion> {
        let header = self.plan.header();
        let fits = |version: RawVersion| {
            let shape = RecordShape::of(version, self.encoding.word);
            let plan = Plan::of_header(*header, version, self.encoding.word).ok()?;
            let decoder = super::head::HeadDecoder::new(&plan, self.encoding, shape, false);
            let mut heads = self.data.chunks_exact(shape.size as usize).enumerate().take(4).peekable();
            heads.peek()?;
            let is_sound = |(index, bytes): (usize, &[u8])| {
                let head = decoder.decode(index as u64, bytes);
                let len = u64::from(head.num_counters).saturating_mul(self.plan.counter_size());
                len > 0 && head.counters_at.checked_add(len).is_some_and(|end| end <= self.counters.len() as u64)
            };
            heads.all(is_sound).then_some(version)
        };
        RawVersion::LIKELY.into_iter().filter(|other| *other != self.plan.version()).find_map(fits)
    }

    /// Returns the number of bytes that the header promises and the input lacks.
    pub fn missing(&self) -> u64 {
        self.plan.fixed_size().saturating_sub(self.bytes.len() as u64)
    }

    /// Returns the counters, and what follows them.
    pub(super) fn counters_and_rest(&self) -> &'a [u8] {
        let at = self.plan.chunk(Part::Counters).offset;
        usize::try_from(at).ok().and_then(|at| self.bytes.get(at..)).unwrap_or(&[])
    }

    /// Returns the value data, and what follows it.
    pub fn values(&self) -> &'a [u8] {
        usize::try_from(self.plan.fixed_size()).ok().and_then(|at| self.bytes.get(at..)).unwrap_or(&[])
    }

    /// Returns the counters of all functions, as bytes.
    pub(super) fn counter_bytes(&self) -> &'a [u8] {
        self.counters
    }

    /// Returns the counters of all functions.
    pub fn counters(&self) -> Counters<'a> {
        if self.plan.counter_size() == 1 {
            Counters::Bytes(self.counters)
        } else {
            Counters::Words(self.counters.as_chunks().0)
        }
    }

    /// Returns the bitmaps of all functions.
    pub fn bitmap(&self) -> &'a [u8] {
        self.bitmap
    }

    /// Returns the uniform counters of all functions.
    pub(super) fn uniform_counters(&self) -> &'a [[u8; 8]] {
        self.uniform.as_chunks().0
    }

    /// Returns the number of records that are whole.
    pub fn num_records(&self) -> usize {
        self.data.len().checked_div(self.shape.size as usize).unwrap_or(0)
    }

    /// Returns the number of records that the header promises and the input lacks; 0 where the header cannot be right, since each function
    /// has a counter.
    pub(super) fn missing_records(&self) -> u64 {
        let header = self.plan.header();
        let promised = if header.num_data <= header.num_counters { header.num_data } else { 0 };
        promised.saturating_sub(self.num_records() as u64)
    }

    /// Returns the records that are whole, in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RecordHead> + Clone + use<'a> {
        let decoder = self.decoder();
        let records = self.data.chunks_exact((self.shape.size as usize).max(1));
        records.enumerate().map(move |(index, bytes)| decoder.decode(index as u64, bytes))
    }

    /// Decodes records of the profile's version that are not in it, and whose addresses are absolute.
    #[cfg(feature = "correlate")]
    pub(crate) fn absolute_records(&self, data: &[u8], counters: u64, bitmap: u64) -> Vec<RecordHead> {
        let decoder = self.decoder().absolute(counters, bitmap);
        let records = data.chunks_exact((self.shape.size as usize).max(1));
        records.map(|bytes| decoder.decode(0, bytes)).collect()
    }

    fn decoder(&self) -> super::head::HeadDecoder {
        super::head::HeadDecoder::new(&self.plan, self.encoding, self.shape, self.seven)
    }

    /// Returns the names of functions; of an input that is cut or damaged those that can be read, and the error. See [`NameTable::recent`].
    pub fn names(&self) -> (Arc<NameTable>, Option<Error>) {
        // LLVM's tools take the names of functions and vtables together, and its runtime 22 writes the names of a custom profile in the
        // place of the names of vtables.
        let part = if self.plan.size(Part::Names).0 == 0 { Part::VNames } else { Part::Names };
        let (table, error) = NameTable::recent(self.part(part));
        (table, error.map(|error| self.in_section(error, part)))
    }

    /// Returns an error whose offset counted from the start of a section, and now counts from the start of the input.
    pub(super) fn in_section(&self, error: Error, part: Part) -> Error {
        error.after(self.offset_of(part))
    }

    /// Returns the binary ids, or as many as can be read, and the error.
    pub fn binary_ids(&self) -> (Vec<&'a [u8]>, Option<Error>) {
        let mut ids = Vec::new();
        let section = self.part(Part::BinaryIds);
        let mut rest = section;
        while !rest.is_empty() {
            let at = (section.len() as u64).saturating_sub(rest.len() as u64);
            let malformed = || {
                Error::new(ErrorKind::Malformed, "BinaryIdLen").at(self.offset_of(Part::BinaryIds).saturating_add(at))
            };
            let Some(len) = self.encoding.u64_at(rest, 0) else {
                return (ids, Some(malformed().found(format_args!("{} bytes", rest.len()))));
            };
            let id = usize::try_from(len).ok().and_then(|len| rest.get(8..)?.get(..len));
            match id {
                Some(id) if !id.is_empty() => ids.push(id),
                _ => {
                    let error = malformed().expected(format_args!("1 to {} bytes", rest.len().saturating_sub(8)));
                    return (ids, Some(error.found(format_args!("{len} bytes"))));
                }
            }
            let next = len.checked_next_multiple_of(8).and_then(|len| usize::try_from(len.checked_add(8)?).ok());
            rest = next.and_then(|next| rest.get(next..)).unwrap_or(&[]);
        }
        (ids, None)
    }
}

/// Returns the plan of the profile that `bytes` begin with, its encoding, and whether its version is 7.
fn plan_of(bytes: &[u8]) -> Result<(Plan, Encoding, bool), FormatError> {
    let (decoded, seven) = match Header::decode(bytes) {
        Err(FormatError::BadVersion(number)) if u64::from(number) == SEVEN => (decode_seven(bytes)?, true),
        decoded => (decoded?, false),
    };
    let (header, version, encoding) = decoded;
    Ok((Plan::of_header(header, version, encoding.word)?, encoding, seven))
}

/// Returns the header of a profile of version 7: its words are those of version 8.
fn decode_seven(bytes: &[u8]) -> Result<(Header, RawVersion, Encoding), FormatError> {
    const LEN: usize = RawVersion::V8.header_words() * 8;
    let header: [u8; LEN] = *bytes.first_chunk().ok_or(FormatError::Truncated)?;
    let decoded = |place: usize| {
        let mut header = header;
        *header.get_mut(place).filter(|byte| **byte == SEVEN as u8)? = 8;
        Header::decode(&header).ok()
    };
    // The lowest byte of the version word is the first or the last one.
    [8, 15].into_iter().find_map(decoded).ok_or(FormatError::BadVersion(SEVEN as u32))
}

fn header_error(error: FormatError, bytes: &[u8], start: u64) -> Error {
    match error {
        FormatError::BadMagic => Error::new(ErrorKind::Unrecognized, "Magic").at(start),
        FormatError::BadVersion(number) => Error::new(ErrorKind::UnsupportedVersion, "Version")
            .at(start.saturating_add(8))
            .expected(format_args!("{SEVEN} to {}", RawVersion::NEWEST.number()))
            .found(number),
        FormatError::Truncated if bytes.len() < 8 => Error::new(ErrorKind::Unrecognized, "Magic").at(start),
        FormatError::Truncated => {
            Error::new(ErrorKind::BadHeader, "Header").at(start).found(format_args!("{} bytes", bytes.len()))
        }
        FormatError::Overflow => Error::new(ErrorKind::BadHeader, "Header")
            .at(start)
            .expected("sizes that add up to less than 2^64")
            .found("larger ones"),
    }
}

/// Returns whether a version word's flags say that the first counter of each function is a time stamp.
pub(super) fn is_temporal(file: &RawFile<'_>) -> bool {
    file.plan.variant().has(Variant::TEMPORAL)
}
