//! A program and its directives: pure text to [`Variant`]s.
//!
//! A program is a file with `// profrt:` lines; those before the first `variant` hold for all variants. Each error names the file and the line.
//!
//! - `variant NAME`: begins a variant; without any there is one, named as the file.
//! - `clang 16..19`: releases, both ends included, either may be missing.
//! - `needs TOOL…: REASON`: ignored without the command (or `root`, `mount`, `protected_symlinks`, `clang-14`). `-fuse-ld=` needs its linker
//!   implicitly.
//! - `flags …` `cflags …` `lflags …`: for compiling and linking; for compiling; for linking. `-O1` comes first.
//! - `prepare NAME FLAGS`: makes a profile with the official archive; `{NAME}` in flags is its path.
//! - `object NAME [FILE] [@14] [bare] [FLAGS]`: compiles this file, or FILE next to it; with another release; without `flags` and `cflags`.
//!   Default: `object main.o`.
//! - `archive NAME OBJECT…`: makes an archive.
//! - `shared NAME ARGS` `program NAME ARGS`: links; names of objects, archives and shared objects become paths, the rest are flags; `bare` as
//!   above; `{resources}`: the side's resource directory, `{official}`: the official archive, `{root}`: the project. Default: `program main` of all
//!   objects.
//! - `run LINE` `run=3 LINE`: a line of bash on both sides, and its exit code. The programs are in `PATH`; `$BIN` `$SRC` `$RESOURCES` `$CLANG`
//!   `$CLANGXX` `$PROFDATA` `$COV` `$RELEASE` `$RAW` are set, the caller's variables not. Default: `run main`.
//! - `ours LINE` `official LINE`: on one side only, compared with nothing: proof of an intended difference.
//! - `differs FACETS: REASON; COMPATIBILITY: KEY`: these differ; fails when they no longer do, and when no row of docs/COMPATIBILITY.md has the
//!   key. `profile` stands for the four facets read from profiles.
//! - `skip FACETS: REASON`: not compared.
//! - `not KIND FACETS: REASON`: not compared under that kind of name (`harness/named.rs`); `not KIND all: REASON`: not run.
//! - `only-ours: REASON`: the official archive cannot do it.
//! - `no-profile [official]`: no run leaves a profile (on that side).
//! - `raw 11`: the archive of another raw version, against LLVM's C runtime of the crate `minicov`.
//! - `unreadable`: `llvm-profdata` refuses the profiles.
//! - `profdata FLAGS`: flags of `llvm-profdata merge`; `{bin}` is the directory of the programs.
//! - `cov FILES`: the images that have a mapping, if not all.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use testkit::compatibility;

use super::named::{self, KINDS, Kind};

/// A source file whose header comment holds directives.
pub struct Program {
    pub variants: Vec<Variant>,
}

/// One way to build and run a program: what its header says before the first `variant`, and what follows its own.
#[derive(Clone, Debug)]
pub struct Variant {
    /// `link/shapes/static`
    pub name: String,
    pub source: PathBuf,
    pub clang: RangeInclusive<u32>,
    /// What must be there, and what for.
    pub needs: Vec<(String, String)>,
    pub flags: Vec<String>,
    pub cflags: Vec<String>,
    pub lflags: Vec<String>,
    pub merge_flags: Vec<String>,
    pub prepare: Vec<Prepare>,
    pub objects: Vec<Object>,
    pub links: Vec<Link>,
    pub steps: Vec<Step>,
    pub differs: Vec<(Vec<Facet>, String)>,
    pub skips: Vec<(Vec<Facet>, String)>,
    pub only_ours: bool,
    /// No run leaves a profile, on this side or on both.
    pub no_profile: Option<Who>,
    /// `llvm-profdata` refuses what the runs leave.
    pub unreadable: bool,
    /// Another raw version than the compiler's own: ours is that archive, the official side what [`oracle`] makes.
    ///
    /// [`oracle`]: super::oracle
    pub raw: Option<u8>,
    /// The images with a coverage mapping, when these are not all.
    pub cov: Vec<String>,
    /// What is not compared under another kind of name; no facets: it is not tried with it at all.
    pub not: Vec<(String, Vec<Facet>, String)>,
    /// The program itself says how its profile is called.
    pub about_files: bool,
    /// Run with this kind of name. Never set by a directive: [`Kind::of`] makes these.
    pub kind: Option<&'static Kind>,
}

