//! One profile: every field of the header against the file and against the parts, every part against the records.

use profrt::error::Error;
use profrt::format::header::{Field, fields, magic};
use profrt::format::{Encoding, Endian, Header, RawVersion, RecordShape, Variant, Word};
use profrt::layout::{Chunk, Padding, Part, Plan, of_header};

use super::guess::guess;
use super::names::names;
use super::values::{Bad, values};
use crate::raw::reason;
use crate::text::{many, offset};

/// A profile that is whole.
#[derive(Debug)]
pub struct Whole {
    /// Where it begins in the file.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Control records.
    pub functions: u64,
    /// Counters that belong to functions; all where the records are elsewhere.
    pub counters: u64,
    /// Counters that are not 0, or bytes that say "covered".
    pub counted: u64,
    /// Bytes of MC/DC bitmaps.
    pub bitmap_bytes: u64,
    /// Values of value sites.
    pub values: u64,
    /// Virtual tables.
    pub vtables: u64,
    /// Raw version, machine and instrumentation, for people.
    pub kind: String,
}

/// What is wrong with a profile: the first thing that is.
#[derive(Debug)]
pub struct Finding {
    /// Which field.
    pub field: String,
    /// Where it is in the file.
    pub offset: usize,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// The likely cause, and the remedy.
    pub cause: String,
    /// What of this profile can be kept.
    pub salvage: Vec<String>,
}

/// Value data that are not whole, behind other parts that are.
#[derive(Debug)]
pub struct TornValues {
    /// Where the good ones end, in the file.
    pub from: usize,
    /// Sites of the functions that have no good value record.
    pub sites: Vec<[u16; 3]>,
    /// How the file's integers are written.
    pub encoding: Encoding,
}

/// A profile that is not whole.
#[derive(Debug)]
pub struct Damage {
    /// Where it begins in the file.
    pub start: usize,
    /// Where it should end, as far as the header tells.
    pub end: Option<usize>,
    /// Whether it begins like a profile.
    pub is_profile: bool,
    /// What is wrong.
    pub finding: Finding,
    /// Set when it is only the value data.
    pub torn_values: Option<TornValues>,
}

/// Counts that no program reaches; readers warn of them.
const MOST: u64 = 1 << 56;
/// Flags of the version word that compilers set.
const FLAGS: u64 = 0x1ff << 55;
/// Files are smaller than this.
const ABSURD: u64 = 1 << 40;

const CUT_SHORT: &str = "the file was cut short: the program was killed while it wrote, the disk was full, or a copy was not \
                         complete. Run the program again, or copy the file again";
const OVERWRITTEN: &str = "the bytes were overwritten or damaged: two programs wrote the file at once, or memory or the copy is \
                           bad. Give each process its own file with %p in LLVM_PROFILE_FILE";

/// Checks the profile that begins at `start` in a file.
pub fn profile(bytes: &[u8], start: usize) -> Result<Whole, Box<Damage>> {
    let profile = &bytes[start..];
    let check = Check { profile, start };
    check.whole().map_err(|mut damage| {
        damage.start = start;
        damage
    })
}

/// What is wrong with a profile that is whole but begins where no reader looks for one.
pub fn misplaced(whole: &Whole) -> Damage {
    let cause = if whole.kind.starts_with("raw version 8,") && whole.kind.contains("byte coverage") {
        "raw version 8 does not pad byte counters, so readers refuse what a second image (a shared object, a child) appends. Give \
         each image its own file with %m in LLVM_PROFILE_FILE"
    } else {
        "something else than a profile was written before it, or bytes are missing there"
    };
    let finding = Finding {
        field: "Magic".into(),
        offset: whole.start,
        expected: "an offset that is a multiple of 8".into(),
        found: whole.start.to_string(),
        cause: cause.into(),
        salvage: vec!["all of this profile, at an offset that readers take".into()],
    };
    Damage { start: whole.start, end: Some(whole.end), is_profile: true, finding, torn_values: None }
}

