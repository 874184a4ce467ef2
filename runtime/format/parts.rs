//! The tables of a raw profile: its parts, and the words of its header. Everything else that differs by part follows them.

use crate::RawVersion;

/// Passes the table of sections that are parts of a profile to a macro, in file order, then `$more`. A row: the section's name in Rust; its part,
/// the first raw version that has it, what it consists of; what the section is called, also in COFF, with its flags and the length of a mark
/// before it there; under which name old compilers register it.
#[doc(hidden)]
#[macro_export]
macro_rules! sections {
    ($each:ident $($more:tt)*) => {
        $each! {
            /// Control records.
            data [Data since V8, Record] = "__llvm_prf_data" (".lprfd", "dw", 8) => DATA
            /// Counters.
            counters [Counters since V8, Counter] = "__llvm_prf_cnts" (".lprfc", "dw", 8) => COUNTERS
            /// MC/DC bitmaps.
            bitmap [Bitmap since V9, Byte] = "__llvm_prf_bits" (".lprfb", "dw", 8)
            /// Uniform counters: of GPUs, so without a section on CPUs.
            uniform [UniformCounters since V11, Counter]
            /// Function names.
            names [Names since V8, Byte] = "__llvm_prf_names" (".lprfn", "dr", 1) => NAMES
            /// Vtable records.
            vtables [VTables since V10, VTable] = "__llvm_prf_vtab" (".lprfvt", "dw", 8)
            /// Vtable names.
            vnames [VNames since V10, Byte] = "__llvm_prf_vns" (".lprfvn", "dr", 1)
            $($more)*
        }
    };
}

/// Passes the table of the header's words after the magic to a macro, in file order. The raw versions that have a word are those of its part.
macro_rules! words {
    ($each:ident) => {
        $each! {
            /// Raw version and variant flags.
            version, Version = Version of Header;
            /// Bytes of all binary-id entries.
            binary_ids_size, BinaryIdsSize = Count of BinaryIds;
            /// Control records.
            num_data, NumData = Count of Data;
            /// Zero bytes between the records and the counters.
            padding_before_counters, PaddingBytesBeforeCounters = Padding of Data;
            /// Counters (not bytes).
            num_counters, NumCounters = Count of Counters;
            /// Zero bytes after the counters.
            padding_after_counters, PaddingBytesAfterCounters = Padding of Counters;
            /// Bytes of MC/DC bitmaps.
            num_bitmap_bytes, NumBitmapBytes = Count of Bitmap;
            /// Zero bytes after the bitmaps.
            padding_after_bitmap, PaddingBytesAfterBitmapBytes = Padding of Bitmap;
            /// Uniform counters.
            num_uniform_counters, NumUniformCounters = Count of UniformCounters;
            /// Zero bytes after the uniform counters.
            padding_after_uniform_counters, PaddingBytesAfterUniformCounters = Padding of UniformCounters;
            /// Address of the uniform counters minus address of the records.
            uniform_counters_delta, UniformCountersDelta = Delta of UniformCounters;
            /// Bytes of names.
            names_size, NamesSize = Count of Names;
            /// Address of the counters minus address of the records.
            counters_delta, CountersDelta = Delta of Counters;
            /// Address of the bitmaps minus address of the records.
            bitmap_delta, BitmapDelta = Delta of Bitmap;
            /// Address of the names.
            names_delta, NamesDelta = Address of Names;
            /// Vtable records.
            num_vtables, NumVTables = Count of VTables;
            /// Bytes of vtable names.
            vnames_size, VNamesSize = Count of VNames;
            /// Number of the last value kind: 1, or 2 from version 10.
            value_kind_last, ValueKindLast = LastKind of Header;
        }
    };
}
pub(crate) use words;

/// What a part consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unit {
    Byte,
    Counter,
    Record,
    VTable,
}

/// The parts of bits: what is set in one run is set in the sum. (Counters are added; all others are the same in all runs.)
pub const BITS: [Part; 1] = [Part::Bitmap];

/// Defines [`Part`] and [`Sections`] from the table of sections.
macro_rules! parts {
    ($($(#[$doc:meta])* $field:ident [$part:ident since $since:ident, $unit:ident]
        $(= $section:literal $other:tt $(=> $registered:ident)?)?)*) => {
        /// A part of the file.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Part {
            /// The header's words.
            Header,
            /// Entries of binary ids.
            BinaryIds,
            $($(#[$doc])* $part,)*
        }

        /// The parts of a profile in file order, without the value data. A part that a raw version lacks has no bytes.
        pub const PARTS: [Part; 2 + SECTIONS.len()] = [Part::Header, Part::BinaryIds, $(Part::$part),*];

        /// The parts that are sections, in file order.
        pub const SECTIONS: [Part; [$(Part::$part),*].len()] = [$(Part::$part),*];

        impl Part {
            /// Returns whether profiles of a raw version have the part.
            #[inline(always)]
            pub const fn is_in(self, version: RawVersion) -> bool {
                let since = match self {
                    Part::Header | Part::BinaryIds => RawVersion::OLDEST,
                    $(Part::$part => RawVersion::$since,)*
                };
                since.number() <= version.number()
            }

            /// Returns what the part consists of.
            #[inline(always)]
            pub const fn unit(self) -> Unit {
                match self {
                    Part::Header | Part::BinaryIds => Unit::Byte,
                    $(Part::$part => Unit::$unit,)*
                }
            }

            /// Returns the name of its section in ELF, or an empty one.
            #[inline]
            pub const fn section(self) -> &'static str {
                match self {
                    $($(Part::$part => $section,)?)*
                    _ => "",
                }
            }
        }

        /// One `T` for each section.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Sections<T> {
            $($(#[$doc])* pub $field: T,)*
        }

        impl<T> Sections<T> {
            /// Creates it from the values for each section.
            #[inline(always)]
            pub fn of(mut value: impl FnMut(Part) -> T) -> Sections<T> {
                Sections { $($field: value(Part::$part),)* }
            }

            /// Sets the one for a part, if that is a section.
            pub fn set(&mut self, part: Part, value: T) {
                match part {
                    Part::Header | Part::BinaryIds => {}
                    $(Part::$part => self.$field = value,)*
                }
            }

            /// Returns the one for a part; `None` for one that is no section.
            #[inline(always)]
            pub const fn get(&self, part: Part) -> Option<&T> {
                match part {
                    Part::Header | Part::BinaryIds => None,
                    $(Part::$part => Some(&self.$field),)*
                }
            }
        }
    };
}
sections!(parts);

impl Part {
    /// Returns whether the part is a section of the image.
    #[inline(always)]
    pub const fn is_section(self) -> bool {
        !matches!(self, Part::Header | Part::BinaryIds)
    }
}
