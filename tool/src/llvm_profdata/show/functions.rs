//! The functions of a profile, one after the other.

use std::collections::BTreeMap;
use std::io::{self, Write};

use profdata::sink::{KindSites, RecordRef, Value};
use profdata::write::text::{Symbols, TextWriteOptions, write_record};

use super::super::release;
use super::Parsed;

pub(super) const TARGETS: usize = 0;
pub(super) const SIZES: usize = 1;
pub(super) const VTABLES: usize = 2;

/// Shows functions, and keeps what is shown of all of them.
pub(super) struct Functions<'a> {
    parsed: &'a Parsed,
    symbols: &'a Symbols<'a>,
    /// Functions whose counters are all below it are only counted.
    pub(super) cutoff: u64,
    pub(super) shown: u64,
    pub(super) below_cutoff: u64,
    /// Name and largest count of each function.
    pub(super) largest: Vec<(&'a [u8], u64)>,
    /// Of indirect calls, memory operations, vtables.
    pub(super) sites: [Sites; 3],
}

/// Counts of the value sites of all functions that are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    pub(super) all: u64,
    pub(super) with_values: u64,
    pub(super) values: u64,
    /// Number of sites by number of values.
    pub(super) by_values: BTreeMap<usize, u64>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(parsed: &'a Parsed, symbols: &'a Symbols<'a>) -> Functions<'a> {
        let (cutoff, largest) = (parsed.number("value-cutoff").unwrap_or(0), Vec::new());
        Functions { parsed, symbols, cutoff, shown: 0, below_cutoff: 0, largest, sites: Default::default() }
    }

    /// Returns whether the function of this name is shown.
    fn shows(&self, name: &[u8]) -> bool {
        let has = |part| memchr::memmem::find(name, part).is_some();
        self.parsed.flag("all-functions") || self.parsed.text("function").is_some_and(has)
    }

    /// Shows one function.
    pub(super) fn show(&mut self, out: &mut impl Write, record: RecordRef<'a>, ir: bool) -> io::Result<()> {
        let parsed = self.parsed;
        let name = record.name.bytes.unwrap_or(&[]);
        let show = self.shows(name);
        if show && parsed.flag("text") {
            return write_record(record, self.symbols, &TextWriteOptions { release: release() }, out);
        }
        if parsed.flag("covered") {
            if record.counters.iter().any(|count| *count != 0) {
                out.write_all(name)?;
                out.write_all(b"\n")?;
            }
            return Ok(());
        }
        if record.is_pseudo() {
            if show {
                let warm = record.counters.first() == Some(&RecordRef::PSEUDO_WARM);
                self.head(out, record, name)?;
                writeln!(out, "    <{}>", if warm { "PseudoWarm" } else { "PseudoHot" })?;
            }
            return Ok(());
        }
        let largest = record.counters.iter().max().copied().unwrap_or(0);
        if largest < self.cutoff {
            self.below_cutoff += 1;
            if parsed.flag("list-below-cutoff") {
                let sum = record.counters.iter().fold(0u64, |sum, count| sum.wrapping_add(*count));
                out.write_all(b"  ")?;
                out.write_all(name)?;
                writeln!(out, ": (Max = {largest} Sum = {sum})")?;
            }
            return Ok(());
        }
        if parsed.flag("list-below-cutoff") {
            return Ok(());
        }
        self.largest.push((name, largest));
        if show {
            self.head(out, record, name)?;
            writeln!(out)?;
            self.details(out, record, ir)?;
        }
        Ok(())
    }

    fn head(&mut self, out: &mut impl Write, record: RecordRef<'_>, name: &[u8]) -> io::Result<()> {
        if self.shown == 0 {
            writeln!(out, "Counters:")?;
        }
        self.shown += 1;
        out.write_all(b"  ")?;
        out.write_all(name)?;
        write!(out, ":\n    Hash: 0x{:016x}\n    Counters: {}", record.hash, record.counters.len())
    }

    fn details(&mut self, out: &mut impl Write, record: RecordRef<'_>, ir: bool) -> io::Result<()> {
        static NONE: KindSites = KindSites::NONE;
        let (targets, vtables) = (self.parsed.flag("ic-targets"), self.parsed.flag("show-vtables"));
        let kind = |kind: usize| record.values.and_then(|values| values.kinds.get(kind)).unwrap_or(&NONE);
        if !ir {
            writeln!(out, "    Function count: {}", record.counters.first().copied().unwrap_or(0))?;
        }
        if targets {
            writeln!(out, "    Indirect Call Site Count: {}", kind(TARGETS).len())?;
        }
        if vtables {
            writeln!(out, "    Number of instrumented vtables: {}", kind(VTABLES).len())?;
        }
        let sizes = self.parsed.flag("memop-sizes") && !kind(SIZES).is_empty();
        if sizes {
            writeln!(out, "    Number of Memory Intrinsics Calls: {}", kind(SIZES).len())?;
        }
        if self.parsed.flag("counts") {
            let counters = record.counters.get(usize::from(!ir)..).unwrap_or(&[]);
            let counters: Vec<_> = counters.iter().map(u64::to_string).collect();
            writeln!(out, "    Block counts: [{}]", counters.join(", "))?;
        }
        if targets {
            writeln!(out, "    Indirect Target Results:")?;
            self.values(out, TARGETS, kind(TARGETS))?;
        }
        if vtables {
            writeln!(out, "    VTable Results:")?;
            self.values(out, VTABLES, kind(VTABLES))?;
        }
        if sizes {
            writeln!(out, "    Memory Intrinsic Size Results:")?;
            self.values(out, SIZES, kind(SIZES))?;
        }
        Ok(())
    }

    fn values(&mut self, out: &mut impl Write, kind: usize, sites: &KindSites) -> io::Result<()> {
        let Some(statistics) = self.sites.get_mut(kind) else { return Ok(()) };
        for (number, site) in sites.sites().enumerate() {
            statistics.all += 1;
            if !site.is_empty() {
                statistics.with_values += 1;
                statistics.values += site.len() as u64;
                *statistics.by_values.entry(site.len()).or_default() += 1;
            }
            let sum = site.iter().fold(0u64, |sum, value| sum.wrapping_add(value.count));
            for Value { value, count } in site {
                write!(out, "\t[ {number:2}, ")?;
                if kind == SIZES {
                    write!(out, "{value:4}")?;
                } else {
                    out.write_all(self.symbols.get(*value).unwrap_or(b""))?;
                }
                let share = if sum == 0 { 0.0 } else { *count as f64 * 100.0 / sum as f64 };
                // LLVM prints the count as a signed number.
                writeln!(out, ", {:10} ] ({:.2}%)", *count as i64, share)?;
            }
        }
        Ok(())
    }
}
