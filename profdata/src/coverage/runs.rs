//! Runs of lines.

/// Lines that follow each other and have one count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Lines {
    /// The first one.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// How often each ran.
    pub count: u64,
}

/// Adds a run behind others.
pub(super) fn push(lines: &mut Vec<Lines>, run: Lines) {
    match lines.last_mut().filter(|last| last.last.checked_add(1) == Some(run.first) && last.count == run.count) {
        Some(last) => last.last = run.last,
        None => lines.push(run),
    }
}
