//! The plan of a raw profile: the offset and the length of each part.
//!
//! The buffer size, the writers, the merge and the mapping all walk a [`Plan`]. Sizes that need no plan: of binary-id entries in
//! [`binary_id_size`], of value data in [`crate::value`], and of a device's own profile in [`device`].
//! The numbers may come from a file, so every plan is checked once for overflow: see the invariant of [`Plan`], on which sums that wrap
//! rely. [`device`] has only numbers of the program in memory, whose sums cannot overflow.

use core::marker::PhantomData;

use crate::error::FormatError;
pub use crate::header::kind;
use crate::header::{Field, Header, Role, magic};
use crate::parts::{PARTS, Unit};
pub use crate::parts::{Part, Sections};
use crate::{All, Encoding, RawVersion, RecordShape, Scope, Variant, WordSize};

/// How counters and bitmaps are padded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// Zero bytes up to a multiple of 8.
    Words,
    /// Zero bytes up to whole pages of this size, a power of two, so that the file can be mapped over the sections.
    Pages(u64),
}

/// Where a section is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub len: u64,
}

/// The input of a plan: lengths in bytes and addresses of an image's sections.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Raw version and variant flags.
    pub version: u64,
    /// Pointer size of the machine.
    pub word: WordSize,
    /// Bytes of all binary-id entries.
    pub binary_ids: u64,
    /// The sections. The last record may be truncated, as i386 linkers leave it.
    pub sections: Sections<Extent>,
    /// How counters and bitmaps are padded.
    pub padding: Padding,
}

/// A part's place in the file, with the zero bytes after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// The part.
    pub part: Part,
    /// Offset of the first byte from the start of the profile.
    pub offset: u64,
    /// Bytes of the part without padding.
    pub len: u64,
    /// Zero bytes up to the next part.
    pub padding: u64,
}

/// The plan of one profile. Value data begins at [`Plan::fixed_size`]; its length is known only after a walk over the values.
///
/// Invariant, kept by every function that makes or changes a plan and succeeds: the sum of all parts and paddings is less than `u64::MAX`.
///
/// Computes the parts on demand instead of holding a list: the buffer writer of a freestanding program must not copy large values, since
/// that would call `memcpy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan<S = All> {
    header: Header,
    version: RawVersion,
    word: WordSize,
    scope: PhantomData<S>,
}

impl Plan {
    /// Returns the plan of a file with this header. Errors: [`FormatError::Overflow`]. Not used in the archive, which reads a header into its
    /// plan, since a copy would call `memcpy`.
    #[inline]
    pub fn of_header(header: Header, version: RawVersion, word: WordSize) -> Result<Plan, FormatError> {
        let plan = Plan { header, version, word, scope: PhantomData };
        plan.check()?;
        Ok(plan)
    }

    /// Creates the plan of an image. Errors: [`FormatError::BadVersion`], [`FormatError::Overflow`].
    #[inline]
    pub fn of_image(shape: &Shape) -> Result<Plan, FormatError> {
        let number = Variant(shape.version).number();
        let version = RawVersion::from_number(number).ok_or(FormatError::bad_version(number))?;
        let mut plan = Plan::empty(version, shape.word);
        plan.set_image(shape)?;
        Ok(plan)
    }
}

impl<S: Scope> Plan<S> {
    /// Creates a plan without any section, for profiles of this raw version.
    #[inline]
    pub fn empty(version: RawVersion, word: WordSize) -> Plan<S> {
        // The compiler must not see the value: it would call `memcpy` for a constant, and `memset` for zeros.
        Plan { header: Header::of(core::hint::black_box(0)), version, word, scope: PhantomData }
    }

