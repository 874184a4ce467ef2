//! Errors and findings of `profdata`: as lines, one for each kind, and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use profdata::error::{Error, ErrorKind};
use profdata::finding::{Finding, FindingKind};
use serde::Serialize;

use super::style::{HEADING, Styled, WARNING};
use crate::text::{exact, offset};

/// One thing that is wrong with an input.
#[derive(Clone, Debug, Serialize)]
pub struct Fault {
    /// The class of the error; `None`: something else was found than an error of a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Which field.
    pub field: String,
    /// Where it is, in bytes from the start of the input.
    pub offset: Option<u64>,
    /// What a sound input has there.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
    /// The likely cause.
    pub cause: String,
    /// What to do; `None`: the cause has it.
    pub remedy: Option<String>,
}

impl Fault {
    /// Returns an error without the name of its input.
    pub fn of(error: &Error) -> Fault {
        let details = error.details();
        Fault {
            class: Some(kebab(&details.kind)),
            field: details.field.clone().into_owned(),
            offset: details.offset,
            expected: details.expected.clone(),
            found: details.found.clone(),
            cause: cause(error).into(),
            remedy: Some(remedy(error).into()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class.as_ref().map(|class| class.replace('-', " "));
        let lines = [
            ("field:   ", Some(self.field.clone())),
            ("offset:  ", self.offset.map(offset)),
            ("expected:", self.expected.clone()),
            ("found:   ", self.found.clone().or(class)),
            ("cause:   ", Some(self.cause.clone())),
            ("remedy:  ", self.remedy.clone()),
        ];
        let mut lines = lines.into_iter().filter_map(|(title, text)| Some((title, text?)));
        lines.try_for_each(|(title, text)| writeln!(f, "  {title} {text}"))
    }
}

/// Returns why an input is as it is.
pub fn cause(error: &Error) -> &'static str {
    match error.kind() {
        _ if is_encrypted(error) => "it is encrypted",
        _ if is_of_archive(error) => "it is larger than profrt takes out of an archive",
        _ => error.cause(),
    }
}

/// Returns whether it is the archive that keeps a profile from being read, which may be whole.
fn is_of_archive(error: &Error) -> bool {
    error.kind() == ErrorKind::TooLarge && error.details().field.starts_with("archive") || is_encrypted(error)
}

fn is_encrypted(error: &Error) -> bool {
    error.details().field == "encrypted archive member"
}

/// Returns what a user can do.
pub fn remedy(error: &Error) -> &'static str {
    match error.kind() {
        _ if is_of_archive(error) => "unpack the archive, and give its files",
        ErrorKind::MissingCorrelation => "give `profrt merge` the program that ran, or its debug info, with --object",
        _ => error.remedy(),
    }
}

/// Returns an error with its cause and what to do.
pub fn explained(error: &Error) -> String {
    format!("{error}\n  cause:  {}\n  remedy: {}", cause(error), remedy(error))
}

/// A [`Finding`], as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct FindingJson {
    /// Name of the input; `None` when it is about the result.
    input: Option<String>,
    function: Option<FunctionJson>,
    kind: String,
    /// Something of the input is not in the result.
    loss: bool,
    text: String,
}

/// A function of a finding.
#[derive(Clone, Debug, Serialize)]
struct FunctionJson {
    name: Option<String>,
    name_hash: String,
    hash: String,
}

impl FindingJson {
    /// Returns a finding, with the names of its input and its function where they are known.
    pub fn of(finding: &Finding, input: Option<&str>, function: Option<&str>) -> FindingJson {
        FindingJson {
            input: input.map(str::to_owned),
            function: finding.function.map(|(name_hash, hash)| FunctionJson {
                name: function.map(str::to_owned),
                name_hash: format!("{name_hash:#018x}"),
                hash: format!("{hash:#x}"),
            }),
            kind: kebab(&finding.kind),
            loss: is_loss(&finding.kind),
            text: finding.kind.to_string(),
        }
    }
}

/// Returns findings by their kinds: the first one of each, and how many there are.
pub fn by_kind<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> impl Iterator<Item = (&'a Finding, u64)> {
    let mut kinds = BTreeMap::new();
    for finding in findings {
        kinds.entry(kebab(&finding.kind)).or_insert((finding, 0)).1 += 1;
    }
    kinds.into_values()
}

/// Returns the line for findings of one kind, with the names of the input and the function of the first one.
pub fn line(first: &Finding, number: u64, input: Option<&str>, function: impl Fn(u64) -> Option<String>) -> String {
    let input = input.map_or(String::new(), |input| format!("{input}: "));
    let function = first
        .function
        .map_or(String::new(), |(hash, _)| function(hash).unwrap_or_else(|| format!("function {hash:#018x}")) + ": ");
    format!("{input}{function}{}{}", first.kind, others(number))
}

/// Returns how many things there are besides the one that is named.
pub fn others(number: u64) -> String {
    if number > 1 { format!(" (and {} more like this)", exact(number - 1)) } else { String::new() }
}

/// Returns the word before the line of a finding.
pub fn label(kind: &FindingKind) -> Styled<&'static str> {
    if is_loss(kind) { Styled(WARNING, "lost:") } else { Styled(HEADING, "note:") }
}

/// Returns whether a finding says that something is not in the result, other than by a limit of the formats or of the chosen target.
pub fn is_loss(kind: &FindingKind) -> bool {
    use FindingKind::*;
    !matches!(
        kind,
        DuplicateValue { .. }
            | LastLineUnended
            | Unfinished { .. }
            | ValuesCut { .. }
            | TracesLeftOut { .. }
            | TraceFunctionsLeftOut { .. }
            | BitmapsLeftOut { .. }
            | UniformityLeftOut { .. }
            | ValueKindLeftOut { .. }
            | VtableNamesLeftOut { .. }
            | PseudoAsCounts { .. }
            | BinaryIdsLeftOut { .. }
    )
}

/// Returns the name of a variant, as `counter-mismatch`, from what `Debug` writes of it.
pub fn kebab(variant: &impl fmt::Debug) -> String {
    let mut name = String::new();
    for c in format!("{variant:?}").chars().take_while(char::is_ascii_alphanumeric) {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_archives_is_no_torn_file() {
        let large = Error::new(ErrorKind::TooLarge, "archive member");
        assert!(cause(&large).contains("archive") && remedy(&large).contains("unpack"));
        let torn = Error::new(ErrorKind::TooLarge, "NumBuckets");
        assert!(cause(&torn).contains("was cut"));
    }

    #[test]
    fn variants_have_names_without_their_fields() {
        assert_eq!(kebab(&FindingKind::BitmapsLeftOut { records: 1 }), "bitmaps-left-out");
        assert_eq!(kebab(&ErrorKind::Io), "io");
    }
}
