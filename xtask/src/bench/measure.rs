//! The instruments: callgrind for instructions, strace for system calls, the programs' own clocks for time.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::programs::{Programs, Side};
use crate::run;

/// Instructions that a program executes inside `function` and what that calls.
pub fn instructions(programs: &Programs, side: Side, name: &str, arguments: &[&str], function: &str) -> Result<u64> {
    let out = programs.scratch("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.arg(format!("--toggle-collect={function}")).arg(programs.path(side, name)).args(arguments);
    programs.quiet(&mut valgrind);
    run::quiet(&mut valgrind)?;
    let text = fs::read_to_string(&out).context("callgrind wrote nothing")?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("callgrind wrote no total")?;
    let total = total.trim().parse().with_context(|| format!("callgrind's total is `{total}`"))?;
    if total == 0 {
        bail!("{name} of {side:?} never came into {function}");
    }
    Ok(total)
}

/// System calls between the two writes to descriptor -1 by which a program marks what is to be counted.
pub fn system_calls(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<u64> {
    let out = programs.scratch("strace.out");
    let mut strace = Command::new("strace");
    strace.arg("-o").arg(&out).arg(programs.path(side, name)).args(arguments);
    programs.quiet(&mut strace);
    run::quiet(&mut strace)?;
    let text = fs::read_to_string(&out).context("strace wrote nothing")?;
    let marked = text.lines().skip_while(|line| !line.starts_with("write(-1, \"begin\"")).skip(1);
    let calls = marked.take_while(|line| !line.starts_with("write(-1, \"end\"")).count();
    if calls == 0 {
        bail!("{name} of {side:?} made no system call, or did not mark them");
    }
    Ok(calls as u64)
}

/// The two numbers that a program prints.
pub fn printed(programs: &Programs, side: Side, name: &str, arguments: &[&str]) -> Result<(f64, f64)> {
    let text = run::stdout(programs.command(side, name).args(arguments))?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(first)), Some(Ok(second))) => Ok((first, second)),
        _ => bail!("{name} of {side:?} printed `{text}` instead of two numbers"),
    }
}

/// The middle one of the numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
