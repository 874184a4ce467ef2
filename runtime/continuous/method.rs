//! The methods by which the memory that a program counts in becomes pages of a file.

use crate::span::Span;

/// The mapping method for one section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MappingMethod {
    /// The section is empty and needs no mapping.
    Nothing,
    /// The section has pages of its own: the file is mapped over them.
    InPlace,
    /// The file is mapped at any address, and the bias variable has the distance.
    Moved,
    /// The section cannot be mapped: its bytes are written to the file at a dump.
    Written,
}

impl MappingMethod {
    /// Returns the method for a section as the linker placed it. `InPlace` is preferred: it also works for objects that were compiled
    /// without the bias.
    pub fn of(section: Span, has_bias: bool, page: usize) -> MappingMethod {
        // The page size is a power of two.
        let inside = page.wrapping_sub(1);
        let whole = section.start.addr() & inside == 0 && section.len & inside == 0;
        match section.len {
            0 => MappingMethod::Nothing,
            _ if whole => MappingMethod::InPlace,
            _ if has_bias => MappingMethod::Moved,
            _ => MappingMethod::Written,
        }
    }

    /// Returns whether the section's bytes are pages of the file.
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
