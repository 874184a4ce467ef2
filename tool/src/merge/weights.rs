//! Weights of inputs, by patterns over their names.

use std::str::FromStr;

use glob::Pattern;
use profdata::merge::InputReport;

use super::account::Account;

/// A pattern with its weight: `GLOB=W`.
#[derive(Clone, Debug)]
pub(super) struct Weight {
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
    /// Returns whether the pattern matches the name of an input, its last part, or the name of a member of an archive.
    fn matches(&self, name: &str) -> bool {
        let last = |ends: &[char]| name.rsplit(ends).next().unwrap_or(name);
        [name, last(&['/']), last(&['/', ':'])].into_iter().any(|name| self.pattern.matches(name))
    }
}

/// All patterns of a merge, with what they match.
pub(super) struct Weights<'a> {
    weights: &'a [Weight],
}

impl<'a> Weights<'a> {
    pub(super) fn new(weights: &'a [Weight]) -> Weights<'a> {
        Weights { weights }
    }

    /// Returns the place of the pattern that decides about an input, and its weight: the last that matches its name or its path.
    pub(super) fn of(&self, name: &str) -> (Option<usize>, u64) {
        let found = self.weights.iter().enumerate().rev().find(|(_, weight)| weight.matches(name));
        found.map_or((None, 1), |(place, weight)| (Some(place), weight.weight))
    }

    /// Returns the number of patterns.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Puts weights into the reports of inputs, and notes the patterns that match no input.
    pub(super) fn note(&self, account: &mut Account) {
        let mut is_used = vec![false; self.weights.len()];
        let names = account.report.inputs.values().map(|input| input.name.clone());
        let names: Vec<String> = names.chain(account.duplicates.iter().map(|input| input.input.clone())).collect();
        for name in &names {
            for (weight, is_used) in self.weights.iter().zip(&mut is_used) {
                *is_used |= weight.matches(name);
            }
        }
        let unused = self.weights.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        account.unused_weights = unused.map(|(weight, _)| weight.text.clone()).collect();
        let set = |input: &mut InputReport| input.weight = input.weight.max(self.of(&input.name).1);
        account.report.inputs.values_mut().for_each(set);
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
        assert_eq!(weights.of("db-1.profraw"), (None, 1));
        let colon = ["web:*=5".parse().unwrap()];
        assert_eq!(Weights::new(&colon).of("./web:1.profraw"), (Some(0), 5));
        assert_eq!(Weights::new(&colon).of("a.tar:web:1.profraw"), (None, 1));
        for wrong in ["web", "web=0", "web=-1", "web=x", "[=2"] {
            assert!(wrong.parse::<Weight>().is_err(), "{wrong}");
        }
    }
}
