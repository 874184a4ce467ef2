//! Recording the profile, merging it, and reading from it what is worth a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Demo;
use testkit::run;

/// Raw profiles, one of each run.
pub struct Raw {
    /// The name that the program was given, with `%p` in it.
    pub pattern: PathBuf,
    pub files: Vec<PathBuf>,
}

/// What `llvm-profdata show` says.
pub struct Summary {
    pub functions: u64,
    /// Function and count, the hottest first.
    pub top: Vec<(String, u64)>,
    /// Callees of indirect calls and how often each was called that way.
    pub indirect: Vec<(String, u64)>,
}

/// Runs the program on every workload; each process writes a raw profile of its own.
pub fn record(demo: &Demo, binary: &Path, kind: &str) -> Result<Raw> {
    let directory = demo.directory.join(format!("{kind}-raw"));
    if directory.exists() {
        fs::remove_dir_all(&directory).with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    let pattern = directory.join(format!("{}-%p.profraw", demo.program.name));
    let bar = run::progress(&format!("running it for the {kind}"), demo.program.runs.len());
    for run in &demo.program.runs {
        bar.set_message(run.title);
        demo.execute(binary, &run.words, Some(&pattern))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut files = Vec::new();
    if directory.is_dir() {
        for entry in fs::read_dir(&directory)? {
            files.push(entry?.path());
        }
    }
    if files.len() != demo.program.runs.len() {
        bail!(
            "{} runs left {} profiles in {}; each was to write {}",
            demo.program.runs.len(),
            files.len(),
            directory.display(),
            pattern.display()
        );
    }
    files.sort();
    Ok(Raw { pattern, files })
}

pub fn merge(demo: &Demo, raw: &Raw, name: &str) -> Result<PathBuf> {
    let merged = demo.directory.join(name);
    run::quiet(Command::new(&demo.clang.profdata).arg("merge").args(&raw.files).arg("-o").arg(&merged))?;
    Ok(merged)
}

pub fn summary(demo: &Demo, profile: &Path) -> Result<Summary> {
    let show =
        |options: &[&str]| run::stdout(Command::new(&demo.clang.profdata).arg("show").args(options).arg(profile));
    let top = show(&["--topn=8"])?;
    let functions = top.lines().find_map(|line| line.strip_prefix("Total functions: ")?.trim().parse().ok());
    let top: Vec<_> = top.lines().filter_map(top_line).collect();
    if top.iter().all(|(_, count)| *count == 0) {
        bail!("{} counts nothing, though the program was run", profile.display());
    }
    let indirect = indirect(&show(&["--all-functions", "--ic-targets"])?);
    Ok(Summary { functions: functions.unwrap_or_default(), top, indirect })
}

/// `  lvm.c;luaV_execute, max count = 123`
fn top_line(line: &str) -> Option<(String, u64)> {
    let (name, count) = line.trim().split_once(", max count = ")?;
    Some((short(name), count.trim().parse().ok()?))
}

/// Adds up lines like `[  0, l_alloc, 123 ] (99.1%)`, by callee, the most frequent first.
fn indirect(text: &str) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines() {
        let Some((inside, _)) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            continue;
        };
        let columns: Vec<&str> = inside.split(',').map(str::trim).collect();
        if let [_, callee, count] = columns[..]
            && let Ok(count) = count.parse::<u64>()
        {
            *counts.entry(short(callee)).or_default() += count;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
    counts
}

/// A static function is `path/file.c;name` (or with a colon, up to clang 16): the directory is left out.
fn short(name: &str) -> String {
    match name.rsplit_once([';', ':']) {
        Some((file, function)) => {
            format!("{function} ({})", file.rsplit('/').next().unwrap_or(file))
        }
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_functions_are_read() {
        assert_eq!(top_line("  luaV_execute, max count = 123"), Some(("luaV_execute".to_owned(), 123)));
        assert_eq!(top_line("  a/b/ltable.c;getgeneric, max count = 7"), Some(("getgeneric (ltable.c)".to_owned(), 7)));
        assert_eq!(top_line("Total functions: 12"), None);
    }

    #[test]
    fn indirect_callees_are_added_up() {
        let text = "    Indirect Target Results:\n\t[  0, l_alloc,         10 ] (90.0%)\n\t[  0, str_len,          5 ]\n\t[  1, l_alloc, 3 ] (1%)\n\t[  1, gone, 0 ]\n";
        assert_eq!(indirect(text), [("l_alloc".to_owned(), 13), ("str_len".to_owned(), 5)]);
    }
}