/// The next place where the magic of a raw profile stands.
pub fn next_magic(bytes: &[u8], from: usize) -> Option<usize> {
    let magics = encodings().map(|encoding| encoding.u64_bytes(magic(encoding.word)));
    let places = bytes.get(from..)?.windows(8).position(|window| magics.iter().any(|magic| magic == window))?;
    Some(from + places)
}

fn encodings() -> [Encoding; 4] {
    let of = |word, endian| Encoding { word, endian };
    [
        of(Word::W64, Endian::Little),
        of(Word::W64, Endian::Big),
        of(Word::W32, Endian::Little),
        of(Word::W32, Endian::Big),
    ]
}

struct Check<'a> {
    /// From the profile's first byte to the end of the file.
    profile: &'a [u8],
    start: usize,
}

type Checked<T = ()> = Result<T, Box<Damage>>;

impl Check<'_> {
    /// A finding at an offset of the profile.
    fn bad(
        &self,
        field: impl Into<String>,
        at: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
        cause: impl Into<String>,
    ) -> Box<Damage> {
        let finding = Finding {
            field: field.into(),
            offset: self.start + at,
            expected: expected.into(),
            found: found.into(),
            cause: cause.into(),
            salvage: Vec::new(),
        };
        Box::new(Damage { start: self.start, end: None, is_profile: true, finding, torn_values: None })
    }

    fn whole(&self) -> Checked<Whole> {
        let (plan, encoding) = self.header()?;
        let end = plan.fixed_size();
        let sized = |mut damage: Box<Damage>| {
            damage.end = usize::try_from(end).ok().and_then(|end| self.start.checked_add(end));
            damage
        };
        self.extent(&plan).map_err(sized)?;
        // From here on all chunks are within the file.
        self.padding(&plan).map_err(sized)?;
        self.binary_ids(&plan, encoding).map_err(sized)?;
        let owned = self.records(&plan, encoding).map_err(sized)?;
        let counted = self.counters(&plan, encoding).map_err(sized)?;
        self.names(&plan, Part::Names).map_err(sized)?;
        self.names(&plan, Part::VNames).map_err(sized)?;
        let variant = Variant(plan.header.version);
        let fixed = end as usize;
        let (end, values) = if variant.has(Variant::DEBUG_CORRELATE) {
            (fixed, 0)
        } else {
            values(self.profile, fixed, self.part(&plan, Part::Data), plan.version, encoding)
                .map_err(|bad| sized(self.torn(*bad, fixed, encoding)))?
        };
        Ok(Whole {
            start: self.start,
            end: self.start + end,
            functions: plan.header.num_data,
            counters: if plan.header.num_data > 0 { owned } else { plan.header.num_counters },
            counted,
            bitmap_bytes: plan.header.num_bitmap_bytes,
            values,
            vtables: plan.header.num_vtables,
            kind: kind(plan.version, encoding, variant),
        })
    }

    fn header(&self) -> Checked<(Plan, Encoding)> {
        let profile = self.profile;
        let starts = encodings().into_iter().find(|encoding| encoding.u64_at(profile, 0) == Some(magic(encoding.word)));
        let Some(encoding) = starts else {
            return Err(self.no_profile());
        };
        let (header, version, encoding) = match Header::decode(profile) {
            Ok(decoded) => decoded,
            Err(Error::BadVersion(number)) => {
                let cause = if u64::from(number) > RawVersion::V11.number() && number < 32 {
                    "the profile is of a newer LLVM than this tool knows; take the newest profrt"
                } else if number > 0 && u64::from(number) < RawVersion::V8.number() {
                    "the profile is of LLVM 13 or older; use the llvm-profdata of that release"
                } else {
                    OVERWRITTEN
                };
                return Err(self.bad("Version", 8, "a raw version from 8 to 11", number.to_string(), cause));
            }
            Err(_) => {
                let words =
                    encoding.u64_at(profile, 8).and_then(|word| RawVersion::from_number(Variant(word).number()));
                let expected = words.map_or("a header".to_owned(), |version| {
                    format!("a header of {} bytes", version.header_words() * 8)
                });
                return Err(self.bad("header", profile.len(), expected, end_after(profile.len()), CUT_SHORT));
            }
        };
        let place = |field| place(version, field);
        let flags = header.version & !0xffff_ffff & !FLAGS;
        if flags != 0 {
            let cause = format!("{OVERWRITTEN}; or the compiler is newer than this tool");
            return Err(self.bad("Version", 8, "flags in bits 55 to 63 only", format!("{:#x}", header.version), cause));
        }
        let last = version.value_kinds() as u64 - 1;
        if header.value_kind_last != last {
            let found = header.value_kind_last.to_string();
            let cause = "the runtime that wrote the file is of another LLVM than its version word says, or the header is damaged";
            return Err(self.bad("ValueKindLast", place(Field::ValueKindLast), last.to_string(), found, cause));
        }
        let plan = of_header(header, version, encoding.word).map_err(|error| {
            let (field, value) = largest(&header, version);
            self.bad(format!("{field:?}"), place(field), "a size that a file can have", offset(value), reason(error))
        })?;
        self.paddings(&plan, place)?;
        Ok((plan, encoding))
    }

    fn no_profile(&self) -> Box<Damage> {
        if self.start == 0 {
            let known = guess(self.profile);
            let mut damage = self.bad("Magic", 0, "a raw profile", known.found, known.cause);
            if !self.profile.is_empty()
                && self.profile.len() < 8
                && encodings().iter().any(|encoding| encoding.u64_bytes(magic(encoding.word)).starts_with(self.profile))
            {
                damage.finding.cause = CUT_SHORT.to_owned();
            }
            damage.is_profile = false;
            return damage;
        }
        let known = guess(self.profile);
        let cause = "something is left or was written behind the profile: a longer file was overwritten in place, or two programs \
                     wrote at once";
        let mut damage =
            self.bad("bytes behind the profile", 0, "the end of the file, or the next profile", known.found, cause);
        damage.is_profile = false;
        damage
    }

    /// The paddings are to words or to pages.
    fn paddings(&self, plan: &Plan, place: impl Fn(Field) -> usize) -> Checked {
        let header = &plan.header;
        let found = [
            (Field::PaddingBytesBeforeCounters, header.padding_before_counters),
            (Field::PaddingBytesAfterCounters, header.padding_after_counters),
            (Field::PaddingBytesAfterBitmapBytes, header.padding_after_bitmap),
        ];
        let padded = |padding| {
            let mut again = *plan;
            again.set_padding(padding).ok()?;
            let header = again.header;
            Some([header.padding_before_counters, header.padding_after_counters, header.padding_after_bitmap])
        };
        let pages = (12..=21).map(|bits| Padding::Pages(1 << bits));
        let usual = padded(Padding::Words);
        let numbers = found.map(|(_, number)| number);
        if [Padding::Words].into_iter().chain(pages).any(|padding| padded(padding) == Some(numbers)) {
            return Ok(());
        }
        let usual = usual.unwrap_or_default();
        let odd = found.into_iter().zip(usual).find(|((_, found), usual)| found != usual);
        let Some(((field, number), usual)) = odd else { return Ok(()) };
        let expected = format!("{usual}, or what fills a page");
        Err(self.bad(
            format!("{field:?}"),
            place(field),
            expected,
            offset(number),
            "the header is damaged: run the program again",
        ))
    }

    /// All parts are within the file.
    fn extent(&self, plan: &Plan) -> Checked {
        let have = self.profile.len() as u64;
        if plan.fixed_size() <= have {
            return Ok(());
        }
        if let Some(chunk) = plan.chunks().find(|chunk| chunk.len > ABSURD) {
            let field = size_field(chunk.part);
            let at = place(plan.version, field);
            let found = format!("a number that takes {} bytes", offset(chunk.len));
            return Err(self.bad(
                format!("{field:?}"),
                at,
                format!("at most the {have} bytes that are there"),
                found,
                OVERWRITTEN,
            ));
        }
        let ends = |chunk: &Chunk| chunk.offset + chunk.len + chunk.padding;
        let chunk = plan.chunks().find(|chunk| ends(chunk) > have).unwrap_or(plan.chunk(Part::VNames));
        let expected = format!(
            "{:?} up to offset {}, and {} bytes in all before the value data",
            chunk.part,
            offset(self.start as u64 + ends(&chunk)),
            plan.fixed_size()
        );
        Err(self.bad(
            format!("{:?}", chunk.part),
            self.profile.len(),
            expected,
            end_after(self.profile.len()),
            CUT_SHORT,
        ))
    }

    /// Bytes of a part that is within the file.
    fn part(&self, plan: &Plan, part: Part) -> &[u8] {
        let chunk = plan.chunk(part);
        &self.profile[chunk.offset as usize..][..chunk.len as usize]
    }

    fn padding(&self, plan: &Plan) -> Checked {
        for chunk in plan.chunks() {
            let from = (chunk.offset + chunk.len) as usize;
            let bytes = &self.profile[from..][..chunk.padding as usize];
            if let Some(place) = bytes.iter().position(|byte| *byte != 0) {
                let field = format!("padding behind {:?}", chunk.part);
                let cause = format!("a size in the header does not fit what follows, or {OVERWRITTEN}");
                return Err(self.bad(field, from + place, "0", bytes[place].to_string(), cause));
            }
        }
        Ok(())
    }

    fn binary_ids(&self, plan: &Plan, encoding: Encoding) -> Checked {
        let chunk = plan.chunk(Part::BinaryIds);
        let base = chunk.offset as usize;
        let bytes = self.part(plan, Part::BinaryIds);
        let mut at = 0;
        while at < bytes.len() {
            let left = bytes.len() - at;
            let len = encoding.u64_at(bytes, at);
            let entry = len.and_then(|len| len.checked_next_multiple_of(8)?.checked_add(8));
            match entry {
                Some(size) if size > 8 && size <= left as u64 => at += size as usize,
                _ => {
                    let found = len.map_or(many(left as u64, "byte"), |len| format!("a length of {len}"));
                    let expected = format!("a binary id in the {left} bytes that are left for ids");
                    return Err(self.bad("binary id", base + at, expected, found, OVERWRITTEN));
                }
            }
        }
        Ok(())
    }

    /// Each record's counters and bitmap lie within theirs. How many counters belong to functions.
    fn records(&self, plan: &Plan, encoding: Encoding) -> Checked<u64> {
        let data = self.part(plan, Part::Data);
        let base = plan.chunk(Part::Data).offset as usize;
        let shape = RecordShape::of(plan.version, encoding.word);
        let counter = plan.counter_size();
        let mut owned: u64 = 0;
        for (index, record) in data.chunks_exact(shape.size as usize).enumerate() {
            let at = base + index * shape.size as usize;
            let of = format!("of record {index}");
            let number = u64::from(encoding.u32_at(record, shape.num_counters).unwrap_or(0));
            if number == 0 {
                let cause = self.record_cause(plan, encoding);
                return Err(self.bad(format!("NumCounters {of}"), at + shape.num_counters, "1 or more", "0", cause));
            }
            owned += number;
            let within = |field: &str, pointer: usize, delta: u64, bytes: u64, part: Part| {
                let len = plan.chunk(part).len;
                let from = relative(record, pointer, delta, index, &shape, encoding);
                if from.checked_add(bytes).is_some_and(|end| end <= len) {
                    return Ok(());
                }
                let expected = format!("the place of {bytes} bytes within the {len} of {part:?}");
                let found = if from > len { "a place outside".to_owned() } else { format!("byte {from} of them") };
                Err(self.bad(format!("{field} {of}"), at + pointer, expected, found, self.record_cause(plan, encoding)))
            };
            within("CounterPtr", shape.counter_ptr, plan.header.counters_delta, number * counter, Part::Counters)?;
            let bitmap = shape.num_bitmap_bytes.and_then(|at| encoding.u32_at(record, at)).unwrap_or(0);
            if let (Some(pointer), true) = (shape.bitmap_ptr, bitmap > 0) {
                within("BitmapPtr", pointer, plan.header.bitmap_delta, u64::from(bitmap), Part::Bitmap)?;
            }
        }
        Ok(owned)
    }

    /// Why records make no sense: of another raw version, or damaged.
    fn record_cause(&self, plan: &Plan, encoding: Encoding) -> String {
        let data = self.part(plan, Part::Data);
        let counters = plan.chunk(Part::Counters).len;
        let fits = |version: RawVersion| {
            let shape = RecordShape::of(version, encoding.word);
            let records = data.chunks_exact(shape.size as usize).enumerate().take(4);
            data.len() >= shape.size as usize
                && records.into_iter().all(|(index, record)| {
                    let number = encoding.u32_at(record, shape.num_counters).unwrap_or(0);
                    let delta = plan.header.counters_delta;
                    let from = relative(record, shape.counter_ptr, delta, index, &shape, encoding);
                    let len = u64::from(number) * plan.counter_size();
                    number > 0 && from.checked_add(len).is_some_and(|end| end <= counters)
                })
        };
        // Versions 9 and 10 look alike here; 10 is by far the more frequent one.
        let others = [RawVersion::V10, RawVersion::V8, RawVersion::V11, RawVersion::V9];
        match others.into_iter().find(|other| *other != plan.version && fits(*other)) {
            Some(other) => format!(
                "compiler and runtime do not belong together: the records look like raw version {} ({}), the runtime that wrote \
                 the file is for {} ({}). Link the runtime of the compiler that made the objects",
                other.number(),
                other.emitters(),
                plan.version.number(),
                plan.version.emitters()
            ),
            None => OVERWRITTEN.to_owned(),
        }
    }

    /// How many counters are not 0.
    fn counters(&self, plan: &Plan, encoding: Encoding) -> Checked<u64> {
        let chunk = plan.chunk(Part::Counters);
        let bytes = self.part(plan, Part::Counters);
        if plan.counter_size() == 1 {
            if let Some(place) = bytes.iter().position(|byte| !matches!(byte, 0 | 0xff)) {
                // Padding of the section up to its alignment is zero and so looks covered; other bytes are nothing.
                let at = chunk.offset as usize + place;
                let found = format!("{:#x}", bytes[place]);
                return Err(self.bad(format!("counter {place}"), at, "0 (covered) or 0xff (not)", found, OVERWRITTEN));
            }
            return Ok(bytes.iter().filter(|byte| **byte == 0).count() as u64);
        }
        let mut counted = 0;
        for index in 0..bytes.len() / 8 {
            let count = encoding.u64_at(bytes, index * 8).unwrap_or(0);
            if count > MOST {
                let cause = "the memory of the counters was never zeroed by the start-up code, or was overwritten";
                let at = chunk.offset as usize + index * 8;
                return Err(self.bad(format!("counter {index}"), at, "at most 2^56", format!("{count:#x}"), cause));
            }
            counted += u64::from(count > 0);
        }
        Ok(counted)
    }

    fn names(&self, plan: &Plan, part: Part) -> Checked {
        let base = plan.chunk(part).offset as usize;
        match names(self.part(plan, part)) {
            Ok(_) => Ok(()),
            Err(bad) => {
                let cause = format!("{OVERWRITTEN}; or a size in the header does not fit");
                Err(self.bad(format!("{part:?}"), base + bad.offset, bad.expected, bad.found, cause))
            }
        }
    }

    fn torn(&self, bad: Bad, fixed: usize, encoding: Encoding) -> Box<Damage> {
        let cause = match () {
            () if bad.offset == self.profile.len() && bad.good_end == fixed => {
                "all value data are missing: the program ran in continuous mode (%c, -fprofile-continuous), which writes none, and \
                 readers refuse that; or the file was cut short right there. Salvage it"
            }
            () if bad.found.ends_with("the end of the file") => CUT_SHORT,
            () => OVERWRITTEN,
        };
        let field = format!("{} in the value data of record {}", bad.field, bad.record);
        let mut damage = self.bad(field, bad.offset, bad.expected, bad.found, cause);
        damage.torn_values = Some(TornValues { from: self.start + bad.good_end, sites: bad.without, encoding });
        damage
    }
}

