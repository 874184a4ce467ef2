//! Raw profiles of one version to raw profiles of another: the same parts, with records and header in the layout of the other version.
//!
//! A converted profile has the addresses of functions, vtables and names that the process had. Its counters stand as if they followed the
//! records in memory, and the bitmaps the counters, since records have different sizes in different versions.

use anyhow::{Result, anyhow, ensure};
use profdata::error::{Error, ErrorKind};
use profdata::finding::{Finding, FindingKind};
use profdata::read::names::NameTable;
use profdata::read::raw::{RawFile, RecordHead};
use profdata::sink::Format;
use profdata::{Flags, Heading};
use profrt_format::layout::Part;
use profrt_format::value_record::{FunctionValues, value_and_count_in};
use profrt_format::{Encoding, Endian, RawVersion, RecordShape, WordSize};

use super::raw::{Profile, Section, Site, zeros};
use crate::text::many;

/// What was made of an input.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    pub(crate) bytes: Vec<u8>,
    pub(crate) profiles: u64,
    pub(crate) records: u64,
    /// What the version has no place for.
    pub(crate) findings: Vec<Finding>,
    /// What else a user should know, a line each.
    pub(crate) notes: Vec<String>,
}

/// The version of clang 13, with the layout of version 8 and absolute addresses of counters.
const SEVEN: u64 = 7;

/// Converts all profiles of a raw file.
///
/// Errors: the input is not whole, has its records only in its binary, or has flags that readers of the version would misunderstand.
pub(crate) fn convert(input: &[u8], to: u64) -> Result<Converted> {
    let mut converted = Converted::default();
    let mut at = 0;
    while let Some(start) = next(input, at)? {
        let file = RawFile::parse(input, start)?;
        let values = Values::read(&file)?;
        at = start + usize::try_from(file.plan().fixed_size())? + values.len;
        let heading = file.heading();
        check(&file, &heading, to)?;
        converted.bytes.resize(converted.bytes.len() + zeros(converted.bytes.len()), 0);
        if file.version_number() == to {
            converted.bytes.extend(input.get(start..at).unwrap_or(&[]));
        } else {
            let mut writer = Writer { file: &file, to, left: Left::default() };
            converted.bytes.extend(writer.write(values)?);
            writer.left.report(&mut converted);
            note(&heading, to, &mut converted.notes);
        }
        converted.profiles += 1;
        converted.records += file.num_records() as u64;
    }
    converted.notes.dedup();
    Ok(converted)
}

/// Returns where the next profile begins. Errors: something else follows.
fn next(input: &[u8], at: usize) -> Result<Option<usize>, Error> {
    if at == 0 {
        return Ok(Some(0));
    }
    // Readers skip zeros between profiles; no magic begins with one.
    let zeros = input.get(at..).unwrap_or(&[]).iter().position(|byte| *byte != 0);
    match zeros.map(|zeros| at + zeros) {
        Some(start) if !start.is_multiple_of(8) => {
            Err(Error::new(ErrorKind::Malformed, "Header").at(start as u64).expected("a multiple of 8 as offset"))
        }
        start => Ok(start),
    }
}

/// Flags, with the first raw version of which all readers know them.
const FLAGS: [(Flags, u64, &str); 5] = [
    (Flags::LOOP_ENTRIES, 10, "counters of loop entries"),
    (Flags::BYTE_COVERAGE, 8, "byte coverage"),
    (Flags::FUNCTION_ENTRY_ONLY, 8, "counters of function entries only"),
    (Flags::DEBUG_CORRELATE, 8, "correlation through debug info"),
    // LLVM 17 knows them in version 8; LLVM 14 to 16 take them for counts.
    (Flags::TEMPORAL, 9, "time stamps"),
];

/// Checks that a profile can have another version.
fn check(file: &RawFile<'_>, heading: &Heading, to: u64) -> Result<()> {
    let from = file.version_number();
    if from == to {
        return Ok(());
    }
    ensure!(
        !file.needs_correlation(),
        "the profile has no records: they are in its program, in the layout of raw version {from}\n  \
         remedy: convert it to indexed-N or clang-N, with --elf PROGRAM"
    );
    for (flag, since, what) in FLAGS {
        ensure!(
            !heading.flags.has(flag) || to >= since,
            "the profile has {what}, which readers of raw version {to} would take for other counts\n  \
             remedy: convert it to raw-{since} or a later version"
        );
    }
    let bitmaps = |version| if version < 10 { "LLVM 18" } else { "LLVM 19 and later" };
    let are_misread = !file.bitmap().is_empty() && to >= 9 && bitmaps(from) != bitmaps(to);
    ensure!(
        !are_misread,
        "the profile has MC/DC bitmaps of {}, and those of raw version {to} have another layout\n  \
         remedy: read it with the tools of the compiler that made it",
        bitmaps(from)
    );
    let unknown = heading.flags.unknown().bits();
    ensure!(
        unknown == 0,
        "the profile has the flags {unknown:#x}, whose meaning is not known\n  remedy: use a newer profrt"
    );
    Ok(())
}

