//! What a command prints on standard error before it fails.

use std::fmt;
use std::io;
use std::path::Path;

/// Lines for standard error. The exit status is 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Failure {
    lines: Vec<String>,
}

impl Failure {
    /// Returns a failure with LLVM's prefix.
    pub(super) fn new(message: impl fmt::Display) -> Failure {
        Failure::of_line(format!("error: {message}"))
    }

    /// Returns a failure of one line.
    pub(super) fn of_line(line: String) -> Failure {
        Failure { lines: vec![line] }
    }

    /// Returns a failure about a file.
    pub(super) fn of_file(path: &[u8], message: impl fmt::Display) -> Failure {
        Failure::new(format_args!("{}: {message}", String::from_utf8_lossy(path)))
    }

    /// Returns a failure of the system about a file.
    pub(super) fn of_system(path: &[u8], error: &io::Error) -> Failure {
        if path.is_empty() { Failure::new(reason(error)) } else { Failure::of_file(path, reason(error)) }
    }

    /// Adds a line.
    pub(super) fn line(mut self, line: impl fmt::Display) -> Failure {
        self.push(line.to_string());
        self
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Returns whether nothing has failed.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Returns the C library's words for an error, without the number that Rust adds.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((reason, _)) => reason.to_string(),
        None => text,
    }
}

/// Returns the bytes of a path.
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}