/// Where a record's bytes begin in their part, from the pointer relative to the record.
fn relative(record: &[u8], pointer: usize, delta: u64, index: usize, shape: &RecordShape, encoding: Encoding) -> u64 {
    let pointer = encoding.word_at(record, pointer).unwrap_or(0);
    let from = pointer.wrapping_sub(delta.wrapping_sub((index as u64).wrapping_mul(shape.size)));
    match encoding.word {
        Word::W32 => from & u64::from(u32::MAX),
        Word::W64 => from,
    }
}

/// Where a field of the header stands.
fn place(version: RawVersion, field: Field) -> usize {
    fields(version).iter().position(|own| *own == field).unwrap_or(0) * 8
}

/// The field that says how large a part is.
fn size_field(part: Part) -> Field {
    match part {
        Part::Header => Field::Version,
        Part::BinaryIds => Field::BinaryIdsSize,
        Part::Data => Field::NumData,
        Part::Counters => Field::NumCounters,
        Part::Bitmap => Field::NumBitmapBytes,
        Part::UniformCounters => Field::NumUniformCounters,
        Part::Names => Field::NamesSize,
        Part::VTables => Field::NumVTables,
        Part::VNames => Field::VNamesSize,
    }
}

/// The size field with the largest number.
fn largest(header: &Header, version: RawVersion) -> (Field, u64) {
    let sizes = [
        Field::BinaryIdsSize,
        Field::NumData,
        Field::PaddingBytesBeforeCounters,
        Field::NumCounters,
        Field::PaddingBytesAfterCounters,
        Field::NumBitmapBytes,
        Field::PaddingBytesAfterBitmapBytes,
        Field::NumUniformCounters,
        Field::PaddingBytesAfterUniformCounters,
        Field::NamesSize,
        Field::NumVTables,
        Field::VNamesSize,
    ];
    let number = |field| header.word(place(version, field) / 8, version, Word::W64);
    let known = sizes.into_iter().filter(|field| fields(version).contains(field));
    known.map(|field| (field, number(field))).max_by_key(|(_, number)| *number).unwrap_or((Field::NumData, 0))
}

fn end_after(len: usize) -> String {
    format!("the end of the file, after {} of this profile", many(len as u64, "byte"))
}

/// Raw version, machine and instrumentation.
fn kind(version: RawVersion, encoding: Encoding, variant: Variant) -> String {
    let bits = encoding.word.bytes() * 8;
    let order = match encoding.endian {
        Endian::Little => "little-endian",
        Endian::Big => "big-endian",
    };
    let by = match () {
        () if variant.has(Variant::CONTEXT_SENSITIVE) => "context-sensitive IR",
        () if variant.has(Variant::IR) => "IR",
        () => "front end",
    };
    let mut kind = format!("raw version {}, {bits}-bit {order}, {by}", version.number());
    for (flag, name) in [
        (Variant::BYTE_COVERAGE, "byte coverage"),
        (Variant::TEMPORAL, "temporal"),
        (Variant::DEBUG_CORRELATE, "records in the debug info"),
    ] {
        if variant.has(flag) {
            kind.push_str(", ");
            kind.push_str(name);
        }
    }
    kind
}
