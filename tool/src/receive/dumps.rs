//! Puts packets together. A packet says which dump it belongs to and where, so their order does not matter, and a dump that is
//! sent again fills the gaps of the first time.

use std::collections::BTreeMap;
use std::ops::Range;

use profdata::format::frame::DumpContent;

use super::packet::{Kind, MARK, Packet};
use crate::text::many;

/// One dump, as far as it has come.
#[derive(Debug, Default)]
pub struct Dump {
    /// Which one, as the device says.
    pub id: u16,
    /// From its first packet: content and length.
    begin: Option<(u8, u32)>,
    /// From its last packet: length and checksum. Two that differ: the program counted while it was sent again.
    ends: Vec<(u32, u32)>,
    /// Bytes by their place.
    data: BTreeMap<u32, Vec<u8>>,
    /// Bytes that are there.
    have: u64,
    /// The packets as they came, for a file that can be received again.
    lines: BTreeMap<(u8, u32), Vec<u8>>,
    /// All of it, once it is complete and checked.
    whole: Option<Vec<u8>>,
    /// A place came twice, with different bytes.
    changed: bool,
}

impl Dump {
    /// All of it, if it is complete and its checksum is right.
    pub fn whole(&self) -> Option<&[u8]> {
        self.whole.as_deref()
    }

    /// Bytes that have come.
    pub fn have(&self) -> u64 {
        self.have
    }

    /// Bytes there are, as far as that is known.
    pub fn size(&self) -> Option<u32> {
        self.ends.last().map(|(len, _)| *len).or(self.begin.map(|(_, len)| len))
    }

    /// What it holds, by its first packet, else by how it begins.
    pub fn content(&self) -> DumpContent {
        let first = self.whole().or(self.data.get(&0).map(Vec::as_slice)).unwrap_or_default();
        match self.begin {
            Some((content, _)) if content == DumpContent::Counters as u8 => DumpContent::Counters,
            None if first.starts_with(&profdata::format::compact::MAGIC) => DumpContent::Counters,
            _ => DumpContent::Raw,
        }
    }

    /// Whether this packet says something else than the dump has. Then it is of another one with the same number, or of the
    /// same one after more counting.
    fn contradicts(&self, packet: &Packet) -> bool {
        match &packet.kind {
            Kind::Begin { content, len, .. } => self.begin.is_some_and(|known| known != (*content, *len)),
            Kind::Data { offset, bytes } => match &self.whole {
                Some(whole) => whole.get(*offset as usize..).and_then(|rest| rest.get(..bytes.len())) != Some(bytes),
                None => false,
            },
            Kind::End { len, crc } => self.whole.is_some() && !self.ends.contains(&(*len, *crc)),
        }
    }

    fn take(&mut self, packet: Packet, characters: Vec<u8>) {
        let key = match packet.kind {
            Kind::Begin { content, len, .. } => {
                self.begin = Some((content, len));
                (0, 0)
            }
            Kind::Data { offset, bytes } => {
                self.have += bytes.len() as u64;
                let len = bytes.len();
                if let Some(before) = self.data.insert(offset, bytes) {
                    self.changed |= self.data.get(&offset) != Some(&before);
                    self.have -= before.len() as u64;
                }
                debug_assert!(self.have >= len as u64);
                (1, offset)
            }
            Kind::End { len, crc } => {
                self.ends.retain(|end| *end != (len, crc));
                self.ends.push((len, crc));
                (2, len)
            }
        };
        self.lines.insert(key, characters);
        self.check();
    }

    fn check(&mut self) {
        for (len, sum) in self.ends.clone() {
            if self.have < u64::from(len) || !self.gaps_up_to(len).is_empty() {
                continue;
            }
            let mut all = Vec::with_capacity(len as usize);
            for (at, bytes) in self.data.range(..len) {
                // No gaps before `len`, so a packet begins where the one before it ended, or earlier.
                let skip = all.len().saturating_sub(*at as usize);
                all.extend(bytes.get(skip..).unwrap_or(&[]));
            }
            // The last one may reach beyond the end.
            all.truncate(len as usize);
            if crc32fast::hash(&all) == sum {
                self.whole = Some(all);
                // Not needed any more, and a receiver may run for days.
                self.data.clear();
                self.lines.clear();
                return;
            }
        }
    }

    /// Ranges that have not come, before `len`.
    fn gaps_up_to(&self, len: u32) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut end: u64 = 0;
        for (at, bytes) in &self.data {
            let at = u64::from(*at);
            if at > end {
                gaps.push(end..at.min(u64::from(len)));
            }
            end = end.max(at + bytes.len() as u64);
        }
        if end < u64::from(len) {
            gaps.push(end..u64::from(len));
        }
        gaps.retain(|gap| gap.start < gap.end);
        gaps
    }

    /// What is wrong with a dump that is not whole, and what to do: `partial` is the file that keeps what has come.
    pub fn complaint(&self, partial: &str) -> String {
        let len = self.size();
        let gaps = len.map(|len| self.gaps_up_to(len)).unwrap_or_default();
        let call = match self.content() {
            DumpContent::Raw => "profrt_dump_frame",
            DumpContent::Counters => "profrt_dump_counters_frame",
        };
        let (what, from) = match (len, gaps.first()) {
            (Some(len), Some(first)) => (format!("bytes {} of {len} are missing", list(&gaps)), first.start),
            (None, _) => {
                let most = self.data.last_key_value().map_or(0, |(at, bytes)| u64::from(*at) + bytes.len() as u64);
                let gaps = self.gaps_up_to(u32::try_from(most).unwrap_or(u32::MAX));
                ("its first and last packets are missing".to_owned(), gaps.first().map_or(most, |gap| gap.start))
            }
            (Some(len), None) if self.ends.is_empty() => ("its last packet is missing".to_owned(), u64::from(len)),
            (Some(_), None) => {
                let why = if self.changed { "; the program has counted while it was sent" } else { "" };
                return format!(
                    "all of it has come, but its checksum is wrong{why}: stop other threads and interrupts while it is sent, then \
                     send everything again, {call}(write, context, 0)"
                );
            }
        };
        format!(
            "{what}; {call}(write, context, {from}) sends them again, and `profrt device receive --resume {partial} …` puts both together. \
             If the program has counted since, it must send everything, from 0"
        )
    }

    /// The packets that have come, as lines.
    pub fn lines(&self) -> Vec<u8> {
        self.lines.values().flat_map(|characters| [MARK, characters, b"\n"].concat()).collect()
    }
}

