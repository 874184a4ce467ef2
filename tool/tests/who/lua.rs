//! Lua and 50 scripts as tests: a change of a line that changes what a script prints is a change that `--diff` names this script for.

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

/// Lines that ran, with what each becomes: one for each rule in turn, from all over the file.
fn mutations(text: &str, ran: &dyn Fn(u64) -> bool, wanted: usize, first: usize) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut random = fastrand::Rng::with_seed(first as u64);
    let mut found = Vec::new();
    let mut rule = first;
    for _ in 0..10_000 {
        let place = random.usize(..lines.len());
        let line = lines[place];
        let (from, to) = RULES[rule % RULES.len()];
        // Not a declaration, which the rest of the function needs.
        let is_statement = from != ";" || line.ends_with(';') && !line.contains(" = ") && line.starts_with("    ");
        if found.len() < wanted && is_statement && line.contains(from) && ran(place as u64 + 1) {
            found.push((place, line.replacen(from, to, 1)));
            rule += 1;
        }
    }
    found
}

#[test]
fn no_needed_test_is_missing() {
    let Some(clang) = newest() else { return };
    let Ok(program) = xtask::demo::lua() else {
        eprintln!("the sources of Lua cannot be downloaded: this test is left out");
        return;
    };
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
    let (mut changes, mut needed_ever, mut named_ever, mut direct_misses) = (0, 0, 0, 0);
    let mut missing = Vec::new();
    for (number, name) in (0..).zip(CHANGED) {
        let source = lua.sources.iter().find(|source| source.ends_with(name)).unwrap();
        let text = fs::read_to_string(source).unwrap();
        let path = source.display().to_string();
        let wanted = (CHANGES * (number + 1) / CHANGED.len()) - (CHANGES * number / CHANGED.len());
        for (place, line) in mutations(&text, &|line| ran.contains(&(path.clone(), line)), wanted, number) {
            let (old, at) = (text.lines().nth(place).unwrap(), place + 1);
            let changed: String = text
                .lines()
                .enumerate()
                .map(|(own, text)| if own == place { &line } else { text }.to_owned() + "\n")
                .collect();
            let own = dir.join(name);
            fs::write(&own, changed).unwrap();
            let built = lua.compile(&own, "changed.o", &[]).output().unwrap();
            if !built.status.success() {
                continue;
            }
            let was = format!("plain-{}.o", source.file_stem().unwrap().to_str().unwrap());
            let objects: Vec<String> =
                plain.iter().map(|object| if *object == was { "changed.o".into() } else { object.clone() }).collect();
            lua.link("other", &objects, &[]);
            let hunk = match line.strip_prefix(old) {
                Some(new) if new.starts_with('\n') => format!("@@ -{at},0 +{} @@\n+{}\n", at + 1, new.trim_start()),
                _ => format!("@@ -{at} +{at} @@\n-{old}\n+{line}\n"),
            };
            fs::write(dir.join("change"), format!("--- a/{name}\n+++ b/{name}\n{hunk}")).unwrap();
            let (status, answer, error) = who(dir, &["tests.who", "--diff", "change", "--json"]);
            let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{error}"));
            let has = |what: &str, test: &str| answer[what].as_array().unwrap().iter().any(|name| name == test);
            let needed: Vec<&str> = names().filter(|name| lua.behavior("other", name) != before[name]).collect();
            changes += 1;
            needed_ever += needed.len();
            named_ever += answer["tests"].as_array().unwrap().len();
            direct_misses += needed.iter().filter(|test| !has("ran_changed_lines", test)).count();
            // All are to be run where the change cannot be judged.
            missing.extend(
                needed
                    .iter()
                    .filter(|test| status == 0 && !has("tests", test))
                    .map(|test| format!("{name}:{at}: {line}: {test}")),
            );
        }
    }
    eprintln!(
        "{changes} changes: {needed_ever} tests needed, {named_ever} named, {direct_misses} of the needed did not run a changed line"
    );
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(changes * 2 >= CHANGES && needed_ever > changes, "{changes} changes, {needed_ever} tests");
}
