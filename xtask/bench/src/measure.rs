//! The instruments: callgrind for instructions, strace for system calls, the programs' own clocks, `rusage.c` for processes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

use testkit::run;

/// Instructions inside `function` and what that calls; without one, of the whole process, the loader's and the C library's included.
pub fn instructions(command: &Command, function: Option<&str>) -> Result<f64> {
    let out = NamedTempFile::new()?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.path().display()));
    valgrind.args(function.map(|function| format!("--toggle-collect={function}")));
    run::quiet(behind(&mut valgrind, command))?;
    let text = fs::read_to_string(out.path()).context("callgrind wrote nothing")?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    let total: f64 = total.context("callgrind wrote no total")?;
    ensure!(total > 0.0, "`{}` never came into {}", run::shown(command), function.unwrap_or("main"));
    Ok(total)
}

/// System calls of a whole process.
pub fn system_calls(command: &Command) -> Result<f64> {
    let out = NamedTempFile::new()?;
    let mut strace = Command::new("strace");
    run::quiet(behind(strace.arg("-o").arg(out.path()), command))?;
    let text = fs::read_to_string(out.path()).context("strace wrote nothing")?;
    // The last line says how it ended.
    Ok(text.lines().filter(|line| !line.starts_with("+++")).count() as f64)
}

/// The command as arguments of another one, in the same directory and environment.
pub fn behind<'a>(other: &'a mut Command, command: &Command) -> &'a mut Command {
    other.arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        other.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

/// The `N` numbers that a program prints.
pub fn printed<const N: usize>(command: &mut Command) -> Result<[f64; N]> {
    let text = run::stdout(command)?;
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.with_context(|| format!("`{}` printed `{text}` instead of {N} numbers", run::shown(command)))
}

/// The middle one of the numbers.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
