//! One packet: a line `~P…` as `runtime/sink/frame.rs` writes it.

use profrt::sink::crc::Crc;

/// How a packet begins.
pub const MARK: &[u8] = b"~P";
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

/// The CRC-32 of these bytes.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    bytes.iter().for_each(|byte| crc.add(*byte));
    crc.value()
}

/// The six bits of a character.
pub fn digit(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character - b'A'),
        b'a'..=b'z' => Some(character - b'a' + 26),
        b'0'..=b'9' => Some(character - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Reads the characters behind the mark. `None`: damaged, or no packet at all.
pub fn decode(characters: &[u8]) -> Option<Packet> {
    let mut bytes = Vec::new();
    let (mut bits, mut pending) = (0u32, 0);
    for character in characters {
        bits = bits << 6 | u32::from(digit(*character)?);
        pending += 6;
        if pending >= 8 {
            pending -= 8;
            bytes.push((bits >> pending) as u8);
            bits &= (1 << pending) - 1;
        }
    }
    // What is left over is less than a character, and zeros: one more character, or another last one, is damage too.
    if pending >= 6 || bits != 0 {
        return None;
    }
    let (body, sent) = bytes.split_last_chunk::<4>()?;
    if crc(body) != u32::from_le_bytes(*sent) {
        return None;
    }
    let (&[kind, low, high, a, b, c, d], rest) = body.split_first_chunk::<7>()?;
    let offset = u32::from_le_bytes([a, b, c, d]);
    let kind = match (kind, rest) {
        (0, &[version, content, a, b, c, d]) => Kind::Begin { version, content, len: u32::from_le_bytes([a, b, c, d]) },
        (1, bytes) if !bytes.is_empty() => Kind::Data { offset, bytes: bytes.to_vec() },
        (2, &[a, b, c, d]) => Kind::End { len: offset, crc: u32::from_le_bytes([a, b, c, d]) },
        _ => return None,
    };
    Some(Packet { id: u16::from_le_bytes([low, high]), kind })
}
