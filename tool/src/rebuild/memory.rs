//! Memory of a machine, as far as it was saved.

use profdata::format::Encoding;

/// Stretches of saved memory.
#[derive(Clone, Debug)]
pub struct Memory<'a> {
    /// How the machine writes numbers.
    pub encoding: Encoding,
    /// Address and bytes of each.
    pub pieces: Vec<(u64, &'a [u8])>,
}

impl Memory<'_> {
    /// The `len` bytes from `address` on. Errors: the first address that was not saved.
    pub fn read(&self, address: u64, len: u64) -> Result<Vec<u8>, u64> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < len {
            let at = address.wrapping_add(bytes.len() as u64);
            let rest = self.pieces.iter().find_map(|(start, piece)| {
                let skip = usize::try_from(at.checked_sub(*start)?).ok()?;
                piece.get(skip..).filter(|rest| !rest.is_empty())
            });
            let rest = rest.ok_or(at)?;
            let take = (len - bytes.len() as u64).min(rest.len() as u64) as usize;
            bytes.extend(&rest[..take]);
        }
        Ok(bytes)
    }

    /// The pointer at `address`.
    pub fn pointer(&self, address: u64) -> Option<u64> {
        self.encoding.word_at(&self.read(address, self.encoding.word.bytes()).ok()?, 0)
    }

    /// The `u64` at `address`.
    pub fn number(&self, address: u64) -> Option<u64> {
        self.encoding.u64_at(&self.read(address, 8).ok()?, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_across_pieces() {
        let memory =
            Memory { encoding: Encoding::NATIVE, pieces: vec![(104, b"efgh"), (100, b"abcd"), (u64::MAX, b"x")] };
        assert_eq!(memory.read(102, 4), Ok(b"cdef".to_vec()));
        assert_eq!(memory.read(106, 4), Err(108));
        assert_eq!(memory.read(99, 1), Err(99));
        assert_eq!(memory.read(u64::MAX, 2), Err(0));
        assert_eq!(memory.read(5, 0), Ok(vec![]));
    }
}
