//! Running other programs, with errors that show the command and what it said; and several at a time.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

/// After so long a command is taken to hang. No step of the tests takes half of it on a busy machine.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// The command as a person would type it.
pub fn shown(command: &Command) -> String {
    let mut line = word(command.get_program());
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&word(argument));
    }
    line
}

fn word(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%<>$".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Runs the command with its output going where ours goes; fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    // A terminal as standard input would stop a command in the background.
    let mut child = command.stdin(Stdio::null()).spawn().with_context(|| format!("`{line}` did not start"))?;
    let status = ended(&mut child, &line, LIMIT)?;
    if !status.success() {
        bail!("`{line}` failed ({status}); its own message is above");
    }
    Ok(())
}

/// Waits until the child has ended; kills it, and says so, at the limit.
fn ended(child: &mut Child, line: &str, limit: Duration) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            bail!("`{line}` has not ended after {} s", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// What a command that runs tests says of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub passed: u64,
    /// Of each test that was ignored, the reason: `needs genhtml`.
    pub ignored: Vec<String>,
    pub failed: Vec<String>,
}

impl Ran {
    /// So many tests have passed.
    pub fn of(passed: usize) -> Ran {
        Ran { passed: passed as u64, ..Ran::default() }
    }

    /// Nothing was run, for lack of something.
    pub fn without(need: &str) -> Ran {
        Ran { ignored: vec![format!("needs {need}")], ..Ran::default() }
    }

    /// Adds what another command has run.
    pub fn and(mut self, other: Ran) -> Ran {
        self.passed += other.passed;
        self.ignored.extend(other.ignored);
        self
    }

    /// Reads a line of the harness of Rust, of pytest (`3 passed, 1 skipped in 2 s`) or of node (`# pass 3`).
    fn read(&mut self, line: &str) {
        let number = |word: &str| word.parse().unwrap_or(0);
        if let Some((name, result)) = line.strip_prefix("test ").and_then(|test| test.rsplit_once(" ... ")) {
            let kind = name.strip_prefix('[').and_then(|name| name.split_once(']')).map(|(kind, _)| kind);
            match result.trim_end() {
                "FAILED" => self.failed.push(name.trim_end().to_owned()),
                "ok" => self.passed += 1,
                "ignored" => self.ignored.push(kind.unwrap_or("without a reason").to_owned()),
                other => self.ignored.extend(other.strip_prefix("ignored, ").map(str::to_owned)),
            }
        }
        let words: Vec<&str> = line.trim_matches(|c: char| c == '=' || c.is_whitespace()).split(' ').collect();
        match words[..] {
            ["#" | "\u{2139}", "pass", passed] => self.passed += number(passed),
            ["#" | "\u{2139}", "skipped", skipped] => self.skip(number(skipped)),
            [.., "in", _] | [.., "in", _, _] => {
                for pair in words.windows(2) {
                    match pair[1].trim_end_matches(',') {
                        "passed" => self.passed += number(pair[0]),
                        "skipped" => self.skip(number(pair[0])),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn skip(&mut self, number: u64) {
        self.ignored.extend((0..number).map(|_| "needs what the test names".to_owned()));
    }
}

/// Runs the command like [`run`] and counts its tests. The names of those that failed stand in the error too: what is above is long.
pub fn tests(command: &mut Command) -> Result<Ran> {
    let line = shown(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("`{line}` did not start"))?;
    let output = child.stdout.take().context("no pipe")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            println!("{line}");
            let _ = sender.send(line);
        }
    });
    let status = ended(&mut child, &line, LIMIT)?;
    let mut ran = Ran::default();
    // A process that a test has left behind keeps the pipe open: its end is not waited for.
    while let Ok(line) = lines.recv_timeout(Duration::from_secs(2)) {
        ran.read(&line);
    }
    match (status.success(), ran.failed.is_empty()) {
        (true, _) => Ok(ran),
        (false, true) => bail!("`{line}` failed ({status}); its own message is above"),
        (false, false) => bail!("tests failed: {}", ran.failed.join(", ")),
    }
}

/// Runs the command quietly; its output is shown only when it fails.
pub fn quiet(command: &mut Command) -> Result<()> {
    finished(command).map(drop)
}

/// What the command wrote to its standard output, without the last line end.
pub fn stdout(command: &mut Command) -> Result<String> {
    let output = finished(command)?;
    let text = String::from_utf8(output.stdout).with_context(|| format!("`{}` did not print UTF-8", shown(command)))?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn finished(command: &mut Command) -> Result<Output> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("`{}` did not start", shown(command)))?;
    if !output.status.success() {
        bail!(
            "`{}` failed ({})\n{}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}

/// Does the work for each of them, for as many at a time as there are processors, also when some fail. An error has the messages of all.
pub fn each<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Result<R>>> = items.iter().map(|_| OnceLock::new()).collect();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let _ = results[index].set(work(item));
                }
            });
        }
    });
    let mut done = Vec::new();
    let mut errors = Vec::new();
    for result in results {
        match result.into_inner().context("nobody did it")? {
            Ok(result) => done.push(result),
            Err(error) => errors.push(error),
        }
    }
    match errors.len() {
        0 => Ok(done),
        1 => Err(errors.remove(0)),
        _ => bail!("{}", errors.iter().map(|error| format!("{error:#}")).collect::<Vec<_>>().join("\n")),
    }
}

