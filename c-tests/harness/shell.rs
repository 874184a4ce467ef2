//! Commands with a time limit, and their output as text that does not depend on the machine.

use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code, or 128 and the signal, as a shell says it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Seconds after which a line is taken to hang. The longest lines start some thousand processes, and the machine may be busy.
const LIMIT: &str = "240";

/// One line for bash in `dir`, with a clean environment, a known umask and [`LIMIT`] seconds to live. `fixed`: programs are loaded at
/// the same addresses each time.
pub fn line(line: &str, fixed: bool, dir: &Path, env: &[(&str, &OsStr)]) -> Result<Output> {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LIMIT]);
    if fixed {
        command.args(["setarch", "-R"]);
    }
    command.args(["bash", "-c"]).arg(format!("umask 022\n{line}"));
    command.current_dir(dir).env_clear().env("LC_ALL", "C").env("HOME", "/nonexistent");
    command.envs(env.iter().copied());
    output(&mut command)
}

pub fn output(command: &mut Command) -> Result<Output> {
    use std::os::unix::process::ExitStatusExt;
    let out = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = out.status.code().unwrap_or_else(|| 128 + out.status.signal().unwrap_or(0));
    Ok(Output { code, stdout: text(&out.stdout), stderr: text(&out.stderr) })
}

/// Runs a build command: anything but success is an error that shows the command.
pub fn must(command: &mut Command) -> Result<String> {
    let out = output(command)?;
    ensure!(out.code == 0, "{command:?}\nexit code {}\n{}{}", out.code, out.stdout, out.stderr);
    Ok(out.stdout)
}

/// Process ids and the like: any run of three or more digits becomes `N`, and so does a hexadecimal address.
pub fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut digits = String::new();
    // Behind the last character comes nothing, once: the text may hold any, NUL too.
    for c in text.chars().map(Some).chain([None]) {
        if let Some(digit) = c.filter(char::is_ascii_digit) {
            digits.push(digit);
            continue;
        }
        if digits.len() >= 3 {
            out.push('N');
        } else {
            out.push_str(&digits);
        }
        digits.clear();
        out.extend(c);
    }
    out
}
