//! Findings, headings and reports of inputs as numbers.

use profrt_format::{Encoding, Endian, RawVersion, WordSize};

use super::fields::{Put, Take};
use crate::error::{Details, Error, ErrorKind};
use crate::finding::{Finding, FindingKind, InputId, LossAccount, Outcome};
use crate::flags::Flags;
use crate::merge::InputReport;
use crate::sink::{Format, Heading};

/// Pairs each kind of finding with its code and its numbers, for both directions.
macro_rules! finding_kinds {
    ($($code:literal $name:ident { $($field:ident),* })*) => {
        fn put_kind(to: &mut Vec<u8>, kind: &FindingKind) {
            match *kind {
                $(FindingKind::$name { $($field),* } => {
                    to.push($code);
                    $(to.number(u64::from($field));)*
                })*
            }
        }

        fn take_kind(from: &mut Take<'_>) -> Option<FindingKind> {
            Some(match from.byte()? {
                $($code => FindingKind::$name { $($field: from.number()?.try_into().ok()?),* },)*
                _ => return None,
            })
        }
    };
}

finding_kinds! {
    1 Truncated { missing }
    2 TrailingBytes { bytes }
    3 CountersLost {}
    4 BitmapLost {}
    5 ValuesLost {}
    6 CounterTooLarge { counter, value }
    7 NamesLost {}
    8 NoName {}
    9 RecordDamaged {}
    10 SectionLost {}
    11 CounterMismatch { kept, left_out }
    12 BitmapMismatch { kept, left_out }
    13 ValueSiteMismatch { kind, kept, left_out }
    14 PseudoMismatch {}
    15 CounterOverflow { counter }
    16 ValueOverflow { kind, site }
    17 DuplicateValue { kind, site, value }
    18 ValuesCut { kind, site, left_out }
    19 TracesLeftOut { traces }
    20 MemProfLeftOut { why }
    21 RecordsLost { names }
    22 BitmapsLeftOut { records }
    23 UniformityLeftOut { records }
    24 ValueKindLeftOut { kind, records }
    25 VtableNamesLeftOut { names }
    26 BinaryIdsLeftOut { ids }
    27 FlagsLeftOut { flags }
    28 TargetsLeftOut { targets }
    29 KindAssumed {}
    30 PseudoAsCounts { records }
    31 NameNotInForm {}
    32 LastLineUnended {}
    33 TraceFunctionsLeftOut { functions }
    34 NoCounters {}
    35 Unfinished { bytes }
    36 OtherRecords { version }
}

/// Appends a finding about the input at this place in the file.
pub(super) fn put_finding(to: &mut Vec<u8>, finding: &Finding, input: u64) {
    to.number(input);
    to.push(finding.function.is_some().into());
    if let Some((name, hash)) = finding.function {
        to.word(name);
        to.word(hash);
    }
    put_kind(to, &finding.kind);
}

pub(super) fn take_finding(from: &mut Take<'_>) -> Option<Finding> {
    let input = take_place(from)?;
    let function = match from.byte()? {
        0 => None,
        _ => Some((from.word()?, from.word()?)),
    };
    Some(Finding { input, function, kind: take_kind(from)? })
}

/// Takes the place of an input in the file, as the number of a part.
pub(super) fn take_place(from: &mut Take<'_>) -> Option<InputId> {
    Some(InputId { number: 0, part: u32::try_from(from.number()?).ok()? })
}

pub(super) fn put_heading(to: &mut Vec<u8>, heading: &Heading) {
    let machine =
        |encoding: Encoding| u64::from(encoding.word == WordSize::W32) | u64::from(encoding.endian == Endian::Big) << 1;
    let (format, version, machine) = match heading.format {
        Format::Raw7(encoding) => (0, 7, machine(encoding)),
        Format::Raw(version, encoding) => (0, version.number(), machine(encoding)),
        Format::Indexed(version) => (1, version.into(), 0),
        Format::Text => (2, 0, 0),
        Format::Partial => (3, 0, 0),
    };
    for number in [format, version, machine] {
        to.number(number);
    }
    to.word(heading.flags.bits());
    to.push(u8::from(heading.says_front_end) | u8::from(heading.kind_unknown) << 1);
}