/// Notes what the other version changes for readers.
fn note(heading: &Heading, to: u64, notes: &mut Vec<String>) {
    let is_older = !matches!(heading.format, Format::Raw(RawVersion::V10 | RawVersion::V11, _));
    if is_older && to >= 10 && !heading.flags.has(Flags::IR) {
        notes.push(
            "the function hashes of this front-end profile are those of clang 21 and earlier: llvm-cov finds them, -fprofile-use of clang 22 \
             finds no counts for many functions (`profrt merge --hashes convert` makes a profile for that)"
                .into(),
        );
    }
}

/// The values of all records.
struct Values {
    /// For each record that has sites: its number and the values of each kind.
    records: Vec<(usize, [Vec<Site>; 3])>,
    /// Bytes of the value data.
    len: usize,
}

impl Values {
    fn read(file: &RawFile<'_>) -> Result<Values> {
        let (encoding, all) = (file.encoding(), file.values());
        let mut values = Values { records: Vec::new(), len: 0 };
        if file.flags().has(Flags::DEBUG_CORRELATE) {
            return Ok(values);
        }
        let kinds = file.plan().version().value_kinds();
        for (index, head) in file.records().enumerate().filter(|(_, head)| head.has_values()) {
            let rest = all.get(values.len..).unwrap_or(&[]);
            let sites = head.sites.get(..kinds).unwrap_or(&[]);
            let Some((mut function, others)) = FunctionValues::take_in(encoding, rest, sites) else {
                let at = file.start() + file.plan().fixed_size() + values.len as u64;
                let error = Error::new(ErrorKind::Truncated, "ValueProfData").at(at);
                return Err(error.found(format_args!("{} bytes", rest.len())).into());
            };
            let mut own: [Vec<Site>; 3] = Default::default();
            for (kind, (slot, number)) in own.iter_mut().zip(head.sites).enumerate() {
                let pairs = (0..number).map(|_| function.next_site(kind));
                slot.extend(
                    pairs.map(|site| site.iter().map(|pair| value_and_count_in(encoding, pair)).collect::<Site>()),
                );
            }
            values.records.push((index, own));
            values.len = all.len() - others.len();
        }
        Ok(values)
    }
}

/// What a version has no place for.
#[derive(Default)]
struct Left {
    bitmaps: u64,
    uniformity: u64,
    vtable_values: u64,
    vtable_names: u64,
    wave_sizes: u64,
}

impl Left {
    fn report(&self, converted: &mut Converted) {
        let kinds = [
            (self.bitmaps, FindingKind::BitmapsLeftOut { records: self.bitmaps }),
            (self.uniformity, FindingKind::UniformityLeftOut { records: self.uniformity }),
            (self.vtable_values, FindingKind::ValueKindLeftOut { kind: 2, records: self.vtable_values }),
            (self.vtable_names, FindingKind::VtableNamesLeftOut { names: self.vtable_names }),
        ];
        converted
            .findings
            .extend(kinds.into_iter().filter(|(count, _)| *count > 0).map(|(_, kind)| Finding::of_input(kind)));
        if self.wave_sizes > 0 {
            converted.notes.push(format!("the wave sizes of {} are left out", many(self.wave_sizes, "record")));
        }
    }
}

/// Writes one profile.
struct Writer<'a> {
    file: &'a RawFile<'a>,
    to: u64,
    left: Left,
}