/// A bar on a terminal; a line elsewhere.
pub fn progress(title: &str, length: usize) -> ProgressBar {
    eprintln!("{title}");
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("  [{bar:40}] {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_one_is_done_once_and_all_errors_are_told() {
        assert_eq!(each(&[1, 2, 3, 4, 5], |n| Ok(n * n)).unwrap(), [1, 4, 9, 16, 25]);
        let odd = |n: &i32| if n % 2 == 0 { Ok(()) } else { bail!("{n} is odd") };
        assert_eq!(each(&[2, 7, 4], odd).unwrap_err().to_string(), "7 is odd");
        assert_eq!(each(&[2, 4, 7, 9], odd).unwrap_err().to_string(), "7 is odd\n9 is odd");
    }

    #[test]
    fn tests_are_counted_and_those_that_failed_are_named() {
        let script = |text: &str, code: u8| format!("printf '{text}'; exit {code}");
        let sh = |script: &str| tests(Command::new("sh").args(["-c", script]));
        let text = "test a::b ... ok\\ntest c/d ... FAILED\\ntest e ... FAILED\\n";
        assert_eq!(sh(&script(text, 101)).unwrap_err().to_string(), "tests failed: c/d, e");
        let text = "test a ... ok\\ntest b ... ignored, needs node\\ntest [needs strace] c ... ignored\\n";
        let ran = sh(&script(text, 0)).unwrap();
        assert_eq!((ran.passed, ran.ignored), (1, vec!["needs node".to_owned(), "needs strace".to_owned()]));
        for text in ["# pass 3\\n# skipped 1\\n", "== 3 passed, 1 skipped in 2.5s ==\\n"] {
            let ran = sh(&script(text, 0)).unwrap();
            assert_eq!((ran.passed, ran.ignored.len()), (3, 1), "{text}");
        }
        assert!(sh(&script("nothing", 7)).unwrap_err().to_string().contains("7)"));
    }

    #[test]
    fn a_command_that_hangs_is_named() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let error = ended(&mut child, "sleep 60", Duration::from_millis(10)).unwrap_err().to_string();
        assert_eq!(error, "`sleep 60` has not ended after 0 s");
    }

    #[test]
    fn a_process_that_is_left_behind_is_not_waited_for() {
        let start = Instant::now();
        tests(Command::new("sh").args(["-c", "sleep 60 & exit 0"])).unwrap();
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_shown_command_can_be_pasted_into_a_shell() {
        let mut command = Command::new("cc");
        command.args(["-o", "a b", "it's", ""]);
        assert_eq!(shown(&command), r"cc -o 'a b' 'it'\''s' ''");
    }

    #[test]
    fn a_failure_carries_what_the_command_said() {
        let error =
            quiet(Command::new("sh").args(["-c", "printf 'out-%s' one; printf 'err-%s' two >&2; exit 3"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("out-one") && text.contains("err-two") && text.contains("3)"), "{text}");
    }
}