/// A profile made beforehand with the official archive, for `-fprofile-use`.
#[derive(Clone, Debug)]
pub struct Prepare {
    pub name: String,
    pub flags: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub source: Option<String>,
    /// `@14`: compiled by this release, whichever one links.
    pub release: Option<u32>,
    pub flags: Vec<String>,
    /// `bare`: without the `flags` and `cflags` of the program.
    pub bare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Archive,
    Shared,
    Program,
}

#[derive(Clone, Debug)]
pub struct Link {
    pub kind: LinkKind,
    pub name: String,
    pub args: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub who: Who,
    pub exit: i32,
    pub line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Both,
    Ours,
    Official,
}

/// What is compared between the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    Exit,
    Stdout,
    Stderr,
    /// Names, kinds and modes of the files that a run leaves.
    Files,
    /// The bytes of the files that are not profiles.
    Content,
    /// Fields of the raw headers, the deltas apart.
    Header,
    /// The sections of the raw profiles, addresses apart.
    Sections,
    Merge,
    Cov,
}

impl Facet {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "exit" => Self::Exit,
            "stdout" => Self::Stdout,
            "stderr" => Self::Stderr,
            "files" => Self::Files,
            "content" => Self::Content,
            "header" => Self::Header,
            "sections" => Self::Sections,
            "merge" => Self::Merge,
            "cov" => Self::Cov,
            _ => return None,
        })
    }
}

/// All programs under `abi/`, `continuous/`, `link/`, `merge/`, `run/` and `values/`, in order of their names.
///
/// Each difference between the sides names a key of docs/COMPATIBILITY.md.
pub fn discover(root: &Path) -> Result<Vec<Program>> {
    let keys = compatibility::read(root.parent().context("c-tests/ is in no directory")?)?;
    let mut programs = Vec::new();
    for group in ["abi", "continuous", "gcov", "link", "merge", "run", "values"] {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(root.join(group)).with_context(|| format!("cannot list c-tests/{group}"))? {
            files.push(entry?.path());
        }
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if text.contains("// profrt:") {
                let name = format!("{group}/{stem}");
                let variants = parse(&name, &file, &text).with_context(|| file.display().to_string())?;
                for (_, reason) in variants.iter().flat_map(|variant| &variant.differs) {
                    let key = reason.rsplit_once("COMPATIBILITY: ").map_or("", |(_, key)| key);
                    let missing = || {
                        format!("{}: {reason}: no row of {} has the key **{key}**", file.display(), compatibility::FILE)
                    };
                    ensure!(keys.contains(key), missing());
                }
                programs.push(Program { variants });
            }
        }
    }
    Ok(programs)
}

