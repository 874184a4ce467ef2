//! Timing two programs: alternately, so that what else the machine does hits both, and the median of the rounds.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::Demo;
use testkit::run;

/// The medians for one workload.
pub struct Times {
    pub title: &'static str,
    pub before: Duration,
    pub after: Duration,
}

pub fn alternately(demo: &Demo, before: &Path, after: &Path, rounds: usize) -> Result<Vec<Times>> {
    let rounds = rounds.max(1);
    let runs = &demo.program.runs;
    let bar = run::progress("timing it without and with the profile", rounds * runs.len() * 2);
    let mut samples = vec![(Vec::new(), Vec::new()); runs.len()];
    for _ in 0..rounds {
        for (run, (first, second)) in runs.iter().zip(&mut samples) {
            bar.set_message(run.title);
            let (time, said) = timed(demo, before, &run.words)?;
            first.push(time);
            bar.inc(1);
            let (time, says) = timed(demo, after, &run.words)?;
            second.push(time);
            bar.inc(1);
            if said != says {
                bail!("{}: with the profile the program prints `{says}` instead of `{said}`", run.title);
            }
        }
    }
    bar.finish_and_clear();
    let medians = runs.iter().zip(samples);
    Ok(medians
        .map(|(run, (first, second))| Times { title: run.title, before: median(first), after: median(second) })
        .collect())
}

fn timed(demo: &Demo, binary: &Path, words: &[String]) -> Result<(Duration, String)> {
    let start = Instant::now();
    let said = demo.execute(binary, words, None)?;
    Ok((start.elapsed(), said))
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort();
    samples.get(samples.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_does_not_care_for_an_outlier() {
        let samples = [3, 900, 1, 4, 2].map(Duration::from_millis).to_vec();
        assert_eq!(median(samples), Duration::from_millis(3));
    }
}
