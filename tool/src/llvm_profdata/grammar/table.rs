//! The options of each command.

/// A command and its options.
#[derive(Debug)]
pub(in super::super) struct Command {
    /// Name.
    pub(in super::super) name: &'static str,
    /// The least and the greatest number of files.
    pub(super) files: (usize, usize),
    options: &'static [&'static [Spec]],
}

/// An option.
#[derive(Debug)]
pub(super) struct Spec {
    /// The name without dashes.
    pub(super) name: &'static str,
    aliases: &'static [&'static str],
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

const fn option(name: &'static str, argument: Argument) -> Spec {
    Spec { name, aliases: &[], argument }
}

const fn aliased(name: &'static str, aliases: &'static [&'static str], argument: Argument) -> Spec {
    Spec { name, aliases, argument }
}

const fn member(name: &'static str, group: &'static str, title: &'static str) -> Spec {
    Spec { name, aliases: &[], argument: Argument::Member { group, title } }
}

impl Command {
    fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        self.options.iter().copied().flatten()
    }

    /// Returns the option with this name or alias.
    pub(super) fn find(&self, name: &str) -> Option<&'static Spec> {
        self.specs().find(|spec| spec.name == name || spec.aliases.contains(&name))
    }

    /// Returns the name that is most like a mistyped one.
    pub(super) fn nearest(&self, name: &str) -> Option<&'static str> {
        let names = self.specs().flat_map(|spec| [spec.name].into_iter().chain(spec.aliases.iter().copied()));
        let (distance, nearest) = names.map(|other| (distance(name, other), other)).min()?;
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
    fn usage(&self) -> String {
        let value = match self.argument {
            Argument::Switch | Argument::Member { .. } => String::new(),
            Argument::Text => "=<string>".to_string(),
            Argument::Uint => "=<uint>".to_string(),
            Argument::Ulong | Argument::Ullong => "=<ulong>".to_string(),
            Argument::Uints => "=<uint>,<uint>,...".to_string(),
            Argument::Double => "=<number>".to_string(),
            Argument::OneOf(words) => format!("={}", words.join("|")),
        };
        let aliases: String = self.aliases.iter().map(|alias| format!(", -{alias}")).collect();
        format!("--{}{value}{aliases}", self.name)
    }
}

/// Returns how many characters must be put in, left out or replaced to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, byte) in (1..).zip(a.bytes()) {
        let mut diagonal = line - 1;
        let mut left = line;
        for (slot, other) in row.iter_mut().skip(1).zip(b.bytes()) {
            let best = (diagonal + usize::from(byte != other)).min(*slot + 1).min(left + 1);
            diagonal = *slot;
            *slot = best;
            left = best;
        }
        row.iter_mut().take(1).for_each(|first| *first = line);
    }
    row.last().copied().unwrap_or(a.len())
}

/// Options that every command of LLVM takes.
const COMMON: &[Spec] = &[
    option("color", Argument::Switch),
    option("correlate", Argument::OneOf(&["", "debug-info", "binary"])),
    option("debug-file-directory", Argument::Text),
    option("print-options", Argument::Switch),
    option("print-all-options", Argument::Switch),
    option("write-prev-version", Argument::Switch),
    aliased("output", &["o"], Argument::Text),
];

const KIND: &str = "Profile kind:";
const FORMAT: &str = "Format of output profile";
const SHOW_KIND: &str = "Profile kind supported by show:";

