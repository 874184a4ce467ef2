//! Commands with a time limit, and their output as text that does not depend on the machine.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code, or 128 and the signal, as a shell says it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// After so long a command is taken to hang. The longest lines start some thousand processes, and the machine may be busy.
const LIMIT: Duration = Duration::from_secs(240);

/// After so much longer nobody waits for the output of processes that a command has left behind.
const GRACE: Duration = Duration::from_secs(20);

/// One line for bash in `dir`, with a clean environment, a known umask and [`LIMIT`] seconds to live. `fixed`: programs are loaded at
/// the same addresses each time.
pub fn line(line: &str, fixed: bool, dir: &Path, env: &[(&str, &OsStr)]) -> Result<Output> {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", &LIMIT.as_secs().to_string()]);
    if fixed {
        command.args(["setarch", "-R"]);
    }
    command.args(["bash", "-c"]).arg(format!("umask 022\n{line}"));
    command.current_dir(dir).env_clear().env("LC_ALL", "C").env("HOME", "/nonexistent");
    command.envs(env.iter().copied());
    let start = Instant::now();
    let out = output(&mut command)?;
    ensure!(start.elapsed() < LIMIT, "`{line}` has not ended after {} s", LIMIT.as_secs());
    Ok(out)
}

pub fn output(command: &mut Command) -> Result<Output> {
    use std::os::unix::process::ExitStatusExt;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(LIMIT + GRACE), stderr.recv_timeout(LIMIT + GRACE)) else {
        child.kill()?;
        bail!("{command:?}: it, or a process that it has started, still holds its output");
    };
    let status = child.wait()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Output { code, stdout: text(stdout), stderr: text(stderr) })
}

/// Reads to the end in a thread, since a pipe may stay open for ever.
fn read(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        let _ = sender.send(bytes);
    });
    receiver
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