fn parse(name: &str, source: &Path, text: &str) -> Result<Vec<Variant>> {
    let mut common = Variant {
        name: name.into(),
        source: source.into(),
        clang: 14..=99,
        needs: Vec::new(),
        flags: Vec::new(),
        cflags: Vec::new(),
        lflags: Vec::new(),
        merge_flags: Vec::new(),
        prepare: Vec::new(),
        objects: Vec::new(),
        links: Vec::new(),
        steps: Vec::new(),
        differs: Vec::new(),
        skips: Vec::new(),
        only_ours: false,
        no_profile: None,
        unreadable: false,
        cov: Vec::new(),
        raw: None,
        not: Vec::new(),
        about_files: named::about_files(text),
        kind: None,
    };
    let mut variants: Vec<Variant> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(directive) = line.strip_prefix("// profrt:") else { continue };
        let (verb, rest) = split_word(directive);
        let verb = verb.trim_end_matches(':');
        let at = || format!("line {}: {}", number + 1, directive.trim());
        if verb == "variant" {
            ensure!(!rest.is_empty(), "{}: a variant has a name", at());
            let mut own = common.clone();
            own.name = format!("{name}/{rest}");
            variants.push(own);
            continue;
        }
        variants.last_mut().unwrap_or(&mut common).directive(verb, rest).with_context(at)?;
    }
    if variants.is_empty() {
        variants.push(common);
    }
    for variant in &mut variants {
        variant.defaults();
    }
    Ok(variants)
}

impl Variant {
    fn directive(&mut self, verb: &str, rest: &str) -> Result<()> {
        let (verb, exit) = match verb.split_once('=') {
            Some((verb, exit)) => (verb, exit.parse().context("the exit code after = is a number")?),
            None => (verb, 0),
        };
        ensure!(
            !["run", "ours", "official"].contains(&verb) || !hides_a_check(rest),
            "what a check says is lost behind `;`"
        );
        let step = |who| Step { who, exit, line: rest.into() };
        let words = || rest.split_whitespace().map(String::from);
        match verb {
            "clang" => self.clang = range(rest)?,
            "needs" => {
                let (tools, reason) = rest.split_once(':').context("TOOL: REASON")?;
                let reason = given(reason)?;
                self.needs.extend(tools.split_whitespace().map(|tool| (tool.into(), reason.clone())));
            }
            "flags" => self.flags.extend(words()),
            "cflags" => self.cflags.extend(words()),
            "lflags" => self.lflags.extend(words()),
            "profdata" => self.merge_flags.extend(words()),
            "prepare" => {
                let (name, flags) = split_word(rest);
                self.prepare
                    .push(Prepare { name: name.into(), flags: flags.split_whitespace().map(String::from).collect() });
            }
            "object" => self.objects.push(object(rest)),
            "archive" => self.link(LinkKind::Archive, rest),
            "shared" => self.link(LinkKind::Shared, rest),
            "program" => self.link(LinkKind::Program, rest),
            "run" => self.steps.push(step(Who::Both)),
            "ours" => self.steps.push(step(Who::Ours)),
            "official" => self.steps.push(step(Who::Official)),
            "differs" => self.differs.push(reasoned(rest)?),
            "skip" => self.skips.push(reasoned(rest)?),
            "not" => {
                let (label, rest) = split_word(rest);
                ensure!(KINDS.iter().any(|kind| kind.label == label), "{label}: there is no such kind of name");
                let (facets, reason) = reasoned(rest)?;
                self.not.push((label.into(), facets, reason));
            }
            "only-ours" => {
                given(rest)?;
                self.only_ours = true;
            }
            "no-profile" => {
                self.no_profile = Some(match rest {
                    "" => Who::Both,
                    "official" => Who::Official,
                    _ => bail!("no-profile, or no-profile official"),
                });
            }
            "raw" => self.raw = Some(rest.parse().context("a raw version is a number")?),
            "unreadable" => self.unreadable = true,
            "cov" => self.cov.extend(words()),
            _ => bail!("{verb}: no such directive"),
        }
        Ok(())
    }

    fn link(&mut self, kind: LinkKind, rest: &str) {
        let (name, args) = split_word(rest);
        self.links.push(Link { kind, name: name.into(), args: args.split_whitespace().map(String::from).collect() });
    }