impl Writer<'_> {
    fn write(&mut self, values: Values) -> Result<Vec<u8>> {
        let (file, encoding) = (self.file, self.file.encoding());
        let layout =
            RawVersion::from_number(self.to.max(8)).ok_or_else(|| anyhow!("raw version {} is not known", self.to))?;
        let shape = RecordShape::of(layout, encoding.word);
        let counters = file.part(Part::Counters);
        // As if the counters followed the records, and the bitmaps the counters: no difference of addresses is negative.
        let counters_address = file.num_records() as u64 * shape.size;
        let bitmap_address = counters_address + counters.len().next_multiple_of(8) as u64;
        let data = self.records(&shape, layout, counters_address, bitmap_address);
        let (ids, error) = file.binary_ids();
        if let Some(error) = error {
            return Err(error.into());
        }
        let section = |address, part| Section { address, bytes: file.part(part).to_vec() };
        let mut made = Profile {
            encoding,
            version: file.flags().bits() | layout.number(),
            build_ids: ids.into_iter().map(<[u8]>::to_vec).collect(),
            data: Section { address: 0, bytes: data },
            counters: Section { address: counters_address, bytes: counters.to_vec() },
            bitmap: section(bitmap_address, Part::Bitmap),
            names: section(file.plan().header().names_delta, Part::Names),
            vtables: section(0, Part::VTables),
            vnames: section(0, Part::VNames),
            values: Vec::new(),
        };
        if !layout.has_vtables() {
            // LLVM 22's runtime writes the names of a custom profile in the place of the names of vtables.
            if made.names.bytes.is_empty() {
                made.names.bytes = std::mem::take(&mut made.vnames.bytes);
            }
            self.left.vtable_names = NameTable::salvage(&made.vnames.bytes).0.len() as u64;
        }
        let kept = layout.value_kinds();
        for (index, mut sites) in values.records {
            self.left.vtable_values += u64::from(sites.iter().skip(kept).any(|kind| !kind.is_empty()));
            made.values.push((index, sites.iter_mut().take(kept).flat_map(std::mem::take).collect()));
        }
        let mut bytes = made.write()?;
        if self.to == SEVEN
            && let Some(word) = bytes.get_mut(8..16)
        {
            word.copy_from_slice(&encoding.u64_bytes(file.flags().bits() | SEVEN));
        }
        Ok(bytes)
    }

    /// Returns the records in another layout.
    fn records(&mut self, shape: &RecordShape, layout: RawVersion, counters: u64, bitmap: u64) -> Vec<u8> {
        let (file, encoding) = (self.file, self.file.encoding());
        let old = RecordShape::of(file.plan().version(), encoding.word);
        let mut data = Vec::new();
        let bytes = file.part(Part::Data).chunks_exact(old.size as usize);
        for ((index, head), bytes) in (0u64..).zip(file.records()).zip(bytes) {
            // Addresses are relative to the record, but absolute in version 7.
            let own = if self.to == SEVEN { 0 } else { index * shape.size };
            let has_bitmap = head.num_bitmap_bytes > 0;
            self.count(&head, layout, wave_size(&old, bytes, encoding));
            let mut record = Record { bytes: vec![0; shape.size as usize], encoding };
            record.put(shape.name_ref, &encoding.u64_bytes(head.name_ref));
            record.put(shape.func_hash, &encoding.u64_bytes(head.hash));
            record.put_word(shape.counter_ptr, counters.wrapping_add(head.counters_at).wrapping_sub(own));
            if let (Some(pointer), Some(number), true) = (shape.bitmap_ptr, shape.num_bitmap_bytes, has_bitmap) {
                record.put_word(pointer, bitmap.wrapping_add(head.bitmap_at).wrapping_sub(own));
                record.put(number, &encoding.u32_bytes(head.num_bitmap_bytes));
            }
            record.put_word(shape.function_pointer, head.function_pointer);
            record.put_word(shape.values, encoding.word_at(bytes, old.values).unwrap_or(0));
            record.put(shape.num_counters, &encoding.u32_bytes(head.num_counters));
            for (kind, sites) in head.sites.into_iter().enumerate().take(layout.value_kinds()) {
                record.put_u16(shape.num_value_sites + 2 * kind, sites);
            }
            data.extend(record.bytes);
        }
        data
    }

    /// Counts what the version has no place for.
    fn count(&mut self, head: &RecordHead, layout: RawVersion, wave_size: u16) {
        self.left.bitmaps += u64::from(!layout.has_bitmap() && head.num_bitmap_bytes > 0);
        self.left.uniformity += u64::from(head.uniform_at.is_some());
        self.left.wave_sizes += u64::from(wave_size > 0);
    }
}

/// Returns the wave size of a record, which follows the numbers of sites where there are uniform counters.
fn wave_size(shape: &RecordShape, record: &[u8], encoding: Encoding) -> u16 {
    let at = shape.uniform_counter_ptr.map(|_| shape.num_value_sites + 2 * RawVersion::V11.value_kinds());
    at.and_then(|at| encoding.u16_at(record, at)).unwrap_or(0)
}

/// A record that is being made.
struct Record {
    bytes: Vec<u8>,
    encoding: Encoding,
}

impl Record {
    fn put(&mut self, at: usize, new: &[u8]) {
        if let Some(bytes) = self.bytes.get_mut(at..at + new.len()) {
            bytes.copy_from_slice(new);
        }
    }

    fn put_word(&mut self, at: usize, value: u64) {
        match self.encoding.word {
            WordSize::W32 => self.put(at, &self.encoding.u32_bytes(value as u32)),
            WordSize::W64 => self.put(at, &self.encoding.u64_bytes(value)),
        }
    }

    fn put_u16(&mut self, at: usize, value: u16) {
        match self.encoding.endian {
            Endian::Little => self.put(at, &value.to_le_bytes()),
            Endian::Big => self.put(at, &value.to_be_bytes()),
        }
    }
}