    /// Makes this the plan of the profile whose header `bytes` begin with: of the plan's raw version, and of the machine that [`kind`] has
    /// returned. The plan must be empty before. In place, since a copy would call `memcpy`.
    ///
    /// Errors: [`FormatError::Truncated`], [`FormatError::Overflow`].
    #[inline]
    pub fn read(&mut self, encoding: Encoding, bytes: &[u8]) -> Result<(), FormatError> {
        self.header.read(self.version(), encoding, bytes)?;
        self.word = encoding.word;
        self.check()
    }

    /// Returns the complete header.
    #[inline]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the version word of the header, with its variant flags.
    #[inline]
    pub fn variant(&self) -> Variant {
        Variant(self.header.version)
    }

    /// Makes this the plan of an image, in place. Errors: [`FormatError::BadVersion`], [`FormatError::Overflow`].
    #[inline]
    pub fn set_image(&mut self, shape: &Shape) -> Result<(), FormatError> {
        let variant = Variant(shape.version);
        let (version, word) = S::ONLY.unwrap_or((self.version, shape.word));
        if variant.number() != version.number() {
            return Err(FormatError::bad_version(variant.number()));
        }
        let sections = &shape.sections;
        // Without records and names in memory (correlation through the binary) a reader does not use addresses.
        let correlated = variant.has(Variant::DEBUG_CORRELATE) || (sections.data.len == 0 && sections.names.len == 0);
        // Differences of pointers have the width of pointers, or that of relocations: readers subtract wrapped values of that width.
        let short = S::SHORT_DISTANCES || word == WordSize::W32;
        let mask = if short { u64::from(u32::MAX) } else { u64::MAX };
        self.word = word;
        self.header.version = shape.version;
        self.header.binary_ids_size = shape.binary_ids;
        self.header.value_kind_last = version.value_kinds().wrapping_sub(1) as u64;
        macro_rules! set {
            ($($(#[$doc:meta])* $field:ident [$part:ident since $($rest:tt)*]
                $(= $section:literal $other:tt $(=> $registered:ident)?)?)*) => {$(
                let (part, section) = (Part::$part, &shape.sections.$field);
                let count = if part.is_in(version) { entries(section.len, self.unit(part)) } else { 0 };
                let is_nowhere = correlated || !part.is_in(version) || (part == Part::UniformCounters && count == 0);
                let of = |number: u64| if is_nowhere { 0 } else { number };
                self.header.set(Role::Count, part, count);
                self.header.set(Role::Delta, part, of(section.address.wrapping_sub(sections.data.address) & mask));
                self.header.set(Role::Address, part, of(section.address));
            )*};
        }
        crate::sections!(set);
        self.set_padding(shape.padding)
    }

    /// Computes the paddings around counters and bitmaps. Errors: [`FormatError::Overflow`].
    #[inline]
    pub fn set_padding(&mut self, to: Padding) -> Result<(), FormatError> {
        self.header.padding_before_counters = 0;
        let mut unit = 8;
        if let Padding::Pages(size) = to {
            unit = size;
            self.header.padding_before_counters = padding(self.chunk(Part::Counters).offset, unit);
        }
        // Version 8 does not pad byte counters to words, only to pages.
        let unit_of_counters = if self.version() == RawVersion::V8 && to == Padding::Words { 1 } else { unit };
        self.header.padding_after_counters = padding(self.size(Part::Counters).0, unit_of_counters);
        self.header.padding_after_bitmap = padding(self.size(Part::Bitmap).0, unit);
        self.header.padding_after_uniform_counters = padding(self.size(Part::UniformCounters).0, 8);
        self.check()
    }

    /// Checks that the sum of all parts and paddings is less than `u64::MAX` ([`FormatError::Overflow`]).
    #[inline(always)]
    fn check(&self) -> Result<(), FormatError> {
        if self.fixed_size() < u64::MAX { Ok(()) } else { Err(FormatError::Overflow) }
    }

    /// Returns the size of an element of a part.
    #[inline(always)]
    fn unit(&self, part: Part) -> u64 {
        match part.unit() {
            Unit::Byte => 1,
            Unit::Counter => self.counter_size(),
            Unit::Record => RecordShape::of(self.version(), self.word()).size,
            Unit::VTable => vtable_size(self.word()),
        }
    }

    /// Returns the length of a part and of the padding after it. (Only [`Plan::check`] sees a length that overflows: the largest number.)
    pub fn size(&self, part: Part) -> (u64, u64) {
        macro_rules! measure {
            ($($(#[$doc:meta])* $field:ident [$part:ident since $since:ident, $unit:ident]
                $(= $section:literal $other:tt $(=> $registered:ident)?)?)*) => {
                match part {
                    Part::Header => ((self.version().header_words() as u64).wrapping_mul(8), Some(0)),
                    Part::BinaryIds => (self.header.binary_ids_size, Some(0)),
                    $(Part::$part => {
                        let number = |role| Some(self.header.number(Field::of(role, Part::$part)?, self.word));
                        (number(Role::Count).unwrap_or(0), number(Role::Padding))
                    })*
                }
            };
        }
        let (count, zeros) = crate::sections!(measure);
        let len = count.saturating_mul(self.unit(part));
        (len, zeros.unwrap_or(padding(len, 8)))
    }

    /// Returns all parts, in file order.
    #[inline]
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> + '_ {
        PARTS.iter().map(|part| self.chunk(*part))
    }

    /// Returns the place of a part.
    pub fn chunk(&self, part: Part) -> Chunk {
        let mut chunk = Chunk { part, offset: 0, len: 0, padding: 0 };
        for next in PARTS {
            (chunk.len, chunk.padding) = self.size(next);
            if next == part {
                break;
            }
            chunk.offset = chunk.offset.saturating_add(chunk.len).saturating_add(chunk.padding);
        }
        chunk
    }

    /// Returns the number of bytes before the value data.
    pub fn fixed_size(&self) -> u64 {
        let [.., last] = PARTS;
        let last = self.chunk(last);
        last.offset.saturating_add(last.len).saturating_add(last.padding)
    }

    /// Passes the words of the header to `each`, in file order.
    #[inline(always)]
    pub fn each_header_word(&self, mut each: impl FnMut(u64)) {
        each(magic(self.word()));
        self.header.each(self.version(), each);
    }

    /// Returns the raw version of the file.
    #[inline(always)]
    pub fn version(&self) -> RawVersion {
        S::ONLY.map_or(self.version, |(only, _)| only)
    }

    /// Returns the pointer size of the machine.
    #[inline]
    pub fn word(&self) -> WordSize {
        S::ONLY.map_or(self.word, |(_, only)| only)
    }

    /// Returns the size of a counter.
    #[inline]
    pub fn counter_size(&self) -> u64 {
        self.variant().counter_size()
    }
}

/// Returns the size of a vtable record: u64 hash, pointer, u32 size, padded to a multiple of 8.
#[inline]
pub const fn vtable_size(word: WordSize) -> u64 {
    match word {
        WordSize::W64 => 24,
        WordSize::W32 => 16,
    }
}

/// Returns the size of a binary id's entry: the length as `u64`, `len` bytes, zeros up to a multiple of 8. The largest one on overflow.
#[inline]
pub const fn binary_id_size(len: u64) -> u64 {
    len.saturating_add(15) & !7
}

/// Returns the number of zero bytes after `len` bytes up to a multiple of `unit`, a power of two.
#[inline]
pub const fn padding(len: u64, unit: u64) -> u64 {
    len.wrapping_neg() & unit.wrapping_sub(1)
}

/// Returns the number of entries of `size` bytes in `len` bytes, of which the last may be truncated.
#[inline]
pub const fn entries(len: u64, size: u64) -> u64 {
    match len.checked_add(size.saturating_sub(1)) {
        Some(up) => match up.checked_div(size) {
            Some(count) => count,
            None => 0,
        },
        None => 0,
    }
}

pub mod device;

#[cfg(test)]
mod tests;
