//! One profile: every field of the header against the file and against the parts, every part against the records.

mod header;
mod parts;

use profrt_format::header::magic;
use profrt_format::layout::{Part, Plan};
use profrt_format::{Encoding, Endian, RawVersion, Variant, WordSize};

use super::values::{Bad, values};

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
    /// Bytes of a profile that was not completed, instead of all this.
    pub unfinished: u64,
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
        of(WordSize::W64, Endian::Little),
        of(WordSize::W64, Endian::Big),
        of(WordSize::W32, Endian::Little),
        of(WordSize::W32, Endian::Big),
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
        let is_unfinished = header::is_unfinished(plan.header());
        if !is_unfinished {
            self.padding(&plan).map_err(sized)?;
        }
        self.binary_ids(&plan, encoding).map_err(sized)?;
        let owned = self.records(&plan, encoding).map_err(sized)?;
        let counted = self.counters(&plan, encoding, &owned).map_err(sized)?;
        self.names(&plan, Part::Names).map_err(sized)?;
        self.names(&plan, Part::VNames).map_err(sized)?;
        let variant = plan.variant();
        let fixed = end as usize;
        let (end, values) = if variant.has(Variant::DEBUG_CORRELATE) {
            (fixed, 0)
        } else {
            values(self.profile, fixed, self.part(&plan, Part::Data), plan.version(), encoding)
                .map_err(|bad| sized(self.torn(*bad, fixed, encoding)))?
        };
        Ok(Whole {
            start: self.start,
            end: self.start + end,
            functions: plan.header().num_data,
            counters: match plan.header().num_data {
                0 => plan.header().num_counters,
                _ => owned.iter().map(|owned| owned.number).sum(),
            },
            counted,
            bitmap_bytes: plan.header().num_bitmap_bytes,
            values,
            vtables: plan.header().num_vtables,
            unfinished: if is_unfinished { plan.header().padding_after_counters } else { 0 },
            kind: kind(plan.version(), encoding, variant),
        })
    }

    /// Bytes of a part that is within the file.
    fn part(&self, plan: &Plan, part: Part) -> &[u8] {
        let chunk = plan.chunk(part);
        &self.profile[chunk.offset as usize..][..chunk.len as usize]
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
