//! Lua and 50 scripts as tests: a change of a line that changes what a script prints is a change that `--diff` names this script for.

use needs_macros::needs;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::common::{newest, run};
use super::{covered, unique, who};

/// A name and a script a line.
const SCRIPTS: &str = include_str!("scripts.txt");

/// How many lines are changed.
const CHANGES: usize = if cfg!(debug_assertions) { 8 } else { 50 };

/// What is changed of a line, and to what. The last three work on whole lines: they are left out, trap, or have a line that traps after them.
const RULES: [(&str, &str); 9] = [
    ("==", "!="),
    (" < ", " <= "),
    (" + 1", " + 2"),
    (" && ", " || "),
    ("case '", "case 1 + '"),
    ("return 1;", "return 0;"),
    (";", ""),
    (";", "; __builtin_trap();"),
    (";", ";\n__builtin_trap();"),
];

/// The sources that are changed.
const CHANGED: [&str; 10] = [
    "lstrlib.c",
    "ltablib.c",
    "lvm.c",
    "lparser.c",
    "lmathlib.c",
    "lutf8lib.c",
    "llex.c",
    "lcorolib.c",
    "ltm.c",
    "lobject.c",
];

struct Lua {
    dir: PathBuf,
    compiler: PathBuf,
    options: Vec<String>,
    sources: Vec<PathBuf>,
}

impl Lua {
    fn compile(&self, source: &Path, object: &str, flags: &[&str]) -> Command {
        let mut command = Command::new(&self.compiler);
        command
            .args(["-c", "-w", "-O1"])
            .args(&self.options)
            .args(flags)
            .arg(source)
            .args(["-o", object])
            .current_dir(&self.dir);
        command
    }

    fn link(&self, program: &str, objects: &[String], flags: &[&str]) {
        run(Command::new(&self.compiler)
            .args(flags)
            .args(objects)
            .args(["-lm", "-ldl", "-o", program])
            .current_dir(&self.dir));
    }

    /// Compiles everything, two files at a time, and returns the names of the objects.
    fn build(&self, program: &str, flags: &[&str]) -> Vec<String> {
        let object = |source: &PathBuf| format!("{program}-{}.o", source.file_stem().unwrap().to_string_lossy());
        std::thread::scope(|scope| {
            for part in self.sources.chunks(self.sources.len().div_ceil(2)) {
                scope.spawn(move || {
                    part.iter().for_each(|source| _ = run(&mut self.compile(source, &object(source), flags)))
                });
            }
        });
        let objects: Vec<String> = self.sources.iter().map(object).collect();
        self.link(program, &objects, flags);
        objects
    }

    /// Builds `other`, with a line of a source replaced. Returns whether it compiles.
    fn rebuild(&self, source: &Path, text: &str, place: usize, line: &str, plain: &[String]) -> bool {
        let own = self.dir.join(source.file_name().unwrap());
        let lines = text.lines().enumerate().map(|(own, text)| if own == place { line } else { text });
        fs::write(&own, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let is_built = self.compile(&own, "changed.o", &[]).output().unwrap().status.success();
        if is_built {
            let was = format!("plain-{}.o", source.file_stem().unwrap().to_str().unwrap());
            let new = |object: &String| if *object == was { "changed.o".into() } else { object.clone() };
            self.link("other", &plain.iter().map(new).collect::<Vec<_>>(), &[]);
        }
        is_built
    }

    /// Runs a script. Returns what it prints and its exit status, or nothing if it takes too long.
    fn behavior(&self, program: &str, script: &str) -> String {
        let out = self.dir.join("out");
        let file = fs::File::create(&out).unwrap();
        let mut command = Command::new(self.dir.join(program));
        command.arg(format!("{script}.lua")).current_dir(&self.dir).stdin(Stdio::null());
        command
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .env("LLVM_PROFILE_FILE", format!("p/{script}-%p.profraw"));
        let mut child = command.spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(2);
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status.to_string(),
                None if Instant::now() > end => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break "endless".into();
                }
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        format!("{status}\n{}", String::from_utf8_lossy(&fs::read(out).unwrap()))
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    SCRIPTS.lines().map(|line| line.split_once(": ").unwrap().0)
}

/// Lines that ran, with what each becomes: one for each rule in turn, from all over the file. Ten times as many as are wanted, since some do not
/// compile.
fn mutations(text: &str, ran: &dyn Fn(u64) -> bool, wanted: usize, first: usize) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut random = fastrand::Rng::with_seed(first as u64);
    let mut found = Vec::new();
    for rule in first..first + 10_000 {
        let place = random.usize(..lines.len());
        let line = lines[place];
        let (from, to) = RULES[rule % RULES.len()];
        // Not a declaration, which the rest of the function needs.
        let is_statement = from != ";" || line.ends_with(';') && !line.contains(" = ") && line.starts_with("    ");
        if found.len() < 10 * wanted && is_statement && line.contains(from) && ran(place as u64 + 1) {
            found.push((place, line.replacen(from, to, 1)));
        }
    }
    found
}

