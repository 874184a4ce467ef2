//! Findings and loss accounts as text, one line each.

use std::fmt;

use super::{Finding, LossAccount};

impl fmt::Display for Finding {
    /// Writes the function, by the hash of its name and its own, and what was found. The caller maps the input number to a name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, hash)) = self.function {
            write!(f, "function {name:#018x}, hash {hash:#x}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

/// Returns a number of things: "1 record", "2 records".
pub(super) fn many(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the same with a verb: "1 record is", "2 records are".
pub(super) fn are(number: u64, noun: &str) -> String {
    many(number, noun) + if number == 1 { " is" } else { " are" }
}

/// Returns which compilers make records of a raw version.
pub(super) fn emitters(version: u64) -> &'static str {
    profrt_format::RawVersion::from_number(version).map_or("another compiler", profrt_format::RawVersion::emitters)
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
    use super::super::FindingKind;
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
