//! The one screen at the end.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::Demo;
use super::coverage::Covered;
use super::measure::Times;
use super::profile::{Raw, Summary};

pub fn render(
    demo: &Demo,
    raw: &Raw,
    profile: &Path,
    summary: &Summary,
    times: &[Times],
    coverage: &[Covered],
    [page, profile_page]: [&Path; 2],
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, demo, raw, profile, summary, times, coverage);
    let _ = writeln!(text, "\nits coverage page, for a browser: {}", shown(page));
    let _ = writeln!(text, "its profile page:                  {}", shown(profile_page));
    text
}

fn write(
    text: &mut String,
    demo: &Demo,
    raw: &Raw,
    profile: &Path,
    summary: &Summary,
    times: &[Times],
    coverage: &[Covered],
) -> std::fmt::Result {
    let runtime = if demo.official { "LLVM's own runtime" } else { "profrt" };
    let names: Vec<&str> = demo.program.runs.iter().map(|run| run.title).collect();
    let size = fs::metadata(profile).map_or(0, |metadata| metadata.len());
    writeln!(
        text,
        "\n{} with {runtime}, clang {}, raw version {}\n",
        demo.program.title, demo.clang.version, demo.clang.raw
    )?;
    writeln!(text, "ran       {}: a process each, -O2 -fprofile-generate", names.join(", "))?;
    writeln!(text, "wrote     {} ({} files)", shown(&raw.pattern), raw.files.len())?;
    writeln!(text, "profile   {} ({} KiB, {} functions)\n", shown(profile), size.div_ceil(1024), summary.functions)?;

    let rows = summary.top.len().max(summary.indirect.len().min(summary.top.len()));
    let second = if summary.indirect.is_empty() { "" } else { "called indirectly" };
    writeln!(text, "{:<46}  {second}", "hottest functions, by their hottest block")?;
    for index in 0..rows {
        let column = |list: &[(String, u64)]| {
            list.get(index)
                .map_or(String::new(), |(name, count)| format!("  {:<28} {:>15}", cut(name, 28), grouped(*count)))
        };
        writeln!(text, "{}", format!("{:<46}{}", column(&summary.top), column(&summary.indirect)).trim_end())?;
    }

    writeln!(text, "\n{:<30} {:>10} {:>14}", "time, median of the rounds", "-O2", "-fprofile-use")?;
    for row in times {
        speed(text, row.title, row.before, row.after)?;
    }
    speed(text, "all", times.iter().map(|row| row.before).sum(), times.iter().map(|row| row.after).sum())?;

    writeln!(
        text,
        "\n{:<30} {:>10} {:>14} {:>10} {:>10}",
        "coverage of the same, llvm-cov", "lines", "functions", "regions", "branches"
    )?;
    for row in coverage {
        let Covered { name, lines, functions, regions, branches, .. } = row;
        writeln!(
            text,
            "  {:<28} {lines:>8.1} % {functions:>12.1} % {regions:>8.1} % {branches:>8.1} %",
            cut(name, 28)
        )?;
    }
    Ok(())
}

fn speed(text: &mut String, title: &str, before: Duration, after: Duration) -> std::fmt::Result {
    let (before, after) = (before.as_secs_f64(), after.as_secs_f64());
    let gain = if after > 0.0 { (before / after - 1.0) * 100.0 } else { 0.0 };
    let word = if gain < 0.0 { "slower" } else { "faster" };
    writeln!(text, "  {title:<28} {before:>8.2} s {after:>12.2} s {:>8.1} % {word}", gain.abs())
}

/// Relative to where the command was given, if it is below.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

/// A function's file is left out before its name is cut.
fn cut(text: &str, width: usize) -> String {
    let text = if text.chars().count() <= width { text } else { text.split(" (").next().unwrap_or(text) };
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_fit_their_columns() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1 234 567");
        assert_eq!(cut("luaV_execute", 28), "luaV_execute");
        assert_eq!(cut("btreeParseCellPtr (sqlite3.c)", 20), "btreeParseCellPtr");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
