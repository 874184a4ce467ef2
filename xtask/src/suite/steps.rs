//! The steps of a long test: each is done whatever became of the others, and the summary names those that failed.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// What was done so far.
pub struct Steps {
    start: Instant,
    done: Vec<(&'static str, Duration, Result<String, String>)>,
}

impl Steps {
    pub fn begin() -> Steps {
        Steps { start: Instant::now(), done: Vec::new() }
    }

    /// Does one step, which returns a line for the summary. A failure is printed at once.
    pub fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<String>) {
        let start = Instant::now();
        let said = work().map_err(|error| format!("{error:#}"));
        if let Err(error) = &said {
            eprintln!("\nFAILED: {name}: {error}\n");
        }
        self.done.push((name, start.elapsed(), said));
    }

    /// Prints a line for each step. An error when one has failed.
    pub fn finish(self) -> Result<()> {
        let failed = self.failed();
        println!("\n{}", self.summary(self.start.elapsed()));
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }

    fn failed(&self) -> Vec<&'static str> {
        self.done.iter().filter(|(.., said)| said.is_err()).map(|(name, ..)| *name).collect()
    }

    fn summary(&self, took: Duration) -> String {
        let seconds = took.as_secs();
        let mut text = match self.failed().len() {
            0 => format!("All tests passed, in {seconds} s."),
            number => format!("{number} of {} steps failed, in {seconds} s.", self.done.len()),
        };
        let width = self.done.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        for (name, took, said) in &self.done {
            let line = match said {
                Ok(line) => line.clone(),
                // The rest was printed when it happened.
                Err(error) => format!("FAILED: {}", error.lines().next().unwrap_or_default()),
            };
            let _ = write!(text, "\n  {name:width$} {:>5} s  {line}", took.as_secs());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_steps_are_done_and_the_failed_ones_named() {
        let mut steps = Steps::begin();
        let mut third = false;
        steps.step("one", || Ok("as it should be".to_owned()));
        steps.step("second", || bail!("seen: 1\nexpected: 2"));
        steps.step("third", || {
            third = true;
            Ok("left out".to_owned())
        });
        assert!(third);
        assert_eq!(
            steps.summary(Duration::from_secs(7)),
            "1 of 3 steps failed, in 7 s.\n  one        0 s  as it should be\n  second     0 s  FAILED: seen: 1\n  third      0 s  left out"
        );
        assert_eq!(steps.finish().unwrap_err().to_string(), "failed: second");
    }

    #[test]
    fn without_a_failure_there_is_no_error() {
        let mut steps = Steps::begin();
        steps.step("one", || Ok("done".to_owned()));
        assert_eq!(steps.summary(Duration::ZERO), "All tests passed, in 0 s.\n  one     0 s  done");
        steps.finish().unwrap();
    }
}
