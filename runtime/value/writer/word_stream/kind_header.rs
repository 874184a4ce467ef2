//! The header of a kind whose sites have values. In a file, and so in an archive member, of its own: most programs have no such kind.

use super::WordStream;
use crate::error::Result;
use crate::format::value::kind_header_size;

/// Appends the header of a kind: kind, number of sites, and for each site the number of its values as a byte, padded to a word.
pub fn put_kind_header(stream: &mut WordStream<'_>, kind: usize, sites: usize, values: &dyn Fn(usize) -> u8) -> Result {
    stream.put_halves(kind as u32, sites as u32)?;
    for word in 0..(kind_header_size(sites as u32) as usize / 8).wrapping_sub(1) {
        let first = word.wrapping_mul(8);
        let mut bytes = [0; 8];
        for (offset, byte) in bytes.iter_mut().enumerate() {
            let site = first.wrapping_add(offset);
            if site < sites {
                *byte = values(site);
            }
        }
        stream.put(u64::from_ne_bytes(bytes))?;
    }
    Ok(())
}