    fn defaults(&mut self) {
        if self.objects.is_empty() {
            self.objects.push(object("main.o"));
        }
        if self.links.is_empty() {
            let args = self.objects.iter().map(|o| o.name.clone()).collect();
            self.links.push(Link { kind: LinkKind::Program, name: "main".into(), args });
        }
        if self.steps.is_empty() {
            self.steps.push(Step { who: Who::Both, exit: 0, line: "main".into() });
        }
        for object in &self.objects {
            let need = |release| (format!("clang-{release}"), format!("{} is compiled by it", object.name));
            self.needs.extend(object.release.map(need));
        }
        let linked = self.links.iter().flat_map(|link| &link.args);
        let flags = self.flags.iter().chain(&self.lflags).chain(linked);
        let linkers: BTreeSet<String> =
            flags.filter_map(|flag| flag.strip_prefix("-fuse-ld=")).map(String::from).collect();
        self.needs
            .extend(linkers.into_iter().map(|linker| (format!("ld.{linker}"), "the program is linked by it".into())));
    }

    pub fn maps_coverage(&self) -> bool {
        self.flags.iter().chain(&self.cflags).any(|flag| flag == "-fcoverage-mapping")
    }

    /// The images that `llvm-cov` is asked about.
    pub fn covered(&self) -> Vec<String> {
        if !self.cov.is_empty() {
            return self.cov.clone();
        }
        self.links.iter().filter(|l| l.kind != LinkKind::Archive).map(|l| l.name.clone()).collect()
    }

    pub fn is_cxx(&self) -> bool {
        self.source.extension().is_some_and(|e| e == "cpp")
    }
}

fn object(rest: &str) -> Object {
    let mut words = rest.split_whitespace().map(String::from);
    let name = words.next().unwrap_or_default();
    let mut object = Object { name, source: None, release: None, flags: Vec::new(), bare: false };
    for word in words {
        if let Some(release) = word.strip_prefix('@').and_then(|r| r.parse().ok()) {
            object.release = Some(release);
        } else if word == "bare" {
            object.bare = true;
        } else if !word.starts_with('-') && (word.ends_with(".c") || word.ends_with(".cpp") || word.ends_with(".S")) {
            object.source = Some(word);
        } else {
            object.flags.push(word);
        }
    }
    object
}

/// `16..19`, `16..`, `..17`, `19`; both ends belong to it.
fn range(text: &str) -> Result<RangeInclusive<u32>> {
    let number = |t: &str, default: u32| if t.is_empty() { Ok(default) } else { t.trim().parse::<u32>() };
    Ok(match text.split_once("..") {
        Some((low, high)) => number(low, 0)?..=number(high, u32::MAX)?,
        None => number(text, 0)?..=number(text, u32::MAX)?,
    })
}

/// `FACET, FACET: REASON`; `profile` stands for all that is read from profiles; `all`, after `not`, for the test itself.
fn reasoned(rest: &str) -> Result<(Vec<Facet>, String)> {
    let (names, reason) = rest.split_once(':').context("FACET: REASON")?;
    let mut facets = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| *name != "all") {
        if name == "profile" {
            facets.extend([Facet::Header, Facet::Sections, Facet::Merge, Facet::Cov]);
        } else {
            facets.push(Facet::parse(name).with_context(|| format!("{name}: nothing of this name is compared"))?);
        }
    }
    Ok((facets, given(reason)?))
}

/// Whether the last command cleans up behind a check without looking at what that said.
fn hides_a_check(line: &str) -> bool {
    let Some((before, last)) = line.rsplit_once("; ") else { return false };
    let check = before.rsplit_once("; ").map_or(before, |(_, check)| check);
    let cleans = ["rm ", "rmdir ", "chmod ", "umount "].iter().any(|command| last.starts_with(command));
    let checks = ["test ", "grep -q", "cmp ", "diff ", "! "].iter().any(|word| check.contains(word));
    cleans && checks && !last.contains("&&") && !check.contains("|| exit") && !check.contains("|| {")
}

/// A reason, which is more than a word.
fn given(reason: &str) -> Result<String> {
    ensure!(reason.trim().len() > 10, "the reason is missing");
    Ok(reason.trim().into())
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}
