//! Times of all sides, taken in turns, so that what else the machine does hits each of them.

use anyhow::Result;

use super::measure::median;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};

/// Samples of each side, and of something that is measured beside.
#[derive(Default)]
pub struct Sides {
    official: Vec<f64>,
    older: Vec<f64>,
    ours: Vec<f64>,
    ratios: Vec<f64>,
    beside: Vec<f64>,
}

impl Sides {
    /// One round, sides one after the other. `sample`: what is measured, and what beside it.
    pub fn round(&mut self, programs: &Programs, mut sample: impl FnMut(Side) -> Result<(f64, f64)>) -> Result<()> {
        let mut official = 0.0;
        for side in programs.sides() {
            let (time, beside) = sample(side)?;
            self.beside.push(beside);
            match side {
                Side::Official => {
                    official = time;
                    self.official.push(time);
                }
                Side::Older => self.older.push(time),
                Side::Ours | Side::Empty => {
                    self.ours.push(time);
                    self.ratios.push(time / official);
                }
            }
        }
        Ok(())
    }

    /// The line of these samples, shown as so many of `unit`. `beside`: what is measured beside, for the note; empty: it is not said.
    pub fn row(self, what: &str, limit: f64, unit: f64, beside: &str) -> Row {
        let official = median(self.official);
        let mut row = Row::new(what.into(), official / unit, median(self.ours) / unit, Limit::Time(limit));
        row.older = (!self.older.is_empty()).then(|| median(self.older) / unit);
        row.ratio = median(self.ratios);
        if !beside.is_empty() {
            row.note = format!("{beside}: {:.0}", median(self.beside) / unit);
        }
        row
    }
}
