//! Findings and loss accounts as text, one line each.

use std::fmt;

use super::{Finding, FindingKind, LossAccount, MemProfLoss};

impl fmt::Display for Finding {
    /// Writes the function, by the hash of its name and its own, and what was found. The caller maps the input number to a name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, hash)) = self.function {
            write!(f, "function {name:#018x}, hash {hash:#x}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FindingKind::*;
        match self {
            Truncated { missing } => write!(f, "the input ends {} too early", many(*missing, "byte")),
            KindAssumed => f.write_str("text that does not say its instrumentation was merged with IR profiles"),
            TrailingBytes { bytes } => write!(f, "{} after the last profile", many(*bytes, "byte")),
            Unfinished { bytes } => {
                write!(f, "{} of a profile whose program was killed while it wrote", many(*bytes, "byte"))
            }
            CountersLost => f.write_str("its counters are not in the input"),
            BitmapLost => f.write_str("its bitmap is not in the input"),
            ValuesLost => f.write_str("its values are not in the input"),
            CounterTooLarge { counter, value } => write!(f, "left out: counter {counter} is {value}, above 2^56"),
            NamesLost => f.write_str("names are not in the input, or cannot be read"),
            NoName => f.write_str("left out: no input has its name"),
            OtherRecords { version } => {
                let version = profrt_format::RawVersion::from_number(*version);
                let emitters = version.map_or("another compiler", profrt_format::RawVersion::emitters);
                write!(
                    f,
                    "its records look like those of {emitters}: link the runtime of the compiler that made the objects"
                )
            }
            RecordDamaged => f.write_str("left out: its record is damaged"),
            LastLineUnended => {
                f.write_str("the last line of the text has no end: if the text was cut, its last number is too small")
            }
            SectionLost => f.write_str("left out: a section that cannot be read"),
            RecordsLost { names } => write!(f, "the records of {} are lost", many(*names, "name")),
            CounterMismatch { kept, left_out } => mismatch(f, "counters", *kept, *left_out),
            BitmapMismatch { kept, left_out } => mismatch(f, "bitmap bytes", *kept, *left_out),
            ValueSiteMismatch { kind, kept, left_out } => {
                mismatch(f, &format!("value sites of kind {kind}"), *kept, *left_out)
            }
            PseudoMismatch => f.write_str("left out: an input that has no counts, only whether it is hot"),
            CounterOverflow { counter } => write!(f, "counter {counter} stops at the largest count"),
            ValueOverflow { kind, site } => {
                write!(f, "a value of site {site} of kind {kind} stops at the largest count")
            }
            DuplicateValue { kind, site, value } => {
                write!(f, "site {site} of kind {kind} has the value {value} twice; both are added")
            }
            ValuesCut { kind, site, left_out } => {
                write!(f, "site {site} of kind {kind}: the {left_out} least frequent values are left out")
            }
            TracesLeftOut { traces } => left_out(f, *traces, "temporal trace"),
            TraceFunctionsLeftOut { functions } => {
                write!(f, "the last {functions} functions of temporal traces that are too long are left out")
            }
            MemProfLeftOut { why } => write!(f, "the MemProf section is left out: {why}"),
            BitmapsLeftOut { records } => write!(f, "the bitmaps of {} are left out", many(*records, "record")),
            UniformityLeftOut { records } => {
                write!(f, "the uniformity bits of {} are left out", many(*records, "record"))
            }
            ValueKindLeftOut { kind, records } => {
                write!(f, "the values of kind {kind} of {} are left out", many(*records, "record"))
            }
            VtableNamesLeftOut { names } => left_out(f, *names, "vtable name"),
            FlagsLeftOut { flags } => write!(f, "the variant flags {flags:#x} are left out"),
            TargetsLeftOut { targets } => {
                write!(
                    f,
                    "{targets} values and functions of traces are left out: their names are not known, or do not fit"
                )
            }
            PseudoAsCounts { records } => {
                write!(f, "{records} records say only how hot they are; the release takes that for counts near 2^64")
            }
            NameNotInForm => f.write_str("it is left out: the text form has no place for its name"),
            NoCounters => f.write_str("left out: it has no counters"),
            BinaryIdsLeftOut { ids } => left_out(f, *ids, "binary id"),
        }
    }
}

impl fmt::Display for MemProfLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemProfLoss::Damaged => "it is damaged",
            MemProfLoss::UnknownVersion => "its version or a field of its allocations is unknown",
            MemProfLoss::NoSum => {
                "the sections of the inputs differ in version or in fields of allocations, or are too large"
            }
            MemProfLoss::Several => "the profile has several of them",
            MemProfLoss::NotInFormat => "the release to be written for does not read it",
            MemProfLoss::AsLlvm => "LLVM's tool does not merge it",
        })
    }
}

/// Returns a number of things: "1 record", "2 records".
fn many(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn left_out(f: &mut fmt::Formatter<'_>, number: u64, noun: &str) -> fmt::Result {
    write!(f, "{} {} left out", many(number, noun), if number == 1 { "is" } else { "are" })
}

fn mismatch(f: &mut fmt::Formatter<'_>, what: &str, kept: u64, left_out: u64) -> fmt::Result {
    write!(f, "inputs with {left_out} {what} are left out, those with {kept} are kept")
}

impl fmt::Display for LossAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LossAccount { whole, salvaged, empty, refused, .. } = self;
        write!(f, "{} inputs: {whole} whole, {salvaged} salvaged, {empty} empty, {refused} refused; ", self.inputs())?;
        write!(f, "{} bytes, {} missing; ", self.bytes, self.bytes_missing)?;
        write!(f, "{} functions, {} lost; ", self.functions, self.functions_lost)?;
        write!(f, "counts of {}, {} lost", self.counts, self.counts_lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line() {
        let finding = Finding::of_function(0xab, 7, FindingKind::CounterMismatch { kept: 3, left_out: 2 });
        let line = "function 0x00000000000000ab, hash 0x7: inputs with 2 counters are left out, those with 3 are kept";
        assert_eq!(finding.to_string(), line);
        let finding = Finding::of_input(FindingKind::Truncated { missing: 8 });
        assert_eq!(finding.to_string(), "the input ends 8 bytes too early");
        let ids = |ids| FindingKind::BinaryIdsLeftOut { ids }.to_string();
        assert_eq!([ids(1), ids(2)], ["1 binary id is left out", "2 binary ids are left out"]);
    }
}
