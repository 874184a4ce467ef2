//! What the runtime's code is for: bytes of functions in linked programs, by job.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol, SymbolKind};

use super::programs::{Programs, Side, TINY};

/// Jobs by the modules that do them; the first that fits counts.
const JOBS: &[(&str, &[&str])] = &[
    (
        "merging",
        &["merge", "lifecycle::merged_content", "lifecycle::signature", "state::contributions", "publish::merged"],
    ),
    ("continuous mode", &["continuous"]),
    (
        "signals and `fork`",
        &[
            "lifecycle::signals",
            "lifecycle::signal_list",
            "lifecycle::fork",
            "os::unix::chain",
            "os::unix::handler",
            "os::unix::signal",
        ],
    ),
    ("values", &["value", "lifecycle::value_limits"]),
    ("messages", &["report", "mismatch", "lifecycle::mismatch"]),
    ("header, records and sections", &["format", "native", "raw", "sections", "dump", "reset"]),
    ("names and files", &["publish", "filename", "lifecycle::filename", "path", "span", "sink", "os"]),
    ("start and exit", &["lifecycle", "state", "abi"]),
];
const REST: &str = "shared parts of `core`";

/// A table for docs/PERFORMANCE.md.
pub fn table(programs: &Programs) -> Result<String> {
    let columns = [of(programs, TINY)?, of(programs, "calls")?];
    let mut text = String::from("| what for | without value sites | with |\n| --- | ---: | ---: |\n");
    let mut sums = [0; 2];
    for (at, title) in JOBS.iter().map(|(title, _)| *title).chain([REST]).enumerate() {
        let row: Vec<u64> = columns.iter().map(|column| column.get(at).copied().unwrap_or(0)).collect();
        let _ = writeln!(text, "| {title} | {} | {} |", row[0], row[1]);
        sums = [sums[0] + row[0], sums[1] + row[1]];
    }
    let _ = writeln!(text, "| all functions | {} | {} |", sums[0], sums[1]);
    Ok(text)
}

/// Bytes of our functions in a program, by job.
fn of(programs: &Programs, name: &str) -> Result<Vec<u64>> {
    let bytes = fs::read(programs.path(Side::Ours, name))?;
    let file = object::File::parse(&*bytes).context("a linked program cannot be read")?;
    let mut jobs = vec![0; JOBS.len() + 1];
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        if let Some(job) = symbol.name().ok().and_then(job) {
            jobs[job] += symbol.size();
        }
    }
    Ok(jobs)
}

/// The place of a function's job in the table; none for functions that are not ours.
fn job(symbol: &str) -> Option<usize> {
    if ["__llvm_profile_", "lprof", "profrt_"].iter().any(|prefix| symbol.starts_with(prefix)) {
        let values = symbol.starts_with("profrt_values_") || symbol.contains("_instrument_");
        return JOBS.iter().position(|(title, _)| *title == if values { "values" } else { "start and exit" });
    }
    let path = path(symbol)?;
    // Functions of the crate `profrt-format` are compiled with the runtime.
    let path = path.replacen("profrt_format::", "profrt::format::", 1);
    let Some((_, path)) = path.split_once("profrt::") else { return Some(JOBS.len()) };
    let under =
        |module: &&str| path.strip_prefix(*module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    Some(JOBS.iter().position(|(_, modules)| modules.iter().any(under)).unwrap_or(JOBS.len()))
}

/// The path in a name as rustc makes it: `_ZN`, each part behind its length, `E`; the first path in `<…>` for one of a trait.
fn path(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_ZN")?;
    let mut parts = Vec::new();
    while !rest.starts_with('E') {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let len: usize = rest[..digits].parse().ok()?;
        parts.push(rest.get(digits..digits + len)?);
        rest = &rest[digits + len..];
    }
    Some(parts.join("::").replace("..", "::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(symbol: &str) -> Option<&'static str> {
        job(symbol).map(|at| JOBS.get(at).map_or(REST, |(title, _)| title))
    }

    #[test]
    fn functions_have_jobs() {
        assert_eq!(title("_ZN6profrt5merge5check5check17hcf8bfe50a1b2c3d4E"), Some("merging"));
        assert_eq!(title("_ZN6profrt10continuous15continuous_file4take17hcf8bfe50a1b2c3d4E"), Some("continuous mode"));
        assert_eq!(title("_ZN6profrt9lifecycle5write10write_file17hcf8bfe50a1b2c3d4E"), Some("start and exit"));
        let of_the_format = "_ZN13profrt_format6layout13Plan$LT$S$GT$5check17hcf8bfe50a1b2c3d4E";
        assert_eq!(title(of_the_format), Some("header, records and sections"));
        let of_a_trait =
            "_ZN63_$LT$profrt..sink..file..File$u20$as$u20$profrt..sink..Sink$GT$5write17hcf8bfe50a1b2c3d4E";
        assert_eq!(title(of_a_trait), Some("names and files"));
        assert_eq!(title("_ZN4core6option15Option$LT$T$GT$3zip17hcf8bfe50a1b2c3d4E"), Some(REST));
        assert_eq!(title("profrt_values_write"), Some("values"));
        assert_eq!(title("main"), None);
    }
}