/// `merge`.
pub(in super::super) const MERGE: Command = Command {
    name: "merge",
    files: (0, usize::MAX),
    options: &[
        COMMON,
        &[
            option("binary-file", Argument::Text),
            option("debug-info", Argument::Text),
            option("debuginfod", Argument::Switch),
            option("dump-input-file-list", Argument::Switch),
            option("failure-mode", Argument::OneOf(&["warn", "any", "all"])),
            option("function", Argument::Text),
            aliased("input-files", &["f"], Argument::Text),
            option("instr-prof-cold-threshold", Argument::Uint),
            option("keep-vtable-symbols", Argument::Switch),
            option("max-debug-info-correlation-warnings", Argument::Uint),
            option("no-function", Argument::Text),
            aliased("num-threads", &["j"], Argument::Uint),
            option("output-size-limit", Argument::Ulong),
            option("profiled-binary", Argument::Text),
            aliased("remapping-file", &["r"], Argument::Text),
            option("sparse", Argument::Switch),
            option("supplement-instr-with-sample", Argument::Text),
            option("temporal-profile-max-trace-length", Argument::Ulong),
            option("temporal-profile-trace-reservoir-size", Argument::Ulong),
            option("weighted-input", Argument::Text),
            member("binary", "format", FORMAT),
            member("extbinary", "format", FORMAT),
            member("text", "format", FORMAT),
            member("gcc", "format", FORMAT),
            member("instr", "kind", KIND),
            member("sample", "kind", KIND),
        ],
        &[
            // Of sample and MemProf profiles: without a meaning here.
            option("compress-all-sections", Argument::Switch),
            option("convert-sample-profile-layout", Argument::OneOf(&["nest", "flat"])),
            option("drop-profile-symbol-list", Argument::Switch),
            option("gen-partial-profile", Argument::Switch),
            option("memprof-full-schema", Argument::Switch),
            option("memprof-random-hotness", Argument::Switch),
            option("memprof-random-hotness-seed", Argument::Uint),
            option("memprof-version", Argument::OneOf(&["2", "3", "4"])),
            option("prof-sym-list", Argument::Text),
            option("sample-frame-depth-for-cold-context", Argument::Uint),
            option("sample-merge-cold-context", Argument::Switch),
            option("sample-trim-cold-context", Argument::Switch),
            option("split-layout", Argument::Switch),
            option("suppl-min-size-threshold", Argument::Uint),
            option("use-md5", Argument::Switch),
            option("zero-counter-threshold", Argument::Double),
        ],
    ],
};

/// `show`.
pub(in super::super) const SHOW: Command = Command {
    name: "show",
    files: (0, 1),
    options: &[
        COMMON,
        &[
            option("all-functions", Argument::Switch),
            option("binary-ids", Argument::Switch),
            option("counts", Argument::Switch),
            option("covered", Argument::Switch),
            option("debug-info", Argument::Text),
            option("detailed-summary", Argument::Switch),
            option("detailed-summary-cutoffs", Argument::Uints),
            option("function", Argument::Text),
            option("hot-func-list", Argument::Switch),
            option("ic-targets", Argument::Switch),
            option("json", Argument::Switch),
            option("list-below-cutoff", Argument::Switch),
            option("max-debug-info-correlation-warnings", Argument::Uint),
            option("memop-sizes", Argument::Switch),
            option("profile-version", Argument::Switch),
            option("profiled-binary", Argument::Text),
            option("show-format", Argument::OneOf(&["text", "json", "yaml"])),
            option("show-prof-sym-list", Argument::Switch),
            option("show-sec-info-only", Argument::Switch),
            option("show-vtables", Argument::Switch),
            option("showcs", Argument::Switch),
            option("temporal-profile-traces", Argument::Switch),
            option("text", Argument::Switch),
            option("topn", Argument::Uint),
            option("value-cutoff", Argument::Uint),
            member("instr", "kind", SHOW_KIND),
            member("sample", "kind", SHOW_KIND),
            member("memory", "kind", SHOW_KIND),
        ],
    ],
};

/// `overlap`.
pub(in super::super) const OVERLAP: Command = Command {
    name: "overlap",
    files: (2, 2),
    options: &[
        COMMON,
        &[
            option("cs", Argument::Switch),
            option("function", Argument::Text),
            option("similarity-cutoff", Argument::Ullong),
            option("value-cutoff", Argument::Ullong),
            member("instr", "kind", KIND),
            member("sample", "kind", KIND),
        ],
    ],
};

/// `order`.
pub(in super::super) const ORDER: Command =
    Command { name: "order", files: (0, 1), options: &[COMMON, &[option("num-test-traces", Argument::Uint)]] };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [("spares", "sparse", 2), ("", "ab", 2), ("same", "same", 0), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_mistyped_name_has_a_neighbor() {
        assert_eq!(MERGE.nearest("spares"), Some("sparse"));
        assert_eq!(MERGE.nearest("ox"), Some("o"));
        assert_eq!(MERGE.nearest("zzzzzzzz"), None);
    }

    #[test]
    fn names_are_different() {
        for command in [MERGE, SHOW, OVERLAP, ORDER] {
            let mut names: Vec<_> =
                command.specs().flat_map(|spec| spec.aliases.iter().copied().chain([spec.name])).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", command.name);
        }
    }
}
