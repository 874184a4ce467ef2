//! The steps of a long test: each is done whatever became of the others. The summary names those that failed, what each cost, and how many
//! tests it ran and ignored.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use testkit::run::Ran;

/// Clock ticks a second in `/proc`: the same on every Linux that Rust runs on.
const TICKS: u64 = 100;

/// What was done so far.
pub struct Steps {
    start: Instant,
    /// Ignored tests are failures.
    strict: bool,
    done: Vec<Step>,
}

struct Step {
    name: &'static str,
    wall: Duration,
    /// User and system time of the processes that the step started.
    cpu: Duration,
    ran: Result<Ran, String>,
}

impl Steps {
    pub fn begin(strict: bool) -> Steps {
        Steps { start: Instant::now(), strict, done: Vec::new() }
    }

    /// Does one step. A failure is printed at once.
    pub fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<Ran>) {
        println!("\n== {name}");
        let (start, before) = (Instant::now(), children());
        let ran = work().and_then(|ran| self.judged(ran)).map_err(|error| format!("{error:#}"));
        if let Err(error) = &ran {
            eprintln!("\nFAILED: {name}: {error}\n");
        }
        self.done.push(Step { name, wall: start.elapsed(), cpu: children().saturating_sub(before), ran });
    }

    /// Refuses tests that were ignored for lack of something, if that must not be.
    fn judged(&self, ran: Ran) -> Result<Ran> {
        let missing: Vec<&str> =
            ran.ignored.iter().filter(|why| why.starts_with("needs ")).map(String::as_str).collect();
        if self.strict && !missing.is_empty() {
            bail!("tests were ignored, which `--install`, `--all` and CI forbid: {}", counted(missing));
        }
        Ok(ran)
    }

    /// Prints a line for each step. An error when one has failed.
    pub fn finish(self) -> Result<()> {
        println!("\n{}", self.summary());
        let failed: Vec<&str> = self.done.iter().filter(|step| step.ran.is_err()).map(|step| step.name).collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let width = self.done.iter().map(|step| step.name.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}   wall    CPU   tests ignored\n", "");
        let (mut passed, mut failed, mut ignored) = (0, 0, Vec::new());
        for Step { name, wall, cpu, ran } in &self.done {
            let _ = write!(text, "{name:width$} {:>4} s {:>4} s ", wall.as_secs(), cpu.as_secs());
            let _ = match ran {
                Ok(ran) => writeln!(text, "{:>7} {:>7}", ran.passed, ran.ignored.len()),
                // The rest was printed when it happened.
                Err(error) => writeln!(text, "FAILED: {}", error.lines().next().unwrap_or_default()),
            };
            match ran {
                Ok(ran) => {
                    passed += ran.passed;
                    ignored.extend(ran.ignored.iter().map(String::as_str));
                }
                Err(_) => failed += 1,
            }
        }
        let cpu: Duration = self.done.iter().map(|step| step.cpu).sum();
        let _ = writeln!(text, "{:width$} {:>4} s {:>4} s", "all", self.start.elapsed().as_secs(), cpu.as_secs());
        if !ignored.is_empty() {
            let _ = writeln!(text, "\n{} ignored: {}", ignored.len(), counted(ignored));
            let _ = writeln!(text, "`cargo xtask test --install` runs those that need something, `--all` the others");
        }
        let _ = write!(text, "\n{passed} passed, {failed} failed");
        text
    }
}

/// Each reason once, with the number of its tests.
fn counted(reasons: Vec<&str>) -> String {
    let mut numbers = BTreeMap::new();
    reasons.into_iter().for_each(|reason| *numbers.entry(reason).or_insert(0) += 1);
    numbers.iter().map(|(reason, number)| format!("{reason} ({number})")).collect::<Vec<_>>().join(", ")
}

/// User and system time of all processes that this one has waited for, and of theirs: fields 16 and 17 of `/proc/self/stat`.
fn children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * (1000 / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three tests passed, and one was ignored.
    fn ignored(reason: &str) -> Ran {
        let one = Ran { ignored: vec![reason.to_owned()], ..Ran::default() };
        Ran::of(3).and(one)
    }

    #[test]
    fn all_steps_are_done_and_the_failed_ones_named() {
        let mut steps = Steps::begin(false);
        let mut third = false;
        steps.step("one", || Ok(ignored("needs node")));
        steps.step("second", || bail!("seen: 1\nexpected: 2"));
        steps.step("third", || {
            third = true;
            Ok(Ran::of(2))
        });
        assert!(third);
        let summary = steps.summary();
        for words in ["second    0 s    0 s FAILED: seen: 1\n", "1 ignored: needs node (1)", "\n5 passed, 1 failed"] {
            assert!(summary.contains(words), "{summary}");
        }
        assert_eq!(steps.finish().unwrap_err().to_string(), "failed: second");
    }

    #[test]
    fn what_is_missing_is_red_where_nothing_may_be_missing() {
        let mut steps = Steps::begin(true);
        steps.step("later", || Ok(ignored("`cargo xtask test --all` runs it")));
        steps.step("lacking", || Ok(ignored("needs node")));
        assert!(steps.summary().contains("FAILED: tests were ignored"));
        assert_eq!(steps.finish().unwrap_err().to_string(), "failed: lacking");
    }

    #[test]
    fn processes_that_were_waited_for_are_counted() {
        let before = children();
        let spin = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", spin]).status().unwrap().success());
        assert!(children() > before);
    }
}