/// Returns a diff with this line replaced, or with what stands after its end put in.
fn diff(name: &str, text: &str, place: usize, line: &str) -> String {
    let (old, at) = (text.lines().nth(place).unwrap(), place + 1);
    let hunk = match line.strip_prefix(old).and_then(|new| new.strip_prefix('\n')) {
        Some(new) => format!("@@ -{at},0 +{} @@\n+{new}\n", at + 1),
        None => format!("@@ -{at} +{at} @@\n-{old}\n+{line}\n"),
    };
    format!("--- a/{name}\n+++ b/{name}\n{hunk}")
}

#[needs("clang")]
fn no_needed_test_is_missing() {
    let clang = newest();
    let program = testkit::programs::lua().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().canonicalize().unwrap();
    let lua = Lua { dir, compiler: clang.clang.clone(), options: program.options, sources: program.sources };
    let dir = &lua.dir;
    for (name, script) in SCRIPTS.lines().map(|line| line.split_once(": ").unwrap()) {
        fs::write(dir.join(format!("{name}.lua")), script).unwrap();
    }
    lua.build("app", &["-fprofile-instr-generate", "-fcoverage-mapping"]);
    let plain = lua.build("plain", &[]);
    names().for_each(|name| _ = lua.behavior("app", name));
    let (status, _, error) = who(dir, &["p", "--elf", "app", "-o", "tests.who"]);
    assert_eq!((status, error.as_str()), (0, "tests.who: 50 tests in 50 profiles\n"));
    // The order in which threads end does not matter.
    assert_eq!(who(dir, &["p", "--elf", "app", "-o", "again.who"]).0, 0);
    assert!(fs::read(dir.join("again.who")).unwrap() == fs::read(dir.join("tests.who")).unwrap());
    let profiles: Vec<PathBuf> = fs::read_dir(dir.join("p")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let bytes = |path: &PathBuf| fs::metadata(path).unwrap().len();
    let (raw, stored) = (profiles.iter().map(bytes).sum::<u64>(), bytes(&dir.join("tests.who")));
    eprintln!("{stored} bytes for {raw}");
    assert!(stored * 50 <= raw, "{stored} bytes are more than 2 % of {raw}");

    // Two tests have the lines that `profrt cov` says ran.
    let shown = |path: &PathBuf| path.display().to_string();
    for profile in profiles.iter().take(2).map(shown) {
        assert_eq!(who(dir, &[&profile, "--elf", "app", "-o", "one.who"]).0, 0);
        let test = Path::new(&profile).file_name().unwrap().to_str().unwrap().split_once('-').unwrap().0.to_owned();
        assert_eq!(unique(dir, "one.who", &test), covered(dir, "app", &[profile]));
    }

    let before: BTreeMap<&str, String> = names().map(|name| (name, lua.behavior("plain", name))).collect();
    let all: Vec<String> = profiles.iter().map(shown).collect();
    let ran = covered(dir, "app", &all);
    let mut sums = Sums::default();
    for (number, name) in (0..).zip(CHANGED) {
        let source = lua.sources.iter().find(|source| source.ends_with(name)).unwrap();
        let text = fs::read_to_string(source).unwrap();
        let path = source.display().to_string();
        let wanted = CHANGES * (number + 1) / CHANGED.len() - CHANGES * number / CHANGED.len();
        let mutations = mutations(&text, &|line| ran.contains(&(path.clone(), line)), wanted, number);
        let built = mutations.iter().filter(|(place, line)| lua.rebuild(source, &text, *place, line, &plain));
        for (place, line) in built.take(wanted) {
            fs::write(dir.join("change"), diff(name, &text, *place, line)).unwrap();
            let (status, answer, error) = who(dir, &["tests.who", "--diff", "change", "--json"]);
            let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{error}"));
            let needed: Vec<&str> = names().filter(|name| lua.behavior("other", name) != before[name]).collect();
            sums.add(&format!("{name}:{}: {line}", place + 1), &needed, &answer, status);
        }
    }
    eprintln!("{sums:?}");
    assert!(sums.missing.is_empty(), "{}", sums.missing.join("\n"));
    assert!(sums.changes == CHANGES && sums.needed >= CHANGES && sums.unjudged == 0, "{sums:?}");
}

/// What was seen of all changes: how many tests were needed and named, and how many of the named ran a changed line.
#[derive(Debug, Default)]
struct Sums {
    changes: usize,
    needed: usize,
    named: usize,
    direct: usize,
    unjudged: i32,
    missing: Vec<String>,
}

impl Sums {
    fn add(&mut self, change: &str, needed: &[&str], answer: &Value, status: i32) {
        let named = answer["tests"].as_array().unwrap();
        self.changes += 1;
        self.needed += needed.len();
        self.named += named.len();
        self.direct += answer["ran_changed_lines"].as_array().unwrap().len();
        self.unjudged += status;
        let missing = needed.iter().filter(|test| !named.iter().any(|name| name == **test));
        self.missing.extend(missing.map(|test| format!("{change}: {test}")));
    }
}
