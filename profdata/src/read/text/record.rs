//! Records of the text form.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind};
use crate::name::{Name, name_hash};
use crate::read::ReadOptions;
use crate::read::text::lines::{Line, Lines};
use crate::read::text::{malformed, number, require};
use crate::sink::RecordRef;
use crate::values::{KINDS, Value, ValueSites};

/// What stands for the target 0, which no record names.
pub(super) const EXTERNAL: &[u8] = b"** External Symbol **";

const DECIMAL: &str = "a decimal number";
const NUMBER: &str = "a number";
const VTABLES: usize = 2;

/// Reads records one after the other into the same memory.
#[derive(Default)]
pub(super) struct RecordReader<'a> {
    options: ReadOptions<'a>,
    /// The function hash of the last record, if it has one.
    pub(super) hash: Option<u64>,
    counters: Vec<u64>,
    bitmap: Vec<u8>,
    values: ValueSites,
    site: Vec<Value>,
    vtables: HashSet<&'a [u8]>,
    /// Names of vtables that are new in the last record.
    pub(super) new_vtables: Vec<&'a [u8]>,
}

impl<'a> RecordReader<'a> {
    pub(super) fn new(options: ReadOptions<'a>) -> RecordReader<'a> {
        RecordReader { options, ..RecordReader::default() }
    }

    /// Reads the record whose name stands on the line `name`.
    pub(super) fn read(&mut self, name: Line<'a>, lines: &mut Lines<'a>) -> Result<RecordRef<'_>, Error> {
        self.hash = None;
        self.counters.clear();
        self.bitmap.clear();
        self.values.clear();
        let line = require(lines, "function hash")?;
        let hash = number::any_radix(line.bytes).ok_or_else(|| malformed(line, "function hash", NUMBER))?;
        self.hash = Some(hash);
        self.read_counters(lines)?;
        self.read_bitmap(lines)?;
        self.read_values(lines)?;
        Ok(RecordRef {
            name: Name::of(name.bytes),
            hash,
            counters: &self.counters,
            bitmap: &self.bitmap,
            uniformity: &[],
            values: if self.values.is_empty() { None } else { Some(&self.values) },
        })
    }

    fn read_counters(&mut self, lines: &mut Lines<'a>) -> Result<(), Error> {
        let field = "number of counters";
        let line = require(lines, field)?;
        let count = number::decimal(line.bytes).filter(|count| *count > 0);
        let count = count.ok_or_else(|| malformed(line, field, "a decimal number above 0"))?;
        // Each counter takes a digit and a line end.
        let most = lines.rest_len() / 2 + 1;
        self.counters.reserve(usize::try_from(count).unwrap_or(most).min(most));
        for _ in 0..count {
            self.counters.push(read_decimal(lines, "count")?);
        }
        Ok(())
    }

    fn read_bitmap(&mut self, lines: &mut Lines<'a>) -> Result<(), Error> {
        let Some(line) = lines.peek() else { return Ok(()) };
        let Some(size) = line.bytes.strip_prefix(b"$") else { return Ok(()) };
        if !self.options.reads(18) {
            return Ok(());
        }
        let Some(size) = number::any_radix(size.trim_ascii()) else {
            // A name that begins with `$`, which no release that knows bitmaps takes for one.
            let strict = self.options.release.is_some();
            return if strict { Err(malformed(line, "number of bitmap bytes", NUMBER)) } else { Ok(()) };
        };
        lines.next();
        for _ in 0..size {
            let line = require(lines, "bitmap byte")?;
            let byte = number::any_radix(line.bytes).and_then(|byte| u8::try_from(byte).ok());
            self.bitmap.push(byte.ok_or_else(|| malformed(line, "bitmap byte", "a number below 256"))?);
        }
        Ok(())
    }

    fn read_values(&mut self, lines: &mut Lines<'a>) -> Result<(), Error> {
        let Some(line) = lines.peek() else { return Ok(()) };
        // Anything else is the name of the next function.
        let Some(kinds) = number::decimal(line.bytes).filter(|kinds| *kinds <= u64::from(u32::MAX)) else {
            return Ok(());
        };
        lines.next();
        let known = if self.options.reads(19) { KINDS } else { VTABLES };
        if kinds == 0 || kinds > known as u64 {
            return Err(malformed(line, "number of value kinds", "1, 2 or 3"));
        }
        for _ in 0..kinds {
            let line = require(lines, "value kind")?;
            let kind = number::decimal(line.bytes).and_then(|kind| usize::try_from(kind).ok());
            let kind = kind.filter(|kind| *kind < known);
            let kind = kind.ok_or_else(|| malformed(line, "value kind", "0, 1 or 2"))?;
            let sites = read_u32(lines, "number of value sites")?;
            for _ in 0..sites {
                self.read_site(kind, lines)?;
            }
        }
        Ok(())
    }

    fn read_site(&mut self, kind: usize, lines: &mut Lines<'a>) -> Result<(), Error> {
        self.site.clear();
        for _ in 0..read_u32(lines, "number of values")? {
            let line = require(lines, "value")?;
            let value = self.read_value(kind, line.bytes);
            self.site.push(value.ok_or_else(|| malformed(line, "value", "a value, `:` and a decimal number"))?);
        }
        let sites = self.values.kinds.get_mut(kind);
        if sites.is_some_and(|sites| sites.push_site(self.site.iter().copied())) {
            Ok(())
        } else {
            Err(Error::new(ErrorKind::TooLarge, "values").at(lines.len() as u64))
        }
    }

    /// Returns the value on a line. The last `:` ends it, because names may have others.
    fn read_value(&mut self, kind: usize, line: &'a [u8]) -> Option<Value> {
        const MEMORY_SIZES: usize = 1;
        let colon = line.iter().rposition(|byte| *byte == b':')?;
        let (value, count) = line.split_at_checked(colon)?;
        let count = number::decimal(count.strip_prefix(b":")?)?;
        let value = match kind {
            MEMORY_SIZES => number::decimal(value)?,
            _ if value.is_empty() => return None,
            _ if value == EXTERNAL => 0,
            _ => {
                if kind == VTABLES && self.vtables.insert(value) {
                    self.new_vtables.push(value);
                }
                name_hash(value)
            }
        };
        Some(Value { value, count })
    }
}

fn read_decimal(lines: &mut Lines<'_>, field: &'static str) -> Result<u64, Error> {
    let line = require(lines, field)?;
    number::decimal(line.bytes).ok_or_else(|| malformed(line, field, DECIMAL))
}

fn read_u32(lines: &mut Lines<'_>, field: &'static str) -> Result<u32, Error> {
    let line = require(lines, field)?;
    let value = number::decimal(line.bytes).and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| malformed(line, field, "a decimal number below 2^32"))
}
