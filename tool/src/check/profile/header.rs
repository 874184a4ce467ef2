//! Every field of the header against the file.

use profrt_format::header::{Field, fields, magic};
use profrt_format::layout::{Chunk, Padding, Part, Plan};
use profrt_format::{Encoding, FormatError, Header, RawVersion, Variant, WordSize};

use super::{CUT_SHORT, Check, Checked, Damage, OVERWRITTEN, encodings};
use crate::check::guess::guess;
use crate::text::{many, offset};

/// Flags of the version word that compilers set.
const FLAGS: u64 = 0x1ff << 55;
/// Files are smaller than this.
const ABSURD: u64 = 1 << 40;

impl Check<'_> {
    /// The header, and the plan that it makes.
    pub fn header(&self) -> Checked<(Plan, Encoding)> {
        let profile = self.profile;
        let starts = encodings().into_iter().find(|encoding| encoding.u64_at(profile, 0) == Some(magic(encoding.word)));
        let Some(encoding) = starts else {
            return Err(self.no_profile());
        };
        let (header, version, encoding) = match Header::decode(profile) {
            Ok(decoded) => decoded,
            Err(FormatError::BadVersion(_)) => {
                let number = Variant(encoding.u64_at(profile, 8).unwrap_or(0)).number();
                let cause = if number > RawVersion::V11.number() && number < 32 {
                    "the profile is of a newer LLVM than this tool knows; take the newest profrt"
                } else if number > 0 && number < RawVersion::V8.number() {
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
        // A writer that knows fewer kinds says so; readers go by the records.
        let last = version.value_kinds() as u64 - 1;
        if header.value_kind_last > last {
            let found = header.value_kind_last.to_string();
            let cause = "the runtime that wrote the file is of another LLVM than its version word says, or the header is damaged";
            return Err(self.bad(
                "ValueKindLast",
                place(Field::ValueKindLast),
                format!("at most {last}"),
                found,
                cause,
            ));
        }
        let plan = Plan::of_header(header, version, encoding.word).map_err(|error| {
            let (field, value) = largest(&header, version);
            self.bad(
                format!("{field:?}"),
                place(field),
                "a size that a file can have",
                offset(value),
                error.to_string(),
            )
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
        let header = plan.header();
        if is_unfinished(header) {
            return Ok(());
        }
        let found = [
            (Field::PaddingBytesBeforeCounters, header.padding_before_counters),
            (Field::PaddingBytesAfterCounters, header.padding_after_counters),
            (Field::PaddingBytesAfterBitmapBytes, header.padding_after_bitmap),
        ];
        let padded = |padding| {
            let mut again = *plan;
            again.set_padding(padding).ok()?;
            let header = again.header();
            Some([header.padding_before_counters, header.padding_after_counters, header.padding_after_bitmap])
        };
        let pages = (12..=21).map(|bits| 1 << bits);
        let usual = padded(Padding::Words);
        let numbers = found.map(|(_, number)| number);
        if usual == Some(numbers) || pages.into_iter().any(|page| padded(Padding::Pages(page)) == Some(numbers)) {
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
    pub fn extent(&self, plan: &Plan) -> Checked {
        let have = self.profile.len() as u64;
        if plan.fixed_size() <= have {
            return Ok(());
        }
        if let Some(chunk) = plan.chunks().find(|chunk| chunk.len > ABSURD) {
            let field = size_field(chunk.part);
            let at = place(plan.version(), field);
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
}

/// Returns whether this is the placeholder of a profile that a killed writer has not completed: its padding is that profile.
pub fn is_unfinished(header: &Header) -> bool {
    header.padding_after_counters > 0
        && header.num_data <= 1
        && header.num_counters == header.num_data
        && header.names_size == 0
}

/// Where a field of the header stands.
fn place(version: RawVersion, field: Field) -> usize {
    fields(version).position(|own| own == field).unwrap_or(0) * 8
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
    let number = |field| header.number(field, WordSize::W64);
    let known = sizes.into_iter().filter(|field| fields(version).any(|own| own == *field));
    known.map(|field| (field, number(field))).max_by_key(|(_, number)| *number).unwrap_or((Field::NumData, 0))
}

fn end_after(len: usize) -> String {
    format!("the end of the file, after {} of this profile", many(len as u64, "byte"))
}
