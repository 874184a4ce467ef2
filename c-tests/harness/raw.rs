//! A decoder of raw profiles, 64-bit little-endian, versions 8 to 11, written from the format alone.
//!
//! It shares no code with the runtime on purpose: what both get wrong would never be seen. What it gives back is text,
//! with addresses turned into what they mean, so that two runs of two binaries can be compared line by line.

use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;

const MAGIC: u64 = u64::from_be_bytes([0xff, b'l', b'p', b'r', b'o', b'f', b'r', 0x81]);
const BYTE_COUNTERS: u64 = 1 << 60;

const V8: &[&str] = &[
    "Magic",
    "Version",
    "BinaryIdsSize",
    "NumData",
    "PaddingBytesBeforeCounters",
    "NumCounters",
    "PaddingBytesAfterCounters",
    "NamesSize",
    "CountersDelta",
    "NamesDelta",
    "ValueKindLast",
];
const V9: &[&str] = &[
    "Magic",
    "Version",
    "BinaryIdsSize",
    "NumData",
    "PaddingBytesBeforeCounters",
    "NumCounters",
    "PaddingBytesAfterCounters",
    "NumBitmapBytes",
    "PaddingBytesAfterBitmapBytes",
    "NamesSize",
    "CountersDelta",
    "BitmapDelta",
    "NamesDelta",
    "ValueKindLast",
];
const V10: &[&str] = &[
    "Magic",
    "Version",
    "BinaryIdsSize",
    "NumData",
    "PaddingBytesBeforeCounters",
    "NumCounters",
    "PaddingBytesAfterCounters",
    "NumBitmapBytes",
    "PaddingBytesAfterBitmapBytes",
    "NamesSize",
    "CountersDelta",
    "BitmapDelta",
    "NamesDelta",
    "NumVTables",
    "VNamesSize",
    "ValueKindLast",
];
const V11: &[&str] = &[
    "Magic",
    "Version",
    "BinaryIdsSize",
    "NumData",
    "PaddingBytesBeforeCounters",
    "NumCounters",
    "PaddingBytesAfterCounters",
    "NumBitmapBytes",
    "PaddingBytesAfterBitmapBytes",
    "NumUniformCounters",
    "PaddingBytesAfterUniformCounters",
    "UniformCountersDelta",
    "NamesSize",
    "CountersDelta",
    "BitmapDelta",
    "NamesDelta",
    "NumVTables",
    "VNamesSize",
    "ValueKindLast",
];

/// One or more profiles of a file, as text.
#[derive(Default)]
pub struct Decoded {
    pub header: String,
    pub sections: String,
    pub ids: Vec<Vec<u8>>,
}

pub fn is_raw(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// All profiles that stand one after the other in `bytes`; nothing may be left over. In whatever order the images of a process have written.
pub fn decode(bytes: &[u8]) -> Result<Decoded> {
    let mut profiles = Vec::new();
    let mut input = Input { bytes, at: 0 };
    while let Some(zeros) = bytes[input.at..].iter().position(|byte| *byte != 0) {
        // Readers skip zeros between profiles.
        input.at += zeros;
        let mut out = Decoded::default();
        one(&mut input, &mut out).with_context(|| format!("profile {}, near byte {}", profiles.len(), input.at))?;
        profiles.push(out);
    }
    profiles.sort_by(|one, other| one.sections.cmp(&other.sections));
    let mut all = Decoded::default();
    for (index, profile) in profiles.iter().enumerate() {
        write!(all.header, "profile {index}\n{}", profile.header)?;
        write!(all.sections, "profile {index}\n{}", profile.sections)?;
    }
    Ok(all)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let end = usize::try_from(length).ok().and_then(|l| self.at.checked_add(l)).context("a length that wraps")?;
        let taken = self.bytes.get(self.at..end).with_context(|| format!("{length} bytes are not there"))?;
        self.at = end;
        Ok(taken)
    }

    /// Padding has no meaning; that it is not zero is worth a line.
    fn padding(&mut self, length: u64, out: &mut String) -> Result<()> {
        if self.take(length)?.iter().any(|&b| b != 0) {
            out.push_str("  padding that is not zero\n");
        }
        Ok(())
    }

    fn word(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into()?))
    }

    fn half(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into()?))
    }

    fn short(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.take(2)?.try_into()?))
    }
}

