//! `profrt live`: a small HTTP server of several processes is watched while it gets requests.

#[path = "live/page.rs"]
mod page;
#[path = "live/server.rs"]
mod server;
#[path = "live/tui.rs"]
mod tui;

use needs_macros::needs;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::{is_all, profrt, run};
use serde_json::Value;
use server::{HANDLERS, Live, PLUGIN, Place, request};

/// Requests of the trials, in turn.
const REQUESTS: [&str; 4] = ["login", "list", "plugin", "logout"];

/// Returns the lines that a saved mark has run, by the name of the source.
fn ran(place: &Place, mark: &str) -> BTreeSet<(String, u64)> {
    let mut command = profrt(place.dir());
    command.args([
        "cov",
        &format!("marks/{mark}.profdata"),
        "--object",
        "server",
        "--object",
        "plugin.so",
        "--json",
        "-",
    ]);
    let report: Value = serde_json::from_slice(&run(&mut command)).unwrap();
    let files = report["files"].as_array().unwrap().iter();
    let lines = files.flat_map(|file| {
        let name = file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let ran = file["lines"].as_array().unwrap().iter().filter(|line| line[1].as_u64() > Some(0));
        ran.map(move |line| (name.clone(), line[0].as_u64().unwrap())).collect::<Vec<_>>()
    });
    lines.collect()
}

/// Returns the lines that a request runs, by the comments in the sources.
fn expected(request: &str) -> BTreeSet<(String, u64)> {
    let in_source = |(name, text): (&str, &str)| {
        let marked = (1u64..).zip(text.lines()).filter(|(_, line)| {
            line.split_once("//= ").is_some_and(|(_, names)| names.split(' ').any(|name| name == request))
        });
        marked.map(|(number, _)| (name.to_owned(), number)).collect::<Vec<_>>()
    };
    [HANDLERS, PLUGIN].into_iter().flat_map(in_source).collect()
}

#[needs("clang")]
fn marks_have_exactly_the_lines_of_a_request() {
    let place = Place::build();
    let mut server = place.start();
    let live = Live::start(&place, &["--object", "server", "--object", "plugin.so", "--marks", "marks", "profiles"]);
    let trials = if is_all() { 100 } else { 20 };
    for trial in 0..trials {
        let name = REQUESTS[trial % REQUESTS.len()];
        match trial % 10 {
            3 => request(server.port, "fork"),
            // All processes are killed, and others take their names or new ones.
            7 => {
                drop(server);
                server = place.start();
                String::new()
            }
            _ => String::new(),
        };
        let mark = format!("trial{trial}-{name}");
        live.mark(&[&mark]);
        assert!(request(server.port, name).starts_with("HTTP/1.0 200"));
        live.mark(&[]);
        assert_eq!(ran(&place, &mark), expected(name), "{mark}");
    }
    // LLVM's tool opens them.
    let mut cov = Command::new(&place.clang.cov);
    let shown =
        run(cov.current_dir(place.dir()).args(["show", "server", "-instr-profile=marks/trial0-login.profdata"]));
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.lines().any(|line| line.contains("|      9|") && line.contains("if (i % 2 == is_odd)")), "{shown}");
    // And they are the tests of `profrt cov who`.
    let elf = ["--object", "server", "--object", "plugin.so"];
    run(profrt(place.dir()).args(["who", "marks", "-o", "tests.who"]).args(elf));
    let line = HANDLERS.1.lines().position(|line| line.contains("static int list(void)")).unwrap() + 1;
    let who = run(profrt(place.dir()).args(["who", "tests.who", &format!("handlers.c:{line}")]));
    let who = String::from_utf8(who).unwrap();
    assert!(who.lines().count() > 1 && who.lines().all(|name| name.ends_with("-list")), "{who}");
}

/// Copies all files of `from`, each under its name at once, as a process replaces its file.
fn replace(place: &Place, from: &str, to: &str) {
    for entry in fs::read_dir(place.dir().join(from)).unwrap() {
        let entry = entry.unwrap();
        let to = place.dir().join(to).join(entry.file_name());
        fs::copy(entry.path(), to.with_extension("new")).unwrap();
        fs::rename(to.with_extension("new"), to).unwrap();
    }
}

