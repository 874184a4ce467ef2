//! Names of functions as people write them.

use profdata::Profile;
use profdata::sink::Name;
use profdata::write::text::Symbols;
use std::borrow::Cow;

pub use profrt_coverage::names::{demangle, split};

/// Names in tables: shortened, unless the user wants them in full.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct FullNames {
    /// Do not shorten long names
    #[arg(long)]
    full_names: bool,
}

impl FullNames {
    /// Characters that are shown of the beginning and of the end of a name.
    const SHOWN: (usize, usize) = (60, 39);

    /// Returns a name as it is shown in a table.
    pub fn shown(self, name: &str) -> Cow<'_, str> {
        let (first, last) = Self::SHOWN;
        let length = name.chars().count();
        if self.full_names || length <= first + 1 + last {
            return name.into();
        }
        let begin: String = name.chars().take(first).collect();
        let end: String = name.chars().skip(length - last).collect();
        format!("{begin}…{end}").into()
    }
}

/// Returns a name of a record; that of a function of which only the hash is known is its hash.
pub fn name(name: Name<'_>) -> String {
    name.bytes.map_or_else(|| format!("function {:#018x}", name.hash), demangle)
}

/// The names of a profile's functions and vtables by their hashes: what values refer to.
pub struct Targets<'a>(Symbols<'a>);

impl<'a> Targets<'a> {
    /// Collects the names.
    pub fn of(profile: &'a Profile) -> Targets<'a> {
        Targets(Symbols::of(profile))
    }

    /// Returns the name of a target.
    pub fn name(&self, hash: u64) -> String {
        match self.0.get(hash) {
            _ if hash == 0 => "outside of the profile".into(),
            Some(name) => demangle(name),
            None => format!("{hash:#018x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FullNames;

    #[test]
    fn long_names_keep_their_ends() {
        let long = format!("{}é{}", "a".repeat(100), "b".repeat(60));
        let (short, full) = (FullNames::default(), FullNames { full_names: true });
        assert_eq!(short.shown(&long), format!("{}…{}", "a".repeat(60), "b".repeat(39)));
        assert_eq!(short.shown(&long[..100]), long[..100]);
        assert_eq!(full.shown(&long), long);
    }
}
