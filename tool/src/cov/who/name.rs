//! The test that a profile is of.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use glob::Pattern;

use crate::inputs::display;

/// How profiles are named.
#[derive(Default)]
pub(in crate::cov) struct Names {
    /// Patterns of profiles with their tests, the longest first.
    pub(in crate::cov) given: Vec<(Pattern, String)>,
}

impl Names {
    /// Reads the names in a JSON file: an object of patterns and tests. Errors: it is none.
    pub(super) fn read(path: &Path) -> Result<Names> {
        let wrong = || format!("{} is no JSON object of profiles and tests", display(path));
        let given: BTreeMap<String, String> = serde_json::from_slice(&crate::text::read(path)?).with_context(wrong)?;
        let pattern = |(pattern, test): (String, String)| Ok((Pattern::new(&pattern).with_context(wrong)?, test));
        let mut given: Vec<(Pattern, String)> = given.into_iter().map(pattern).collect::<Result<_>>()?;
        given.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.as_str().len()));
        Ok(Names { given })
    }

    /// Returns the tests that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = &String> {
        self.given.iter().map(|(_, test)| test)
    }

    /// Returns the test of a profile: what is given for its path or its file name, else its name without numbers.
    pub(super) fn of(&self, profile: &str) -> String {
        let path = Path::new(profile);
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or(profile);
        let fits = |(pattern, _): &&(Pattern, String)| pattern.matches(profile) || pattern.matches(file);
        if let Some((_, test)) = self.given.iter().find(fits) {
            return test.clone();
        }
        match without_numbers(file.rfind(".prof").and_then(|end| file.get(..end)).unwrap_or(file)) {
            "" => path.parent().and_then(Path::file_name).map_or(profile.into(), |name| name.to_string_lossy().into()),
            name => name.to_owned(),
        }
    }
}

/// Returns a name without the numbers at its end, such as those of `%p` and `%m`, and what separates them.
fn without_numbers(mut name: &str) -> &str {
    loop {
        let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match rest.strip_suffix(['-', '_', '.']) {
            Some(shorter) if rest.len() < name.len() => name = shorter,
            _ if rest.is_empty() => return "",
            _ => return name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_by_their_profiles() {
        for (profile, test) in [
            ("p/sort.profraw", "sort"),
            ("p/sort-123.profraw", "sort"),
            ("p/sort_12345678901234567_0.profraw", "sort"),
            ("sort.v2-1-2_3.profraw.gz", "sort.v2"),
            ("t01.profraw", "t01"),
            ("a.tar:p/sort-7.profdata", "sort"),
            ("p/sort/123-4_0.profraw", "sort"),
            ("123.profraw", "123.profraw"),
            ("mod::test", "mod::test"),
        ] {
            assert_eq!(Names::default().of(profile), test, "{profile}");
        }
    }

    #[test]
    fn tests_are_named_by_a_map() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("map.json");
        std::fs::write(&path, r#"{"test_1.profraw": "one", "test_*": "others", "p/*/test_*": "deep"}"#).unwrap();
        let names = Names::read(&path).unwrap();
        for (profile, test) in [
            ("p/test_1.profraw", "one"),
            ("q/test_2.profraw", "others"),
            ("p/q/test_2.profraw", "deep"),
            ("best_1.profraw", "best"),
        ] {
            assert_eq!(names.of(profile), test, "{profile}");
        }
        for wrong in [r#"["a"]"#, r#"{"[": "a"}"#, "x"] {
            std::fs::write(&path, wrong).unwrap();
            assert!(Names::read(&path).is_err(), "{wrong}");
        }
    }
}
