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
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.args(function.map(|function| format!("--toggle-collect={function}")));
    valgrind.arg(programs.path(side, name)).args(arguments);
    programs.quiet(&mut valgrind);
    run::quiet(&mut valgrind)
}

fn total(out: &Path) -> Result<u64> {
    let text = fs::read_to_string(out).context("callgrind wrote nothing")?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("callgrind wrote no total")?;
    total.trim().parse().with_context(|| format!("callgrind's total is `{total}`"))
}

/// System calls of a whole process.
pub fn all_system_calls(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<u64> {
    let lines = traced(programs, side, name, arguments)?;
    // The last line says how it ended.
    Ok(lines.lines().filter(|line| !line.starts_with("+++")).count() as u64)
}

fn traced(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<String> {
    let out = programs.scratch("strace.out");
    let mut strace = Command::new("strace");
    strace.arg("-o").arg(&out).arg(programs.path(side, name)).args(arguments);
    programs.quiet(&mut strace);
    run::quiet(&mut strace)?;
    fs::read_to_string(&out).context("strace wrote nothing")
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

/// System calls between the two writes to descriptor -1 by which a program marks what is to be counted.
pub fn system_calls(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<u64> {
    let text = traced(programs, side, name, arguments)?;
    let marked = text.lines().skip_while(|line| !line.starts_with("write(-1, \"begin\"")).skip(1);
    let calls = marked.take_while(|line| !line.starts_with("write(-1, \"end\"")).count();
    if calls == 0 {
        bail!("{name} of {side:?} made no system call, or did not mark them");
    }
    Ok(calls as u64)
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
