//! Weights of inputs, by patterns over their names.

use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::account::Account;
use glob::Pattern;

/// A pattern with its weight: `GLOB=W`.
#[derive(Clone, Debug)]
pub struct Weight {
    pub(super) text: String,
    pattern: Pattern,
    weight: u64,
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Weight, String> {
        let (glob, weight) =
            text.rsplit_once('=').ok_or_else(|| format!("`{text}` has no weight; write it like 'web-*=3'"))?;
        let pattern = Pattern::new(glob).map_err(|error| format!("`{glob}` is no pattern: {error}"))?;
        let weight = weight
            .parse()
            .ok()
            .filter(|weight| *weight > 0)
            .ok_or_else(|| format!("`{weight}` is no weight; write a whole number of at least 1"))?;
        Ok(Weight { text: glob.to_owned(), pattern, weight })
    }
}

impl Weight {
    /// Returns whether the pattern matches the name of an input, or its last part: that of a file, or of a member of an archive.
    fn matches(&self, name: &str) -> bool {
        let file = name.rsplit('/').next().unwrap_or(name);
        let member = name.rsplit(['/', ':']).next().unwrap_or(name);
        [name, file, member].into_iter().any(|name| self.pattern.matches(name))
    }
}

/// All patterns of a merge, with what they match.
pub struct Weights<'a> {
    weights: &'a [Weight],
    /// Of each pattern, whether it has matched an input that is given.
    used: Vec<AtomicBool>,
}

impl<'a> Weights<'a> {
    /// Returns these patterns, none of which has matched an input so far.
    pub fn new(weights: &'a [Weight]) -> Weights<'a> {
        Weights { weights, used: weights.iter().map(|_| AtomicBool::new(false)).collect() }
    }

    /// Returns the place of the pattern that decides about an input, and its weight: the last that matches its name or its path.
    pub fn of(&self, name: &str) -> (Option<usize>, u64) {
        let mut decides = (None, 1);
        for ((place, weight), used) in self.weights.iter().enumerate().zip(&self.used) {
            if weight.matches(name) {
                used.store(true, Ordering::Relaxed);
                decides = (Some(place), weight.weight);
            }
        }
        decides
    }

    /// Returns the number of patterns.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Notes the patterns that match no input that is given. The names of inputs in a partial result do not count: it has only their sum.
    pub(super) fn note(&self, account: &mut Account) {
        account.duplicates.iter().for_each(|input| _ = self.of(&input.input));
        let unused = self.weights.iter().zip(&self.used).filter(|(_, used)| !used.load(Ordering::Relaxed));
        account.unused_weights = unused.map(|(weight, _)| weight.text.clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_match_decides() {
        let weights: Vec<Weight> =
            ["web-*=3", "night/*=5", "web-7*=1"].iter().map(|text| text.parse().unwrap()).collect();
        let weights = Weights::new(&weights);
        assert_eq!(weights.of("a/web-1.profraw"), (Some(0), 3));
        assert_eq!(weights.of("night/web-1.profraw"), (Some(1), 5));
        assert_eq!(weights.of("night.tar:x/web-70"), (Some(2), 1));
        assert_eq!(weights.of("night.tar:web-70"), (Some(2), 1));
        assert_eq!(weights.of("night.tar:a.tar:web-70"), (Some(2), 1));
        assert_eq!(weights.of("db-1.profraw"), (None, 1));
        let colon = ["web:*=5".parse().unwrap()];
        assert_eq!(Weights::new(&colon).of("./web:1.profraw"), (Some(0), 5));
        for wrong in ["web", "web=0", "web=-1", "web=x", "[=2"] {
            assert!(wrong.parse::<Weight>().is_err(), "{wrong}");
        }
    }
}
