//! The parts of a raw profile.

use crate::RawVersion;

/// Defines [`Part`] from the table of parts, in file order: the first raw version that has the part.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident since $since:ident;)*) => {
        /// A part of the file.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Part {
            $($(#[$doc])* $name,)*
        }

        /// The parts of a profile in file order, without the value data. A part that a raw version lacks has no bytes.
        pub const PARTS: [Part; [$(Part::$name),*].len()] = [$(Part::$name),*];

        /// The last part.
        pub const LAST: Part = match PARTS {
            [.., last] => last,
        };

        impl Part {
            /// Returns whether the part is a section of the image.
            #[inline(always)]
            pub const fn is_section(self) -> bool {
                !matches!(self, Part::Header | Part::BinaryIds)
            }

            /// Returns whether profiles of a raw version have the part.
            #[inline(always)]
            pub const fn is_in(self, version: RawVersion) -> bool {
                let since = match self {
                    $(Part::$name => RawVersion::$since,)*
                };
                since.number() <= version.number()
            }
        }
    };
}

parts! {
    /// The header's words.
    Header since V8;
    /// Entries of binary ids.
    BinaryIds since V8;
    /// Control records.
    Data since V8;
    /// Counters.
    Counters since V8;
    /// MC/DC bitmaps.
    Bitmap since V9;
    /// Uniform counters.
    UniformCounters since V11;
    /// Function names.
    Names since V8;
    /// Vtable records.
    VTables since V10;
    /// Vtable names.
    VNames since V10;
}
