//! The instruments: callgrind for instructions, strace for system calls, the programs' own clocks for time.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::programs::{Programs, Side};
use crate::run;

/// Instructions that a program executes inside `function` and what that calls; without one, of the whole process, the loader's
/// and the C library's included.
pub fn instructions(
    programs: &Programs,
    side: Side,
    name: &str,
    arguments: &[&str],
    function: Option<&str>,
) -> Result<u64> {
    let out = programs.scratch("callgrind.out");
    callgrind(programs, side, name, arguments, function, &out)?;
    let total = total(&out)?;
    if total == 0 {
        bail!("{name} of {side:?} never came into {}", function.unwrap_or("main"));
    }
    Ok(total)
}

/// Runs a program under callgrind, which writes to `out`.
pub fn callgrind(
    programs: &Programs,
    side: Side,
    name: &str,
    arguments: &[&str],
    function: Option<&str>,
    out: &Path,
) -> Result<()> {
    let mut valgrind = valgrind(&programs.path(side, name), function, out);
    programs.quiet(valgrind.args(arguments));
    run::quiet(&mut valgrind)
}

/// The program under callgrind, which writes to `out`.
pub fn valgrind(program: &Path, function: Option<&str>, out: &Path) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.args(function.map(|function| format!("--toggle-collect={function}"))).arg(program);
    valgrind
}

/// The instructions that callgrind has counted.
pub fn total(out: &Path) -> Result<u64> {
    let text = fs::read_to_string(out).context("callgrind wrote nothing")?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("callgrind wrote no total")?;
    total.trim().parse().with_context(|| format!("callgrind's total is `{total}`"))
}

/// System calls of a whole process.
pub fn all_system_calls(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<u64> {
    let out = programs.scratch("strace.out");
    let mut strace = strace(&programs.path(side, name), &out);
    programs.quiet(strace.args(arguments));
    run::quiet(&mut strace)?;
    calls_in(&out)
}

/// The program under strace, which writes to `out`.
pub fn strace(program: &Path, out: &Path) -> Command {
    let mut strace = Command::new("strace");
    strace.arg("-o").arg(out).arg(program);
    strace
}

/// The system calls that strace has seen.
pub fn calls_in(out: &Path) -> Result<u64> {
    let text = fs::read_to_string(out).context("strace wrote nothing")?;
    // The last line says how it ended.
    Ok(text.lines().filter(|line| !line.starts_with("+++")).count() as u64)
}

/// Calls to the heap in a whole process, those that the C library makes for itself included.
pub fn heap_calls(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<u64> {
    let out = programs.scratch("memcheck.out");
    let mut valgrind = Command::new("valgrind");
    // What the C library frees at the end was never asked for by the program.
    valgrind.args(["--run-libc-freeres=no", "--run-cxx-freeres=no"]).arg(format!("--log-file={}", out.display()));
    valgrind.arg(programs.path(side, name)).args(arguments);
    programs.quiet(&mut valgrind);
    run::quiet(&mut valgrind)?;
    let text = fs::read_to_string(&out).context("memcheck wrote nothing")?;
    let (_, usage) = text.split_once("total heap usage: ").context("memcheck says nothing about the heap")?;
    let mut words = usage.split_whitespace().map(|word| word.replace(',', ""));
    match (words.next().map(|word| word.parse::<u64>()), words.nth(1).map(|word| word.parse::<u64>())) {
        // `6 allocs, 3 frees`
        (Some(Ok(allocs)), Some(Ok(frees))) => Ok(allocs + frees),
        _ => bail!("memcheck says `{usage}` about the heap"),
    }
}

/// The `N` numbers that a program prints.
pub fn printed<const N: usize>(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<[f64; N]> {
    let text = run::stdout(programs.command(side, name).args(arguments))?;
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.with_context(|| format!("{name} of {side:?} printed `{text}` instead of {N} numbers"))
}

/// The middle one of the numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
