//! Programs and scripts as tests: a change of a line that changes what a script prints is a change that `--diff` names this script for.

use needs_macros::needs;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::common::{newest, run};
use super::{covered, unique, who};

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

/// A program that runs the script in a file, and how it is compiled.
struct Subject {
    dir: PathBuf,
    compiler: PathBuf,
    options: Vec<String>,
    sources: Vec<PathBuf>,
    /// A name and a script a line.
    scripts: &'static str,
}

impl Subject {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.scripts.lines().map(|line| line.split_once(": ").unwrap().0)
    }

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

    /// Runs a script for at most a second of processor time. Returns what it prints and its exit status.
    fn behavior(&self, program: &str, script: &str) -> String {
        let out = self.dir.join("out");
        let file = fs::File::create(&out).unwrap();
        // A loop without end is one on a busy machine, too.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -c 0 -t 1; exec \"$@\"", "sh"]).arg(self.dir.join(program));
        command
            .arg(format!("{script}.script"))
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .env("LLVM_PROFILE_FILE", format!("p/{script}-%p.profraw"));
        let status = command.status().unwrap();
        format!("{status}\n{}", String::from_utf8_lossy(&fs::read(out).unwrap()))
    }
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
fn no_needed_test_of_a_calculator_is_missing() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/who");
    let temporary = tempfile::tempdir().unwrap();
    let subject = Subject {
        dir: temporary.path().canonicalize().unwrap(),
        compiler: newest().clang,
        options: Vec::new(),
        sources: vec![data.join("calculator.c")],
        scripts: include_str!("calculator.txt"),
    };
    subject.begin();
    subject.check(&["calculator.c"], 12);
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn no_needed_test_of_lua_is_missing() {
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
    let program = testkit::programs::lua().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let subject = Subject {
        dir: temporary.path().canonicalize().unwrap(),
        compiler: newest().clang,
        options: program.options,
        sources: program.sources,
        scripts: include_str!("lua.txt"),
    };
    let (raw, stored) = subject.begin();
    assert!(stored * 50 <= raw, "{stored} bytes are more than 2 % of {raw}");
    subject.check(&CHANGED, if cfg!(debug_assertions) { 8 } else { 50 });
}

impl Subject {
    /// Runs the tests, and finds out which of them ran what. Returns the sizes of all profiles and of `tests.who`.
    fn begin(&self) -> (u64, u64) {
        let dir = &self.dir;
        for (name, script) in self.scripts.lines().map(|line| line.split_once(": ").unwrap()) {
            fs::write(dir.join(format!("{name}.script")), script).unwrap();
        }
        self.build("app", &["-fprofile-instr-generate", "-fcoverage-mapping"]);
        self.names().for_each(|name| _ = self.behavior("app", name));
        let (status, _, error) = who(dir, &["p", "--object", "app", "-o", "tests.who"]);
        let number = self.names().count();
        assert_eq!((status, error), (0, format!("tests.who: {number} tests in {number} profiles\n")));
        // The order in which threads end does not matter.
        assert_eq!(who(dir, &["p", "--object", "app", "-o", "again.who"]).0, 0);
        assert!(fs::read(dir.join("again.who")).unwrap() == fs::read(dir.join("tests.who")).unwrap());
        // Two tests have the lines that `profrt cov` says ran.
        for profile in self.profiles().iter().take(2) {
            assert_eq!(who(dir, &[profile, "--object", "app", "-o", "one.who"]).0, 0);
            let test = Path::new(profile).file_name().unwrap().to_str().unwrap().split_once('-').unwrap().0.to_owned();
            assert_eq!(unique(dir, "one.who", &test), covered(dir, "app", std::slice::from_ref(profile)));
        }
        let bytes = |path: &Path| fs::metadata(path).unwrap().len();
        let raw = self.profiles().iter().map(|profile| bytes(Path::new(profile))).sum();
        (raw, bytes(&dir.join("tests.who")))
    }

    fn profiles(&self) -> Vec<String> {
        let profiles = fs::read_dir(self.dir.join("p")).unwrap();
        profiles.map(|entry| entry.unwrap().path().display().to_string()).collect()
    }

    /// Changes so many lines, of these sources in turn, and asks which tests are concerned.
    fn check(&self, changed: &[&str], changes: usize) {
        let (dir, plain) = (&self.dir, self.build("plain", &[]));
        let before: BTreeMap<&str, String> = self.names().map(|name| (name, self.behavior("plain", name))).collect();
        let ran = covered(dir, "app", &self.profiles());
        let mut sums = Sums::default();
        for (number, name) in (0..).zip(changed) {
            let source = self.sources.iter().find(|source| source.ends_with(name)).unwrap();
            let text = fs::read_to_string(source).unwrap();
            let path = source.display().to_string();
            let wanted = changes * (number + 1) / changed.len() - changes * number / changed.len();
            let mutations = mutations(&text, &|line| ran.contains(&(path.clone(), line)), wanted, number);
            let built = mutations.iter().filter(|(place, line)| self.rebuild(source, &text, *place, line, &plain));
            for (place, line) in built.take(wanted) {
                fs::write(dir.join("change"), diff(name, &text, *place, line)).unwrap();
                let (status, answer, error) = who(dir, &["tests.who", "--diff", "change", "--json"]);
                let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{error}"));
                let needed: Vec<&str> =
                    self.names().filter(|name| self.behavior("other", name) != before[name]).collect();
                sums.add(&format!("{name}:{}: {line}", place + 1), &needed, &answer, status);
            }
        }
        eprintln!("{sums:?}");
        assert!(sums.missing.is_empty(), "{}", sums.missing.join("\n"));
        assert!(sums.changes == changes && sums.needed >= changes && sums.unjudged == 0, "{sums:?}");
    }
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
