//! How the memory that a program counts in becomes pages of a file.

use crate::span::Span;

/// The way for one section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MappingMethod {
    /// The section is empty: nothing to do.
    Nothing,
    /// The section has pages of its own: the file is mapped over them.
    InPlace,
    /// The file is mapped anywhere, and the bias variable says where.
    Moved,
    /// Neither: its bytes go to the file when it is written.
    Written,
}

impl MappingMethod {
    /// The way for a section as the linker placed it. In place comes first: it also holds for objects that were compiled
    /// without the bias.
    pub fn of(section: Span, has_bias: bool, page: usize) -> MappingMethod {
        // A power of two.
        let inside = page.wrapping_sub(1);
        let whole = section.start.addr() & inside == 0 && section.len & inside == 0;
        match section.len {
            0 => MappingMethod::Nothing,
            _ if whole => MappingMethod::InPlace,
            _ if has_bias => MappingMethod::Moved,
            _ => MappingMethod::Written,
        }
    }

    /// Whether the section's bytes are the file's own.
    pub fn mapped(self) -> bool {
        matches!(self, MappingMethod::InPlace | MappingMethod::Moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, len: usize) -> Span {
        Span { start: start as *const u8, len }
    }

    #[test]
    fn only_whole_pages_are_mapped_over() {
        assert_eq!(MappingMethod::of(span(0x5000, 0x2000), false, 4096), MappingMethod::InPlace);
        assert_eq!(MappingMethod::of(span(0x5000, 0x2000), true, 4096), MappingMethod::InPlace);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1ff8), false, 4096), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5008, 0x1ff8), false, 4096), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1ff8), true, 4096), MappingMethod::Moved);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1000), false, 0x10000), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5000, 0), true, 4096), MappingMethod::Nothing);
    }
}
