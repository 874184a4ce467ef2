//! Which fields the block of an allocation has.

use crate::error::{Error, ErrorKind};

/// Bytes of the fields with the ids 1 to 27.
const WIDTHS: [u8; 27] = [4, 8, 8, 8, 8, 4, 4, 4, 4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 4, 4, 8, 4, 4, 4, 8];

/// A field of an allocation's block that this crate looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// How often the allocation ran.
    AllocCount = 1,
    /// Bytes of all that it allocated.
    TotalSize = 5,
    /// Sum of lifetimes in milliseconds.
    TotalLifetime = 10,
    /// Sum of accesses for each byte and second, times 100.
    TotalLifetimeAccessDensity = 23,
}

/// The ids of the fields of every block of a section, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    ids: Vec<u8>,
    size: usize,
}

impl Schema {
    /// Returns the schema with these fields. Errors: an id is unknown, or there twice.
    pub fn new(ids: impl IntoIterator<Item = u64>) -> Result<Schema, Error> {
        let mut schema = Schema::default();
        for id in ids {
            let known = u8::try_from(id).ok().filter(|id| !schema.ids.contains(id));
            let Some((id, width)) = known.and_then(|id| Some((id, width(id)?))) else {
                let error = Error::new(ErrorKind::UnsupportedVersion, "MemProf.Schema");
                return Err(error.expected("ids from 1 to 27, each once").found(id));
            };
            schema.ids.push(id);
            schema.size = schema.size.saturating_add(width);
        }
        Ok(schema)
    }

    /// Returns the schema with the fields that compilers use.
    pub(super) fn of_hints() -> Schema {
        let ids = [Field::AllocCount, Field::TotalSize, Field::TotalLifetime, Field::TotalLifetimeAccessDensity];
        Schema::new(ids.map(|field| field as u64)).unwrap_or_default()
    }

    /// Returns the ids of the fields.
    pub fn ids(&self) -> &[u8] {
        &self.ids
    }

    /// Returns the bytes of a block.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns a field of a block; 0 when the schema does not have it, as LLVM does.
    pub fn get(&self, block: &[u8], field: Field) -> u64 {
        let mut rest = block;
        for id in &self.ids {
            let Some((value, others)) = rest.split_at_checked(width(*id).unwrap_or(0)) else { return 0 };
            if *id == field as u8 {
                return value.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            }
            rest = others;
        }
        0
    }
}

/// Returns the bytes of a field.
fn width(id: u8) -> Option<usize> {
    WIDTHS.get(usize::from(id).checked_sub(1)?).map(|width| usize::from(*width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_widths() {
        let schema = Schema::new([1, 5, 10, 23]).unwrap();
        assert_eq!(schema.size(), 28);
        let block: Vec<u8> = (0..28).collect();
        assert_eq!(schema.get(&block, Field::AllocCount), 0x0302_0100);
        assert_eq!(schema.get(&block, Field::TotalLifetimeAccessDensity), 0x1b1a_1918_1716_1514);
        assert_eq!(Schema::new([1]).unwrap().get(&block, Field::TotalSize), 0);
        // All fields of LLVM 22, the runtime's block without padding.
        assert_eq!(Schema::new(1..=27).unwrap().size(), 144);
    }

    #[test]
    fn unknown_fields_are_an_error() {
        for ids in [&[0][..], &[28], &[1, 1], &[1, 257]] {
            assert!(Schema::new(ids.iter().copied()).is_err(), "{ids:?}");
        }
    }
}
