//! Commands with a time limit, and their output as text that does not depend on the machine.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
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

/// One line for bash in `dir`, with a clean environment and a known umask. `fixed`: programs are loaded at the same addresses each time.
pub fn line(line: &str, fixed: bool, dir: &Path, env: &[(&str, &OsStr)]) -> Result<Output> {
    let mut command = Command::new(if fixed { "setarch" } else { "bash" });
    command.args(fixed.then_some(["-R", "bash"]).iter().flatten());
    command.arg("-c").arg(format!("umask 022\n{line}"));
    command.current_dir(dir).env_clear().env("LC_ALL", "C").env("HOME", "/nonexistent");
    command.envs(env.iter().copied());
    output(&mut command)
}

/// A command without input in a process group of its own, which is killed when it has not ended, or not let go of its output, after
/// [`LIMIT`].
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let group = format!("-{}", child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = (beside(|| text(stdout)), beside(|| text(stderr)));
    let status = beside(move || child.wait());
    let end = Instant::now() + LIMIT;
    let left = || end.saturating_duration_since(Instant::now());
    let (Ok(stdout), Ok(stderr), Ok(status)) =
        (stdout.recv_timeout(left()), stderr.recv_timeout(left()), status.recv_timeout(left()))
    else {
        let _ = Command::new("bash").args(["-c", "kill -KILL -- $0", &group]).status();
        bail!(
            "{command:?}: it, or a process that it has started, still runs or holds its output after {} s",
            LIMIT.as_secs()
        );
    };
    let status = status?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Output { code, stdout, stderr })
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Does something in a thread, since it may take for ever.
fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let _ = sender.send(work());
    });
    receiver
}

/// Runs a build command: anything but success is an error that shows the command.
pub fn must(command: &mut Command) -> Result<String> {
    let out = output(command)?;
    ensure!(out.code == 0, "{command:?}\nexit code {}\n{}{}", out.code, out.stdout, out.stderr);
    Ok(out.stdout)
}

/// Process ids and the like: any run of three or more digits becomes `N`, and blanks before it become one.
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
            // A shell aligns them, by the number of digits.
            let end = out.trim_end_matches(' ').len();
            out.truncate(end + usize::from(end < out.len()));
            out.push('N');
        } else {
            out.push_str(&digits);
        }
        digits.clear();
        out.extend(c);
    }
    out
}