fn one(input: &mut Input, out: &mut Decoded) -> Result<()> {
    let start = input.at;
    ensure!(input.word()? == MAGIC, "no magic");
    let version = input.word()?;
    let number = version as u32 & 0x00ff_ffff;
    let names = match number {
        8 => V8,
        9 => V9,
        10 => V10,
        11 => V11,
        _ => bail!("version {number} is unknown"),
    };
    input.at = start;
    let mut fields = Vec::new();
    for name in names {
        fields.push((*name, input.word()?));
    }
    let get = |name: &str| fields.iter().find(|f| f.0 == name).map_or(0, |f| f.1);
    for (name, value) in &fields {
        if name.ends_with("Delta") {
            writeln!(out.header, "  {name} {}", if *value == 0 { "zero" } else { "set" })?;
        } else {
            writeln!(out.header, "  {name} {value:#x}")?;
        }
    }

    let mut ids = Input { bytes: input.take(get("BinaryIdsSize"))?, at: 0 };
    while ids.at < ids.bytes.len() {
        let length = ids.word()?;
        let id = ids.take(length)?;
        ids.padding(length.next_multiple_of(8) - length, &mut out.sections)?;
        writeln!(out.sections, "  binary id of {length} bytes")?;
        out.ids.push(id.to_vec());
    }
    let mut sites = Vec::new();
    for index in 0..get("NumData") {
        sites.push(record(input, number, index, &get, out)?);
    }
    input.padding(get("PaddingBytesBeforeCounters"), &mut out.sections)?;
    let size = if version & BYTE_COUNTERS != 0 { 1 } else { 8 };
    bytes("counters", input.take(get("NumCounters").checked_mul(size).context("counters")?)?, size, out);
    input.padding(get("PaddingBytesAfterCounters"), &mut out.sections)?;
    bytes("bitmap", input.take(get("NumBitmapBytes"))?, 1, out);
    input.padding(get("PaddingBytesAfterBitmapBytes"), &mut out.sections)?;
    bytes("uniform counters", input.take(get("NumUniformCounters") * 8)?, 8, out);
    input.padding(get("PaddingBytesAfterUniformCounters"), &mut out.sections)?;
    bytes("names", input.take(get("NamesSize"))?, 1, out);
    input.padding(get("NamesSize").wrapping_neg() % 8, &mut out.sections)?;
    for _ in 0..get("NumVTables") {
        let (hash, start, length) = (input.word()?, input.word()?, input.half()?);
        let _tail = input.half()?;
        writeln!(out.sections, "  vtable {hash:#x} {} {length}", set(start))?;
    }
    bytes("vtable names", input.take(get("VNamesSize"))?, 1, out);
    input.padding(get("VNamesSize").wrapping_neg() % 8, &mut out.sections)?;
    for (index, sites) in sites.iter().enumerate() {
        if sites.iter().any(|&n| n != 0) && input.at < input.bytes.len() && !is_raw(&input.bytes[input.at..]) {
            values(input, index, sites, out)?;
        }
    }
    Ok(())
}

/// One control record; gives back its numbers of value sites.
fn record(
    input: &mut Input,
    version: u32,
    index: u64,
    get: &dyn Fn(&str) -> u64,
    out: &mut Decoded,
) -> Result<Vec<u16>> {
    let size: u64 = match version {
        8 => 48,
        9 | 10 => 64,
        _ => 72,
    };
    let kinds = if version < 10 { 2 } else { 3 };
    let end = input.at + size as usize;
    let (name, hash, counters) = (input.word()?, input.word()?, input.word()?);
    let uniform = if version >= 11 { input.word()? } else { 0 };
    let bitmap = if version >= 9 { input.word()? } else { 0 };
    let (function, heads, number) = (input.word()?, input.word()?, input.half()?);
    let mut sites = Vec::new();
    for _ in 0..kinds {
        sites.push(input.short()?);
    }
    let wave = if version >= 11 { input.short()? } else { 0 };
    // The halfword of padding that three kinds leave.
    input.at = input.at.next_multiple_of(4);
    let bitmap_bytes = if version >= 9 { input.half()? } else { 0 };
    input.at = end;

    // Positions are relative to the record: to the start of the section they mean the same in every binary.
    let within = |pointer: u64, delta: &str| pointer.wrapping_sub(get(delta)).wrapping_add(index * size);
    let bitmap = if bitmap_bytes == 0 { 0 } else { within(bitmap, "BitmapDelta") };
    let counters = within(counters, "CountersDelta");
    writeln!(
        out.sections,
        "  record {index}: name {name:#x} hash {hash:#x} counters {number} at {counters:#x} bitmap {bitmap_bytes} at \
         {bitmap:#x} uniform {uniform} wave {wave} function {} values {} sites {sites:?}",
        set(function),
        set(heads),
    )?;
    Ok(sites)
}

fn values(input: &mut Input, index: usize, sites: &[u16], out: &mut Decoded) -> Result<()> {
    let start = input.at;
    let (total, kinds) = (input.half()?, input.half()?);
    write!(out.sections, "  values of record {index}: {total} bytes")?;
    if kinds == 0 {
        // What an append that was killed has written.
        input.take(total.saturating_sub(8).into())?;
    }
    for _ in 0..kinds {
        let (kind, number) = (input.half()?, input.half()?);
        ensure!(sites.get(kind as usize).is_some_and(|&n| u32::from(n) == number), "kind {kind} has {number} sites");
        let counts = input.take(number.into())?.to_vec();
        input.padding(u64::from(number).wrapping_neg() % 8, &mut out.sections)?;
        for count in counts {
            write!(out.sections, "\n    kind {kind} site:")?;
            for _ in 0..count {
                let (value, times) = (input.word()?, input.word()?);
                // Kind 1 is a size; the others are addresses, which `llvm-profdata` turns into names.
                let value = if kind == 1 { value.to_string() } else { set(value).into() };
                write!(out.sections, " {value}x{times}")?;
            }
        }
    }
    writeln!(out.sections)?;
    ensure!(input.at - start == total as usize, "value record of {total} bytes, {} used", input.at - start);
    Ok(())
}

fn set(pointer: u64) -> &'static str {
    if pointer == 0 { "null" } else { "set" }
}

fn bytes(what: &str, bytes: &[u8], width: u64, out: &mut Decoded) {
    let _ = write!(out.sections, "  {what} {}:", bytes.len());
    for chunk in bytes.chunks(width as usize) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let _ = write!(out.sections, " {:x}", u64::from_le_bytes(word));
    }
    out.sections.push('\n');
}
