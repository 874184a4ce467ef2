//! The end of each command: its result for people or as JSON, then what is wrong with it, and the exit status.

use anyhow::{Context, Result};
use serde::Serialize;

use super::style::{BAD, Styled, WARNING, print};

/// The exit status when there is no result.
pub const NO_RESULT: u8 = 2;

/// Why the exit status of a command that has a result is 1.
#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    /// What of the inputs is lost.
    pub damage: Vec<String>,
    /// What options ask for, and the result does not have.
    pub failures: Vec<String>,
}

impl Verdict {
    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        u8::from(!self.damage.is_empty() || !self.failures.is_empty())
    }

    /// Writes the reasons to standard error. Returns the exit status.
    pub fn end(&self, command: &str) -> u8 {
        self.damage.iter().for_each(|line| complainln!("{} {line}", Styled(WARNING, "damaged:")));
        self.failures.iter().for_each(|line| complain_of(command, line));
        self.status()
    }
}

/// Writes a line about a command to standard error.
fn complain_of(command: &str, line: &str) {
    complainln!("{} {line}", Styled(BAD, format_args!("profrt {command}:")));
}

/// Returns the exit status of a command, and says why it has no result.
pub fn exit(command: &str, result: Result<u8>) -> u8 {
    result.unwrap_or_else(|error| {
        complain_of(command, &format!("{error:#}"));
        NO_RESULT
    })
}

/// A report as JSON, which [`is_report`] knows.
#[derive(Serialize)]
struct Json<'a, T> {
    schema: &'static str,
    status: u8,
    #[serde(flatten)]
    body: &'a T,
}

/// Returns a report as JSON. Errors: none that the contents can cause.
pub fn json(schema: &'static str, status: u8, body: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(&Json { schema, status, body }).context("the report cannot be made")?;
    Ok(json + "\n")
}

/// Returns whether a file with these first bytes is a report.
pub fn is_report(head: &[u8]) -> bool {
    head.starts_with(b"{") && memchr::memmem::find(head, b"\"schema\": \"profrt-").is_some()
}

/// Writes a result to standard output: as JSON where there is a schema, otherwise as text. Errors: those of the system.
pub fn show(
    schema: Option<&'static str>,
    status: u8,
    body: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<()> {
    let text = match schema {
        Some(schema) => json(schema, status, body)?,
        None => text(),
    };
    print(&text)
}