pub(super) fn take_heading(from: &mut Take<'_>) -> Option<Heading> {
    let (format, version, machine) = (from.number()?, from.number()?, from.number()?);
    let encoding = Encoding {
        word: if machine & 1 == 1 { WordSize::W32 } else { WordSize::W64 },
        endian: if machine & 2 == 2 { Endian::Big } else { Endian::Little },
    };
    let format = match (format, version) {
        (0, 7) => Format::Raw7(encoding),
        (0, version) => Format::Raw(RawVersion::from_number(version)?, encoding),
        (1, version) => Format::Indexed(version.try_into().ok()?),
        (2, _) => Format::Text,
        (3, _) => Format::Partial,
        _ => return None,
    };
    let flags = Flags::of_version_word(from.word()?);
    let bits = from.byte()?;
    Some(Heading { format, flags, says_front_end: bits & 1 == 1, kind_unknown: bits & 2 == 2 })
}

/// Set in the code of an outcome: the report is of several inputs ([`Merger::condense`](crate::merge::Merger::condense)), and their numbers follow.
const MANY: u8 = 0x80;

pub(super) fn put_input(to: &mut Vec<u8>, input: &InputReport) {
    to.string(input.name.as_bytes());
    to.number(input.weight);
    let account = &input.account;
    let outcome = input.outcome as u8;
    let numbers = |account: &LossAccount| [account.whole, account.salvaged, account.empty, account.refused];
    let mut one = LossAccount::default();
    *one.inputs_mut(input.outcome) = 1;
    if numbers(account) == numbers(&one) {
        to.push(outcome);
    } else {
        to.push(outcome | MANY);
        numbers(account).iter().for_each(|number| to.number(*number));
    }
    for number in [account.bytes, account.bytes_missing, account.functions, account.functions_lost] {
        to.number(number);
    }
    to.wide(account.counts);
    to.wide(account.counts_lost);
    to.push(input.error.is_some().into());
    if let Some(error) = &input.error {
        let details = error.details();
        to.push(details.kind as u8);
        to.string(details.field.as_bytes());
        to.number(details.offset.map_or(0, |offset| offset.saturating_add(1)));
        for text in [&details.input, &details.expected, &details.found] {
            to.push(text.is_some().into());
            to.string(text.as_deref().unwrap_or("").as_bytes());
        }
    }
}

pub(super) fn take_input(from: &mut Take<'_>) -> Option<InputReport> {
    let (name, weight) = (from.text()?, from.number()?);
    let code = from.byte()?;
    let outcome = Outcome::try_from(code & !MANY).ok()?;
    let inputs =
        if code & MANY == 0 { None } else { Some([from.number()?, from.number()?, from.number()?, from.number()?]) };
    let mut account = LossAccount {
        bytes: from.number()?,
        bytes_missing: from.number()?,
        functions: from.number()?,
        functions_lost: from.number()?,
        counts: from.wide()?,
        counts_lost: from.wide()?,
        ..LossAccount::default()
    };
    match inputs {
        Some([whole, salvaged, empty, refused]) => account = LossAccount { whole, salvaged, empty, refused, ..account },
        None => *account.inputs_mut(outcome) = 1,
    }
    let error = match from.byte()? {
        0 => None,
        _ => Some(take_error(from)?),
    };
    Some(InputReport { name, weight, outcome, account, error })
}

fn take_error(from: &mut Take<'_>) -> Option<Error> {
    let kind = ErrorKind::try_from(from.byte()?).ok()?;
    let (field, offset) = (from.text()?.into(), from.number()?.checked_sub(1));
    let mut text = || Some((from.byte()? != 0).then_some(from.text()?));
    Some(Error::from(Details { kind, field, offset, input: text()?, expected: text()?, found: text()? }))
}