#[needs("clang")]
fn a_file_that_is_replaced_goes_on_and_a_new_run_counts_anew() {
    let place = Place::build();
    let server = place.start();
    for name in ["first", "second", "watched"] {
        fs::create_dir(place.dir().join(name)).unwrap();
    }
    request(server.port, "login");
    replace(&place, "profiles", "first");
    // Until each process has taken one.
    let is_same = |name: &std::ffi::OsStr| {
        let [old, new] = ["first", "profiles"].map(|from| fs::read(place.dir().join(from).join(name)).unwrap());
        old == new
    };
    while fs::read_dir(place.dir().join("first")).unwrap().any(|entry| is_same(&entry.unwrap().file_name())) {
        request(server.port, "list");
    }
    replace(&place, "profiles", "second");
    let live = Live::start(&place, &["--object", "server", "--marks", "marks", "watched"]);
    for (mark, files, wanted) in [
        ("appeared", "first", "login"),
        ("same", "first", ""),
        ("more", "second", "list"),
        ("again", "second", ""),
        ("fewer", "first", "login"),
    ] {
        live.mark(&[mark]);
        replace(&place, files, "watched");
        live.mark(&[]);
        assert_eq!(ran(&place, mark), expected(wanted), "{mark}");
    }
}

#[needs("clang")]
fn json_says_what_runs_and_ends_with_the_program() {
    let place = Place::build();
    let mut command = profrt(place.dir());
    command.args(["live", "--json", "--interval", "0.1", "--object", "plugin.so", "--", "./server", "./plugin.so"]);
    // The server's port comes on standard error.
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _limit = common::limit("profrt live --json");
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    let port = errors.next().unwrap().unwrap().parse().unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["schema"], "profrt-live-1");
    let asked = Instant::now();
    request(port, "list");
    let ran = lines.by_ref().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut ran = ran.skip_while(|tick| tick["functions"].as_array().unwrap().is_empty());
    let tick = ran.next().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(60));
    // One of the processes has taken it; the image of the server is a file in each.
    let called: BTreeSet<(&str, u64)> = tick["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| {
            (
                function["name"].as_str().unwrap().rsplit(['/', ';', ':']).next().unwrap(),
                function["calls"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(called, BTreeSet::from([("handle", 1), ("list", 1), ("sum", 3)]));
    let (path, lines_ran) = tick["ran"].as_object().unwrap().iter().next().unwrap();
    assert!(path.ends_with("handlers.c"), "{path}");
    let numbers =
        lines_ran.as_array().unwrap().iter().flat_map(|run| run[0].as_u64().unwrap()..=run[1].as_u64().unwrap());
    // `else`, and what is behind `return -1`, have no counters: a call may wait before them.
    let is_certain = |line: &u64| ![9, 10, 26].contains(line);
    let wanted: BTreeSet<u64> = expected("list").into_iter().map(|(_, line)| line).filter(is_certain).collect();
    assert_eq!(numbers.collect::<BTreeSet<u64>>(), wanted);
    assert_eq!(tick["lines"]["covered"], tick["lines_since_mark"]["covered"]);
    assert_eq!(tick["lines"]["covered"], wanted.len() as u64);
    request(port, "quit");
    let last = ran.last().unwrap();
    assert!(last["files"].as_u64() >= Some(3), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(1), "a signal has ended the program");
}

/// Starts a program that waits for its input, below `profrt live --json`. What it writes to standard error is in the file `trace`.
fn waiting(dir: &Path, source: &str) -> (Child, mpsc::Sender<()>) {
    fs::write(dir.join("w.c"), source).unwrap();
    let clang = common::newest();
    let continuous = common::archive(&clang).with_file_name("profrt-continuous.o");
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", continuous.to_str().unwrap()];
    common::link(&clang, dir.join("w.c").to_str().unwrap(), &dir.join("w"), &flags);
    let mut command = profrt(dir);
    command.args([
        "live",
        "--json",
        "--interval",
        "0.02",
        "--outside",
        "--object",
        "w",
        "--",
        "sh",
        "-c",
        "exec ./w 2>trace",
    ]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    (child, common::limit("profrt live --json"))
}

/// While a call waits in the condition, `else` has no counter that says that it did not run.
#[needs("clang")]
fn what_a_call_waits_before_did_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdio.h>\nint main(void) {\n  if (getchar() == 'a')\n    puts(\"a\");\n  else\n    puts(\"b\");\n  return 0;\n}\n";
    let (mut child, _limit) = waiting(dir.path(), source);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next();
    let covered = |line: std::io::Result<String>| {
        serde_json::from_str::<Value>(&line.unwrap()).unwrap()["lines"]["covered"].as_u64().unwrap()
    };
    let mut covered = lines.map(covered).skip_while(|covered| *covered == 0);
    assert!(covered.by_ref().take(5).all(|covered| covered == 4), "lines 2, 3, 7 and 8");
    child.stdin.take().unwrap().write_all(b"b").unwrap();
    assert_eq!(covered.last(), Some(6), "and 5 and 6");
    assert!(child.wait().unwrap().success());
}

/// Takes letters, and writes the number of a line before it runs it. Nothing stands behind what waits in one block: it has its count.
const WAITING: &str = r#"#include <stdio.h>
#include <unistd.h>
static void run(int line) { char text[9]; write(2, text, snprintf(text, 9, "%d\n", line)); }
static int next(void) { char c; return read(0, &c, 1) == 1 ? c : 'q'; }
static int early(void) {
  if (next() == 'a')
    return 1;
  run(8);
  return 0;
}
static void choose(void) {
  if (next() == 'a')
    run(13);
  else if (next() == 'b')
    run(15);
  else
    run(17);
}
int main(void) {
  for (int c; (c = next()) != 'q';) {
    if (c == 'a')
      choose();
    else if (early() && next() == 'b')
      run(24);
    else
      run(26);
    next() == 'a'
      ? run(28)
      : run(29);
  }
}
"#;

/// At each of 200 moments the program waits, and what is said to have run has.
#[needs("clang")]
fn at_no_moment_has_a_line_run_that_has_not() {
    let dir = tempfile::tempdir().unwrap();
    let (mut child, _limit) = waiting(dir.path(), WAITING);
    let mut ticks = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    ticks.next();
    let (trace, lines) = (dir.path().join("trace"), 1..=31);
    let mut input = child.stdin.take().unwrap();
    let (mut said, mut random) = (BTreeSet::new(), 7u32);
    for moment in 0..200 {
        // What a tick says may be of the letter before.
        for tick in ticks.by_ref().take(2) {
            let tick: Value = serde_json::from_str(&tick.unwrap()).unwrap();
            let runs = tick["ran"].as_object().unwrap().values().flat_map(|runs| runs.as_array().unwrap().clone());
            said.extend(runs.flat_map(|run| run[0].as_u64().unwrap()..=run[1].as_u64().unwrap()));
        }
        let ran: BTreeSet<u64> =
            fs::read_to_string(&trace).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        let traced =
            |line: &u64| WAITING.lines().nth(*line as usize - 1).is_some_and(|text| text.contains("run(") && *line > 4);
        let wrong: Vec<u64> =
            lines.clone().filter(|line| said.contains(line) && traced(line) && !ran.contains(line)).collect();
        assert!(wrong.is_empty(), "at moment {moment} {wrong:?} have not run: {said:?}");
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        input.write_all(&[b"abc"[(random >> 16) as usize % 3]]).unwrap();
    }
    assert!(said.len() > 15, "{said:?}");
    drop(input);
    ticks.for_each(drop);
    assert!(child.wait().unwrap().success());
}

#[needs("clang")]
fn what_cannot_be_shown_is_said() {
    let place = Place::build();
    let says = |arguments: &[&str], wanted: &str| {
        let output = common::ended(profrt(place.dir()).env_remove("PROFRT_LIVE").args(arguments));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(wanted), "{arguments:?}: {error}");
    };
    says(&["mark", "a"], "PROFRT_LIVE is not set");
    says(&["live", "--object", "server.o"], "coverage mapping");
    says(&["live"], "--object");
    says(&["live", "--", "./absent"], "absent");
    let live = Live::start(&place, &["--object", "server", "--marks", "marks", "profiles"]);
    for name in ["a/b", ".a", "a\nb"] {
        let output = live.try_mark(&[name]);
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("cannot name a mark"));
    }
    // What is no profile is left out, and the others are read.
    fs::create_dir_all(place.dir().join("profiles")).unwrap();
    fs::File::create(place.dir().join("profiles/x.profraw")).unwrap().write_all(b"no profile at all").unwrap();
    live.mark(&["a"]);
    live.mark(&["a"]);
    live.mark(&[]);
    let names: BTreeSet<String> = fs::read_dir(place.dir().join("marks"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, BTreeSet::from(["a.profdata".to_owned(), "a-2.profdata".to_owned()]));
    assert!(live.end().contains("x.profraw is left out"));
}