/// Stretches that are told one by one.
const TOLD: usize = 8;

fn list(gaps: &[Range<u64>]) -> String {
    let mut told: Vec<String> = gaps.iter().take(TOLD).map(|gap| format!("{} to {}", gap.start, gap.end - 1)).collect();
    if let Some(rest) = gaps.get(TOLD..).filter(|rest| !rest.is_empty()) {
        let sum: u64 = rest.iter().map(|gap| gap.end - gap.start).sum();
        told.push(format!("{sum} more in {}", many(rest.len() as u64, "other place")));
    }
    told.join(", ")
}

/// All dumps of a stream, in the order of their first packets.
#[derive(Debug, Default)]
pub struct Dumps(pub Vec<Dump>);

impl Dumps {
    /// Takes a packet. The dump it belongs to; `None` if that is complete already.
    pub fn take(&mut self, packet: Packet, characters: Vec<u8>) -> Option<usize> {
        let known = self.0.iter().rposition(|dump| dump.id == packet.id);
        let index = match known {
            Some(index) if !self.0[index].contradicts(&packet) => index,
            _ => {
                self.0.push(Dump { id: packet.id, ..Dump::default() });
                self.0.len() - 1
            }
        };
        if self.0[index].whole.is_some() {
            return None;
        }
        self.0[index].take(packet, characters);
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(offset: u32, bytes: &[u8]) -> Packet {
        Packet { id: 7, kind: Kind::Data { offset, bytes: bytes.to_vec() } }
    }

    fn end(of: &[u8]) -> Packet {
        Packet { id: 7, kind: Kind::End { len: of.len() as u32, crc: crc32fast::hash(of) } }
    }

    #[test]
    fn out_of_order_without_the_first_packet() {
        let mut dumps = Dumps::default();
        for packet in [end(b"abcdef"), data(4, b"ef"), data(2, b"cd")] {
            dumps.take(packet, vec![]);
        }
        assert!(dumps.0[0].whole().is_none());
        assert!(
            dumps.0[0]
                .complaint("x")
                .starts_with("bytes 0 to 1 of 6 are missing; profrt_dump_frame(write, context, 0)")
        );
        dumps.take(data(0, b"ab"), vec![]);
        assert_eq!(dumps.0[0].whole(), Some(&b"abcdef"[..]));
        // The same again is no new dump; something else is.
        assert_eq!(dumps.take(data(2, b"cd"), vec![]), None);
        assert_eq!(dumps.take(data(2, b"xx"), vec![]), Some(1));
    }

    #[test]
    fn a_line_that_loses_much_is_told_shortly() {
        let mut dumps = Dumps::default();
        dumps.take(end(&[0; 100]), vec![]);
        for place in 0..20 {
            dumps.take(data(place * 5, &[0]), vec![]);
        }
        let complaint = dumps.0[0].complaint("x");
        assert!(
            complaint.starts_with(
                "bytes 1 to 4, 6 to 9, 11 to 14, 16 to 19, 21 to 24, 26 to 29, 31 to 34, 36 to 39, 48 more in \
                                   12 other places of 100 are missing"
            ),
            "{complaint}"
        );
    }

    #[test]
    fn bytes_that_overlap_or_lie_behind_the_end() {
        let mut dumps = Dumps::default();
        for packet in [data(1, b"bcd"), data(500, b"far away"), data(0, b"ab"), data(2, b"cdef"), end(b"abcde")] {
            dumps.take(packet, vec![]);
        }
        assert_eq!(dumps.0[0].whole(), Some(&b"abcde"[..]));
    }

    #[test]
    fn bytes_that_changed_are_told() {
        let mut dumps = Dumps::default();
        for packet in [data(0, b"ab"), data(0, b"xb"), end(b"ab")] {
            dumps.take(packet, vec![]);
        }
        assert!(dumps.0[0].whole().is_none());
        assert!(dumps.0[0].complaint("x").contains("has counted while it was sent"));
    }

    #[test]
    fn a_missing_end_is_asked_for_by_the_length() {
        let mut dumps = Dumps::default();
        let begin = Packet { id: 7, kind: Kind::Begin { version: 1, content: 1, len: 2 } };
        dumps.take(begin, vec![]);
        dumps.take(data(0, b"ab"), vec![]);
        let complaint = dumps.0[0].complaint("x");
        assert!(
            complaint.starts_with("its last packet is missing; profrt_dump_counters_frame(write, context, 2)"),
            "{complaint}"
        );
    }
}
