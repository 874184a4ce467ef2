//! The names that users give to what a profile is written for.

use std::fmt;

use super::{Release, Target};

/// The first minor version of rustc 1 whose official build has each LLVM release.
const RUSTC: [(u32, u32); 9] =
    [(60, 14), (65, 15), (70, 16), (73, 17), (78, 18), (82, 19), (87, 20), (91, 21), (95, 22)];

/// The last minor version of rustc 1 whose LLVM release is known.
const NEWEST_RUSTC: u32 = 95;

/// Writes which names are accepted.
pub(super) struct Accepted;

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (oldest, newest) = (Release::OLDEST.number(), Release::NEWEST.number());
        let oldest_rustc = RUSTC.first().map_or(0, |(minor, _)| *minor);
        write!(
            f,
            "clang-N or llvm-N with N from {oldest} to {newest}, rustc-1.N with N from {oldest_rustc} to {NEWEST_RUSTC}, \
             indexed-N or N with N from 7 to 14"
        )
    }
}

/// Returns whether a name is of a release after the last known one.
pub(super) fn is_later(name: &str) -> bool {
    let later = |(product, version): (&str, &str)| {
        let mut parts = version.split('.').map(|part| number(part).unwrap_or(0));
        let (first, second) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        if product == "rustc" { first == 1 && second > NEWEST_RUSTC } else { first > Release::NEWEST.number() }
    };
    target(name).is_some() && name.split_once('-').is_some_and(later)
}

/// Returns what a name stands for.
pub(super) fn target(name: &str) -> Option<Target> {
    let (product, version) = name.split_once('-').unwrap_or(("indexed", name));
    let mut parts = version.split('.').map(number);
    let first = parts.next()??;
    let target = match product {
        "indexed" => return if parts.next().is_none() { Target::of_indexed(first) } else { None },
        // Later releases read what the last known one does.
        "clang" | "llvm" => Target::of_release(Release::new(first.min(Release::NEWEST.number()))?),
        "rustc" if first == 1 => Target::of_release(of_rustc(parts.next()??)?),
        _ => return None,
    };
    // The rest is checked too: `clang-16.x` is a mistake.
    parts.all(|part| part.is_some()).then_some(target)
}

/// Returns a number of ASCII digits alone.
fn number(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn of_rustc(minor: u32) -> Option<Release> {
    let (_, llvm) = RUSTC.iter().rev().find(|(first, _)| *first <= minor)?;
    Release::new(*llvm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_users() {
        let version = |name| target(name).map(|target| (target.version(), target.release().number()));
        assert_eq!(version("clang-16"), Some((9, 16)));
        assert_eq!(version("llvm-22.1.8"), Some((13, 22)));
        assert_eq!(version("rustc-1.60"), Some((7, 14)));
        assert_eq!(version("rustc-1.77"), Some((10, 17)));
        assert_eq!(version("rustc-1.85.1"), Some((12, 19)));
        assert_eq!(version("rustc-1.95"), Some((13, 22)));
        assert_eq!(version("indexed-9"), Some((9, 16)));
        assert_eq!(version("14"), Some((14, 23)));
        assert_eq!([version("rustc-1.96"), version("clang-24")], [Some((13, 22)), Some((14, 23))]);
        let later = ["rustc-1.96", "llvm-24.1", "clang-23", "rustc-1.95", "14", "clang-99999999999"].map(is_later);
        assert_eq!(later, [true, true, false, false, false, false]);
    }

    #[test]
    fn unknown_names_are_refused_and_the_error_lists_the_known() {
        let names =
            ["", "-", "6", "15", "9.1", "clang", "clang-", "clang-12", "clang-+16", "clang-16.x", "gcc-13", "rustc-1"];
        let names = names.into_iter().chain(["rustc-2.85", "rustc-1.59", "clang-99999999999", "indexed-9.0"]);
        for name in names {
            assert_eq!(target(name), None, "{name:?}");
        }
        let error = Target::of_name("gcc-13").unwrap_err().to_string();
        assert!(error.contains("rustc-1.N with N from 60 to 95") && error.contains("\"gcc-13\""), "{error}");
    }
}
