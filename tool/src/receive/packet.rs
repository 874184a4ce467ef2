//! One packet: a line `~P…` in the format of [`profdata::format::frame`].

use data_encoding::BASE64_NOPAD;
use profdata::format::frame::{BEGIN, DATA, END};

/// The first characters of a packet.
pub const MARK: &[u8] = &profdata::format::frame::MARK;
/// Most characters behind the mark: a full data packet is 203 bytes.
pub const MOST_CHARACTERS: usize = 512;

/// What a packet says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A dump begins.
    Begin {
        /// Version of the format.
        version: u8,
        /// 0: raw profile, 1: counters only.
        content: u8,
        /// Bytes of the dump.
        len: u32,
    },
    /// Bytes of it.
    Data {
        /// Where they belong.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// It ends.
    End {
        /// Bytes of the dump.
        len: u32,
        /// Their CRC-32.
        crc: u32,
    },
}

/// A packet whose checksum is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Which dump it belongs to.
    pub id: u16,
    /// The rest.
    pub kind: Kind,
}

/// Returns whether the character is a base64 digit.
pub fn is_digit(character: u8) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, b'+' | b'/')
}

/// Reads the characters behind the mark. `None`: damaged, or no packet at all.
pub fn decode(characters: &[u8]) -> Option<Packet> {
    // The decoder refuses a character too many, and a last one with bits that no byte has.
    let bytes = BASE64_NOPAD.decode(characters).ok()?;
    let (body, sent) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sent) {
        return None;
    }
    let (&[kind, low, high, a, b, c, d], rest) = body.split_first_chunk::<7>()?;
    let offset = u32::from_le_bytes([a, b, c, d]);
    let kind = match (kind, rest) {
        (BEGIN, &[version, content, a, b, c, d]) => {
            Kind::Begin { version, content, len: u32::from_le_bytes([a, b, c, d]) }
        }
        (DATA, bytes) if !bytes.is_empty() => Kind::Data { offset, bytes: bytes.to_vec() },
        (END, &[a, b, c, d]) => Kind::End { len: offset, crc: u32::from_le_bytes([a, b, c, d]) },
        _ => return None,
    };
    Some(Packet { id: u16::from_le_bytes([low, high]), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data packet of dump 0x1234: made with another base64 and another CRC-32.
    const HI: &str = "ATQSAAAAAGhp3uj+mQ";

    #[test]
    fn a_packet_is_decoded() {
        let kind = Kind::Data { offset: 0, bytes: b"hi".to_vec() };
        assert_eq!(decode(HI.as_bytes()), Some(Packet { id: 0x1234, kind }));
    }

    #[test]
    fn damaged_packets_are_refused() {
        let start = &HI[..HI.len() - 1];
        // One character too few, one too many, unused bits that are not zero, padding, and another byte.
        for damaged in [start, &format!("{HI}A"), &format!("{start}R"), &format!("{HI}=="), &HI.replace("hp", "hq")] {
            assert_eq!(decode(damaged.as_bytes()), None, "{damaged}");
        }
    }

    #[test]
    fn the_digits_are_the_decoder_s() {
        let symbols = &BASE64_NOPAD.specification().symbols;
        for character in 0..=u8::MAX {
            assert_eq!(is_digit(character), symbols.as_bytes().contains(&character), "{character}");
        }
    }
}
