//! The options of each command.

use strsim::generic_levenshtein;

/// A command and its options.
#[derive(Debug)]
pub(in super::super) struct Command {
    /// Name.
    pub(in super::super) name: &'static str,
    /// The least and the greatest number of files.
    pub(super) files: (usize, usize),
    options: &'static [Group],
}

/// Options that take the same, with spaces between them, each with its aliases behind `|`.
type Group = (Argument, &'static str);

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// The name without dashes.
    pub(super) name: &'static str,
    aliases: &'static str,
    pub(super) argument: Argument,
}

/// What an option takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument {
    /// Nothing, or `=true`, `=false`, `=1`, `=0`.
    Switch,
    /// A string.
    Text,
    /// A number below 2^32.
    Uint,
    /// A number below 2^64.
    Ulong,
    /// The same under another name.
    Ullong,
    /// Numbers below 2^32 with commas between them.
    Uints,
    /// A floating point number.
    Double,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Nothing: of the options of a group only the last counts.
    Member { group: &'static str, title: &'static str },
}

impl Command {
    fn specs(&self) -> impl Iterator<Item = Spec> {
        COMMON.iter().chain(self.options).flat_map(|(argument, names)| {
            names.split(' ').map(|names| {
                let (name, aliases) = names.split_once('|').unwrap_or((names, ""));
                Spec { name, aliases, argument: *argument }
            })
        })
    }

    /// Returns the option with this name or alias.
    pub(super) fn find(&self, name: &str) -> Option<Spec> {
        self.specs().find(|spec| spec.names().any(|other| other == name))
    }

    /// Returns the name that is most like a mistyped one.
    pub(super) fn nearest(&self, name: &str) -> Option<&'static str> {
        let bytes = |name: &str| name.as_bytes().to_vec();
        let distance = |other| generic_levenshtein(&bytes(name), &bytes(other));
        let (distance, nearest) = self.specs().flat_map(Spec::names).map(|other| (distance(other), other)).min()?;
        if distance <= name.len().div_ceil(2) { Some(nearest) } else { None }
    }

    /// Returns the names of all options, as they are typed.
    pub(in super::super) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.specs().map(Spec::usage).collect();
        names.sort();
        names
    }
}

impl Spec {
    fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.split('|').filter(|alias| !alias.is_empty()))
    }

    fn usage(self) -> String {
        let value = match self.argument {
            Argument::Switch | Argument::Member { .. } => String::new(),
            Argument::Text => "=<string>".to_string(),
            Argument::Uint => "=<uint>".to_string(),
            Argument::Ulong | Argument::Ullong => "=<ulong>".to_string(),
            Argument::Uints => "=<uint>,<uint>,...".to_string(),
            Argument::Double => "=<number>".to_string(),
            Argument::OneOf(words) => format!("={}", words.join("|")),
        };
        let aliases: String = self.names().skip(1).map(|alias| format!(", -{alias}")).collect();
        format!("--{}{value}{aliases}", self.name)
    }
}

/// Options that every command of LLVM takes.
const COMMON: &[Group] = &[
    (Argument::Switch, "color print-options print-all-options write-prev-version"),
    (Argument::OneOf(&["", "debug-info", "binary"]), "correlate"),
    (Argument::Text, "debug-file-directory output|o"),
];

const KIND: &str = "Profile kind:";
const FORMAT: &str = "Format of output profile";
const SHOW_KIND: &str = "Profile kind supported by show:";

/// `merge`.
pub(in super::super) const MERGE: Command = Command {
    name: "merge",
    files: (0, usize::MAX),
    options: &[
        (
            Argument::Text,
            "binary-file debug-info function input-files|f no-function profiled-binary remapping-file|r \
             supplement-instr-with-sample weighted-input",
        ),
        (Argument::Switch, "debuginfod dump-input-file-list keep-vtable-symbols sparse"),
        (Argument::OneOf(&["warn", "any", "all"]), "failure-mode"),
        (Argument::Uint, "instr-prof-cold-threshold max-debug-info-correlation-warnings num-threads|j"),
        (Argument::Ulong, "output-size-limit temporal-profile-max-trace-length temporal-profile-trace-reservoir-size"),
        (Argument::Member { group: "format", title: FORMAT }, "binary extbinary text gcc"),
        (Argument::Member { group: "kind", title: KIND }, "instr sample"),
        // Of sample and MemProf profiles: without a meaning here.
        (
            Argument::Switch,
            "compress-all-sections drop-profile-symbol-list gen-partial-profile memprof-full-schema \
             memprof-random-hotness sample-merge-cold-context sample-trim-cold-context split-layout use-md5",
        ),
        (Argument::OneOf(&["nest", "flat"]), "convert-sample-profile-layout"),
        (Argument::Uint, "memprof-random-hotness-seed sample-frame-depth-for-cold-context suppl-min-size-threshold"),
        (Argument::OneOf(&["2", "3", "4"]), "memprof-version"),
        (Argument::Text, "prof-sym-list"),
        (Argument::Double, "zero-counter-threshold"),
    ],
};

/// `show`.
pub(in super::super) const SHOW: Command = Command {
    name: "show",
    files: (0, 1),
    options: &[
        (
            Argument::Switch,
            "all-functions binary-ids counts covered detailed-summary hot-func-list ic-targets json \
             list-below-cutoff memop-sizes profile-version show-prof-sym-list show-sec-info-only show-vtables \
             showcs temporal-profile-traces text",
        ),
        (Argument::Text, "debug-info function profiled-binary"),
        (Argument::Uints, "detailed-summary-cutoffs"),
        (Argument::Uint, "max-debug-info-correlation-warnings topn value-cutoff"),
        (Argument::OneOf(&["text", "json", "yaml"]), "show-format"),
        (Argument::Member { group: "kind", title: SHOW_KIND }, "instr sample memory"),
    ],
};

/// `overlap`.
pub(in super::super) const OVERLAP: Command = Command {
    name: "overlap",
    files: (2, 2),
    options: &[
        (Argument::Switch, "cs"),
        (Argument::Text, "function"),
        (Argument::Ullong, "similarity-cutoff value-cutoff"),
        (Argument::Member { group: "kind", title: KIND }, "instr sample"),
    ],
};

/// `order`.
pub(in super::super) const ORDER: Command =
    Command { name: "order", files: (0, 1), options: &[(Argument::Uint, "num-test-traces")] };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_has_a_neighbor() {
        assert_eq!(MERGE.nearest("spares"), Some("sparse"));
        assert_eq!(MERGE.nearest("ox"), Some("o"));
        assert_eq!(MERGE.nearest("zzzzzzzz"), None);
    }

    #[test]
    fn names_are_different() {
        for command in [MERGE, SHOW, OVERLAP, ORDER] {
            let mut names: Vec<_> = command.specs().flat_map(Spec::names).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", command.name);
        }
    }
}
