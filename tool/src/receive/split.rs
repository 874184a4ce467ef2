//! Takes packets out of a stream of text. A packet may begin in the middle of a line, after what the program has printed without
//! a line feed; its own line feed goes with it. Everything else is handed on as it came.

use super::packet::{MARK, MOST_CHARACTERS, Packet, decode, is_digit};

/// What comes out of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What the program printed.
    Text(Vec<u8>),
    /// A packet, and its characters behind the mark.
    Packet(Packet, Vec<u8>),
}

/// Splits a stream that comes in pieces of any size.
#[derive(Debug, Default)]
pub struct Splitter {
    /// Bytes that may belong to a packet whose end has not come.
    held: Vec<u8>,
    /// A packet has just ended, and its line feed may follow.
    after: bool,
    /// Lines that begin like packets, and are none.
    pub damaged: u64,
}

/// Fewer characters than this are a word of the program, not a damaged packet.
const SHORTEST: usize = 15;

impl Splitter {
    /// Takes bytes, and hands out what they complete.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Piece)) {
        self.held.extend(bytes);
        self.split(false, each);
    }

    /// The stream has ended.
    pub fn finish(&mut self, each: &mut dyn FnMut(Piece)) {
        self.split(true, each);
    }

    fn split(&mut self, ended: bool, each: &mut dyn FnMut(Piece)) {
        let held = std::mem::take(&mut self.held);
        let mut rest = &held[..];
        let mut text = Vec::new();
        while let Some(&first) = rest.first() {
            if self.after {
                match rest {
                    [b'\r', b'\n', behind @ ..] | [b'\n', behind @ ..] => rest = behind,
                    [b'\r'] if !ended => break,
                    _ => {}
                }
                self.after = false;
                continue;
            }
            if first != MARK[0] {
                let plain = rest.iter().position(|byte| *byte == MARK[0]).unwrap_or(rest.len());
                text.extend(&rest[..plain]);
                rest = &rest[plain..];
                continue;
            }
            if rest.len() < MARK.len() && !ended {
                break;
            }
            let Some(behind) = rest.strip_prefix(MARK) else {
                text.push(first);
                rest = &rest[1..];
                continue;
            };
            let many = behind.iter().take(MOST_CHARACTERS).take_while(|byte| is_digit(**byte)).count();
            if many == behind.len() && many < MOST_CHARACTERS && !ended {
                break;
            }
            let characters = &behind[..many];
            match decode(characters) {
                Some(packet) => {
                    if !text.is_empty() {
                        each(Piece::Text(std::mem::take(&mut text)));
                    }
                    each(Piece::Packet(packet, characters.to_vec()));
                    rest = &behind[many..];
                    self.after = true;
                }
                None => {
                    self.damaged += u64::from(many >= SHORTEST);
                    text.extend(&rest[..MARK.len() + many]);
                    rest = &behind[many..];
                }
            }
        }
        if !text.is_empty() {
            each(Piece::Text(text));
        }
        self.held = rest.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&[u8]]) -> (Vec<u8>, usize, u64) {
        let mut splitter = Splitter::default();
        let (mut text, mut packets) = (Vec::new(), 0);
        let mut each = |piece| match piece {
            Piece::Text(bytes) => text.extend(bytes),
            Piece::Packet(..) => packets += 1,
        };
        for piece in pieces {
            splitter.push(piece, &mut each);
        }
        splitter.finish(&mut each);
        (text, packets, splitter.damaged)
    }

    /// An end packet of dump 0x1234 with 0 bytes: made with another base64 and another CRC-32.
    const END: &[u8] = b"~PAjQSAAAAAAAAAACYQMXQ";

    #[test]
    fn text_is_handed_on_as_it_came() {
        for text in [&b"a~b~~P\n~P~P~"[..], b"~", b"~P", b"~Pabc def\r\n", b"\n\r\n\xff~P\xff"] {
            assert_eq!(split(&[text]).0, text);
            let single: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(split(&single).0, text);
        }
    }

    #[test]
    fn packets_go_with_their_line_feed() {
        let mut line = b"temp=".to_vec();
        line.extend(END);
        line.extend(b"\r\n23\n");
        assert_eq!(split(&[&line]), (b"temp=23\n".to_vec(), 1, 0));
        let single: Vec<&[u8]> = line.chunks(1).collect();
        assert_eq!(split(&single), (b"temp=23\n".to_vec(), 1, 0));
    }

    #[test]
    fn a_lost_line_feed_loses_no_packet() {
        let twice = [END, END, b"\n"].concat();
        assert_eq!(split(&[&twice]), (vec![], 2, 0));
        // The end of the first is lost with its line feed.
        let torn = [&END[..18], END, b"\n"].concat();
        assert_eq!(split(&[&torn]), (END[..18].to_vec(), 1, 1));
    }
}
