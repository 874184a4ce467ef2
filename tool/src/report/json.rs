//! Errors and findings of `profdata` as JSON.

use profdata::error::{Error, ErrorKind};
use profdata::finding::{Finding, FindingKind};
use serde::Serialize;

/// An [`Error`].
#[derive(Clone, Debug, Serialize)]
pub struct ErrorJson {
    class: String,
    field: String,
    offset: Option<u64>,
    expected: Option<String>,
    found: Option<String>,
    cause: &'static str,
    remedy: &'static str,
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
pub fn is_of_archive(error: &Error) -> bool {
    error.kind() == ErrorKind::TooLarge && error.details().field.starts_with("archive") || is_encrypted(error)
}

fn is_encrypted(error: &Error) -> bool {
    error.details().field == "encrypted archive member"
}

impl ErrorJson {
    /// Returns an error without the name of its input.
    pub fn of(error: &Error) -> ErrorJson {
        let details = error.details();
        ErrorJson {
            class: kebab(&format!("{:?}", details.kind)),
            field: details.field.clone().into_owned(),
            offset: details.offset,
            expected: details.expected.clone(),
            found: details.found.clone(),
            cause: cause(error),
            remedy: remedy(error),
        }
    }
}

/// Returns what a user of a command can do that has already salvaged what is whole.
pub fn remedy(error: &Error) -> &'static str {
    match error.kind() {
        _ if is_of_archive(error) => "unpack the archive, and give its files",
        ErrorKind::Empty | ErrorKind::Truncated | ErrorKind::BadHeader | ErrorKind::TooLarge => {
            "run the program again, or leave the file out; what is whole of it counts"
        }
        ErrorKind::UnsupportedHashType | ErrorKind::Malformed | ErrorKind::UncompressFailed => {
            "copy or make the file again; what is whole of it counts"
        }
        ErrorKind::MissingCorrelation => "name the program that ran, or its debug info, with --elf",
        _ => error.remedy(),
    }
}

/// A [`Finding`].
#[derive(Clone, Debug, Serialize)]
pub struct FindingJson {
    /// Name of the input; `None` when it is about the result.
    pub input: Option<String>,
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
    pub fn of(finding: &Finding, input: Option<&str>, function: Option<String>) -> FindingJson {
        FindingJson {
            input: input.map(str::to_owned),
            function: finding.function.map(|(name_hash, hash)| FunctionJson {
                name: function,
                name_hash: format!("{name_hash:#018x}"),
                hash: format!("{hash:#x}"),
            }),
            kind: kebab(&format!("{:?}", finding.kind)),
            loss: is_loss(&finding.kind),
            text: finding.kind.to_string(),
        }
    }
}

/// Returns whether a file with these first bytes is a report of this tool.
pub fn is_report(head: &[u8]) -> bool {
    head.starts_with(b"{") && memchr::memmem::find(head, b"\"schema\": \"profrt-").is_some()
}

/// Returns whether a finding says that something is not in the result, other than by a limit of the formats or of the chosen target.
pub fn is_loss(kind: &FindingKind) -> bool {
    use FindingKind::*;
    !matches!(
        kind,
        DuplicateValue { .. }
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
pub fn kebab(debug: &str) -> String {
    let mut name = String::new();
    for c in debug.chars().take_while(char::is_ascii_alphanumeric) {
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
        assert_eq!(kebab("CounterMismatch { kept: 1 }"), "counter-mismatch");
        assert_eq!(kebab("Io"), "io");
    }
}
