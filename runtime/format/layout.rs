//! The plan of a raw profile: the offset and the length of each part.
//!
//! The buffer size, the writers, the merge and the mapping all walk a [`Plan`]. Sizes that need no plan: of binary-id entries in
//! [`binary_id_size`], of value data in [`crate::value`], and of a device's own profile in [`device`].
//! The numbers may come from a file, so every plan is checked once for overflow: see the invariant of [`Plan`], on which sums that wrap
//! rely. [`device`] has only numbers of the program in memory, whose sums cannot overflow.

use core::marker::PhantomData;

use crate::error::FormatError;
use crate::header::{Field, Header, Role, magic};
use crate::parts::{PARTS, Unit};
pub use crate::parts::{Part, Sections};
use crate::{All, Encoding, RawVersion, RecordShape, Scope, Variant, WordSize};

/// How counters and bitmaps are padded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// Zero bytes up to a multiple of 8.
    Words,
    /// Zero bytes up to whole pages of this size, so that the file can be mapped over the sections.
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
/// Invariant, kept by every function that makes or changes a plan and succeeds: the sum of all parts and paddings does not overflow.
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

    /// Makes this the plan of the profile whose header `bytes` begin with, of any machine and of the plan's raw version. Returns the encoding
    /// of its numbers. The plan must be empty before. In place, since a copy would call `memcpy`.
    ///
    /// Errors: [`FormatError::Truncated`], [`FormatError::BadMagic`], [`FormatError::BadVersion`], [`FormatError::Overflow`].
    pub fn read(&mut self, bytes: &[u8]) -> Result<Encoding, FormatError> {
        let (version, encoding) = self.header.read(bytes)?;
        if version != self.version() {
            return Err(FormatError::bad_version(version.number()));
        }
        self.word = encoding.word;
        self.check()?;
        Ok(encoding)
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
        self.set_padding(shape.padding)?;
        self.check()
    }

    /// Computes the paddings around counters and bitmaps. Errors: [`FormatError::Overflow`].
    pub fn set_padding(&mut self, padding: Padding) -> Result<(), FormatError> {
        let record = RecordShape::of(self.version(), self.word()).size;
        let counter = self.counter_size();
        let version = self.version();
        let header = &mut self.header;
        let (unit, paged) = match padding {
            Padding::Words => (8, false),
            Padding::Pages(size) => (size, true),
        };
        header.padding_before_counters = 0;
        if paged {
            let before = (version.header_words() as u64)
                .wrapping_mul(8)
                .checked_add(header.binary_ids_size)
                .and_then(|at| at.checked_add(header.num_data.checked_mul(record)?))
                .ok_or(FormatError::Overflow)?;
            header.padding_before_counters = pad_to(before, unit)?;
        }
        let bytes = |count: u64| count.checked_mul(counter).ok_or(FormatError::Overflow);
        // Version 8 does not pad byte counters to words, only to pages.
        let unit_of_counters = if version == RawVersion::V8 && !paged { 1 } else { unit };
        header.padding_after_counters = pad_to(bytes(header.num_counters)?, unit_of_counters)?;
        header.padding_after_bitmap = pad_to(header.num_bitmap_bytes, unit)?;
        header.padding_after_uniform_counters = pad_to(bytes(header.num_uniform_counters)?, 8)?;
        Ok(())
    }

    /// Checks that the sum of all parts and paddings does not overflow ([`FormatError::Overflow`]).
    fn check(&self) -> Result<(), FormatError> {
        let mut end: u64 = 0;
        for part in PARTS {
            let (len, padding) = self.measure(part).ok_or(FormatError::Overflow)?;
            end = end.checked_add(len).and_then(|end| end.checked_add(padding)).ok_or(FormatError::Overflow)?;
        }
        Ok(())
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

    /// Returns the length of a part and of the padding after it, or `None` on overflow.
    fn measure(&self, part: Part) -> Option<(u64, u64)> {
        macro_rules! measure {
            ($($(#[$doc:meta])* $field:ident [$part:ident since $since:ident, $unit:ident]
                $(= $section:literal $other:tt $(=> $registered:ident)?)?)*) => {
                match part {
                    Part::Header => Some(((self.version().header_words() as u64).wrapping_mul(8), 0)),
                    Part::BinaryIds => Some((self.header.binary_ids_size, 0)),
                    $(Part::$part => {
                        let number = |role| Some(self.header.number(Field::of(role, Part::$part)?, self.word));
                        let len = number(Role::Count)?.checked_mul(self.unit(Part::$part))?;
                        Some((len, number(Role::Padding).or_else(|| padding(len, 8))?))
                    })*
                }
            };
        }
        crate::sections!(measure)
    }

    /// Returns the length of a part and of the padding after it.
    #[inline]
    pub fn size(&self, part: Part) -> (u64, u64) {
        // Never `None`, by the invariant.
        self.measure(part).unwrap_or((0, 0))
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
            chunk.offset = chunk.offset.wrapping_add(chunk.len).wrapping_add(chunk.padding);
        }
        chunk
    }

    /// Returns the number of bytes before the value data.
    pub fn fixed_size(&self) -> u64 {
        let [.., last] = PARTS;
        let last = self.chunk(last);
        last.offset.wrapping_add(last.len).wrapping_add(last.padding)
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

/// Returns the size of a binary id's entry: the length as `u64`, `len` bytes, zeros up to a multiple of 8. The largest number on overflow.
#[inline]
pub const fn binary_id_size(len: u64) -> u64 {
    match padding(len, 8) {
        Some(zeros) => len.saturating_add(zeros).saturating_add(8),
        None => u64::MAX,
    }
}

/// Returns the number of zero bytes after `len` bytes up to a multiple of `unit`, or `None` on overflow.
#[inline]
pub const fn padding(len: u64, unit: u64) -> Option<u64> {
    match len.checked_next_multiple_of(unit) {
        Some(padded) => Some(padded.wrapping_sub(len)),
        None => None,
    }
}

/// Returns what [`padding`] returns.
#[inline]
fn pad_to(len: u64, unit: u64) -> Result<u64, FormatError> {
    padding(len, unit).ok_or(FormatError::Overflow)
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
