//! Which functions are listed, of several of one name.

use hashbrown::HashSet;

use super::counts::Counts;
use super::function::Function;
use super::mapping::Mapping;
use super::rules::Rules;
use crate::read::Lookup;

impl Mapping<'_> {
    /// Returns which of some functions are listed, in their order: all by the rules of this crate. `llvm-cov` leaves out those that the profile
    /// has with another structural hash only, and of a name with the same paths it lists the first, though its regions may be others.
    pub fn listed<'m>(
        &'m self,
        functions: impl Iterator<Item = &'m Function<'m>>,
        counts: &Counts<'_>,
        rules: Rules,
    ) -> impl Iterator<Item = &'m Function<'m>> {
        let mut seen = HashSet::new();
        functions.filter(move |function| {
            rules == Rules::Own
                || !matches!(counts.find_by(function, rules), Lookup::HashMismatch)
                    && seen.insert((function.name_hash(), function.paths(&self.lists).collect::<Vec<_>>()))
        })
    }
}
