//! `profrt cov`: its outputs as other programs read them.

use needs_macros::needs;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{newest, run};
use crate::programs;
use crate::programs::{Program, Ran, program, ran};
use serde_json::Value;

const FLAGS: &[&str] = &["-std=c++17", "-w", "-fcoverage-mcdc"];

/// Makes an output of a program with templates, lambdas, macros and decisions. Returns what `--json` says.
fn made(dir: &Path, outputs: &[&str]) -> Value {
    let clang = newest();
    programs::write_sources(dir);
    let first = ran(dir, clang.version, &Program { name: "mocks", ..program("", &["mocks.cpp", "mocked.cpp"], FLAGS) });
    let second = ran(dir, clang.version, &Program { name: "expanded", ..program("", &["expanded.c"], &FLAGS[1..]) });
    let mut cov = common::profrt(dir);
    cov.args(["cov", "--json", "o.json"]).args(outputs);
    for Ran { program, raw, .. } in [&first, &second] {
        cov.arg(raw).arg("--object").arg(program);
    }
    run(&mut cov);
    serde_json::from_slice(&fs::read(dir.join("o.json")).unwrap()).unwrap()
}

fn files(report: &Value) -> impl Iterator<Item = &Value> {
    report["files"].as_array().unwrap().iter()
}

/// Runs a program, which warns of nothing. Returns what it prints.
fn quiet(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let is_quiet = ["warning", "error", "unknown"].iter().all(|word| !text.to_lowercase().contains(word));
    assert!(output.status.success() && is_quiet, "{command:?}: {text}");
    text
}

#[needs("clang-22", "genhtml")]
fn lcov_and_genhtml_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let report = made(dir, &["--lcov", "o.info", "--lcov-1", "o1.info", "--lcov-2", "o2.info"]);
    let branches = ["--rc", "lcov_branch_coverage=1"];
    for file in ["o.info", "o1.info"] {
        let summary = quiet(Command::new("lcov").args(branches).args(["--summary", file]).current_dir(dir));
        let html = quiet(Command::new("genhtml").args(branches).args([file, "-o", "html"]).current_dir(dir));
        for part in ["lines", "functions", "branches"] {
            let total = &report["totals"][part];
            let expected = format!("({} of {} {part})", total["covered"], total["count"]);
            assert!(summary.contains(&expected) && html.contains(&expected), "{expected}: {summary}{html}");
        }
    }
    // What lcov 1 does not read, or reads wrongly.
    let [any, one, two] = ["o.info", "o1.info", "o2.info"].map(|file| fs::read_to_string(dir.join(file)).unwrap());
    assert_eq!([&any, &one, &two].map(|text| text.contains("\nMCDC:")), [true, false, true]);
    for function in files(&report).flat_map(|file| file["functions"].as_array().unwrap()) {
        let [line, last] = ["line", "last_line"].map(|part| function[part].as_u64().unwrap());
        assert!(two.contains(&format!("\nFN:{line},{last},")) && one.contains(&format!("\nFN:{line},")), "{function}");
    }
}

/// What programs of PyPI read.
#[test]
#[ignore = "cargo xtask test --all runs it"]
fn others_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let report = made(dir, &["--lcov-1", "o.info", "--cobertura", "o.xml", "--lcov", "mcdc.info"]);
    let [lines, branches] = ["lines", "branches"]
        .map(|part| ["count", "covered"].map(|number| report["totals"][part][number].as_u64().unwrap()));
    let json = |program: &str, arguments: &[&str], file: &str| -> Value {
        quiet(Command::new(program).args(arguments).current_dir(dir));
        serde_json::from_slice(&fs::read(dir.join(file)).unwrap()).unwrap()
    };
    let gcovr = json("gcovr", &["--cobertura-add-tracefile", "o.xml", "--json-summary", "gcovr.json"], "gcovr.json");
    let of_gcovr = ["line_total", "line_covered", "branch_total", "branch_covered"].map(|name| gcovr[name].as_u64());
    assert_eq!(of_gcovr, [lines[0], lines[1], branches[0], branches[1]].map(Some));

    // To it a line did not run if a side of its branches did not.
    let sides = |file: &Value| {
        let mut sides = BTreeMap::<u64, [u64; 2]>::new();
        for branch in file["branches"].as_array().unwrap() {
            let [all, ran] = sides.entry(branch["range"][0].as_u64().unwrap()).or_default();
            for count in branch["counts"].as_array().unwrap().iter().filter_map(Value::as_u64) {
                (*all, *ran) = (*all + 1, *ran + u64::from(count > 0));
            }
        }
        let has_run = |line: &u64| file["lines"].as_array().unwrap().iter().any(|one| one[0] == *line && one[1] != 0);
        sides.into_iter().filter(|(line, [all, ran])| ran < all && has_run(line)).count() as u64
    };
    let partial: u64 = files(&report).map(sides).sum();
    let pycobertura = json("pycobertura", &["show", "o.xml", "--format=json", "--output=py.json"], "py.json");
    let total = &pycobertura["total"];
    assert_eq!([&total["Stmts"], &total["Miss"]], [lines[0], lines[0] - lines[1] + partial], "{total}");

    quiet(Command::new("lcov_cobertura").args(["o.info", "-o", "of_lcov.xml"]).current_dir(dir));
    let of_lcov = fs::read_to_string(dir.join("of_lcov.xml")).unwrap();
    for (name, number) in [
        ("lines-valid", lines[0]),
        ("lines-covered", lines[1]),
        ("branches-valid", branches[0]),
        ("branches-covered", branches[1]),
    ] {
        assert!(of_lcov.contains(&format!(" {name}=\"{number}\"")), "{name} {number}: {of_lcov}");
    }

    // All lines are new.
    let git = |arguments: &[&str]| {
        let names = ["-c", "user.name=a", "-c", "user.email=a@b"];
        run(Command::new("git").args(names).args(arguments).current_dir(dir));
    };
    git(&["init", "-q"]);
    for file in files(&report) {
        let path = dir.join(file["path"].as_str().unwrap());
        let text = fs::read(&path).unwrap();
        fs::write(&path, "").unwrap();
        git(&["add", path.to_str().unwrap()]);
        fs::write(&path, text).unwrap();
    }
    git(&["commit", "-q", "-m", "empty"]);
    for file in ["o.info", "o.xml"] {
        let arguments = [file, "--compare-branch=HEAD", "--format=json:diff.json"];
        let diff = json("diff-cover", &arguments, "diff.json");
        assert_eq!(
            [&diff["total_num_lines"], &diff["total_num_violations"]],
            [lines[0], lines[0] - lines[1]],
            "{file}"
        );
    }
    let mut mcdc = Command::new("diff-cover");
    let mcdc = mcdc.args(["mcdc.info", "--compare-branch=HEAD"]).current_dir(dir).output().unwrap();
    assert!(!mcdc.status.success(), "it reads MC/DC, and --lcov-1 has no need of its own");
}

/// What SonarQube's documents say of its generic coverage, as RELAX NG.
const SONAR: &str = r#"<element name="coverage" xmlns="http://relaxng.org/ns/structure/1.0"
    datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <attribute name="version"><data type="positiveInteger"/></attribute>
  <zeroOrMore><element name="file">
    <attribute name="path"/>
    <zeroOrMore><element name="lineToCover">
      <attribute name="lineNumber"><data type="positiveInteger"/></attribute>
      <attribute name="covered"><data type="boolean"/></attribute>
      <optional><attribute name="branchesToCover"><data type="nonNegativeInteger"/></attribute></optional>
      <optional><attribute name="coveredBranches"><data type="nonNegativeInteger"/></attribute></optional>
    </element></zeroOrMore>
  </element></zeroOrMore>
</element>"#;

#[needs("clang-22", "xmllint")]
fn sonar_has_lines_and_branches() {
    let dir = tempfile::tempdir().unwrap();
    let report = made(dir.path(), &["--sonar", "o.xml"]);
    let text = fs::read_to_string(dir.path().join("o.xml")).unwrap();
    assert!(text.starts_with("<coverage version=\"1\">\n<file path=\"") && text.ends_with("</file>\n</coverage>\n"));
    let sum = |name: &str| -> u64 {
        let numbers = text.split(name).skip(1).filter_map(|rest| rest.split('"').nth(1)?.parse::<u64>().ok());
        numbers.sum()
    };
    let count = |text_of: &str| text.matches(text_of).count() as u64;
    let totals = &report["totals"];
    assert_eq!(
        [count("<lineToCover "), count("covered=\"true\"")],
        ["count", "covered"].map(|name| totals["lines"][name].as_u64().unwrap())
    );
    let branches = ["count", "covered"].map(|name| totals["branches"][name].as_u64().unwrap());
    assert_eq!([sum("branchesToCover="), sum("coveredBranches=")], branches);
    fs::write(dir.path().join("sonar.rng"), SONAR).unwrap();
    fs::write(dir.path().join("wrong.xml"), text.replacen("lineNumber=", "number=", 1)).unwrap();
    let lint = |file| {
        let mut lint = Command::new("xmllint");
        lint.args(["--noout", "--nonet", "--relaxng", "sonar.rng", file]).current_dir(dir.path());
        lint
    };
    quiet(&mut lint("o.xml"));
    assert!(!lint("wrong.xml").output().unwrap().status.success(), "nothing is checked");
}

/// Cobertura's document type, version 04: elements with what they contain, and their attributes, `?` those that may be absent.
const COBERTURA: [(&str, &str, &str); 12] = [
    (
        "coverage",
        "(sources?, packages)",
        "line-rate branch-rate lines-covered lines-valid branches-covered branches-valid complexity version timestamp",
    ),
    ("sources", "(source*)", ""),
    ("source", "(#PCDATA)", ""),
    ("packages", "(package*)", ""),
    ("package", "(classes)", "name line-rate branch-rate complexity"),
    ("classes", "(class*)", ""),
    ("class", "(methods, lines)", "name filename line-rate branch-rate complexity"),
    ("methods", "(method*)", ""),
    ("method", "(lines)", "name signature line-rate branch-rate complexity"),
    ("lines", "(line*)", ""),
    ("line", "(conditions*)", "number hits branch? condition-coverage?"),
    ("conditions", "EMPTY", ""),
];

#[needs("clang-22", "xmllint")]
fn cobertura_has_its_document_type() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let report = made(dir, &["--cobertura", "o.xml"]);
    let mut types = String::new();
    for (element, content, attributes) in COBERTURA {
        types += &format!("<!ELEMENT {element} {content}>\n");
        for attribute in attributes.split_whitespace() {
            let (name, use_) = attribute.strip_suffix('?').map_or((attribute, "#REQUIRED"), |name| (name, "#IMPLIED"));
            types += &format!("<!ATTLIST {element} {name} CDATA {use_}>\n");
        }
    }
    fs::write(dir.join("types.dtd"), types).unwrap();
    let text = fs::read_to_string(dir.join("o.xml")).unwrap();
    let lines: usize = files(&report).map(|file| file["lines"].as_array().unwrap().len()).sum();
    assert_eq!(text.matches("<line ").count(), lines, "each once");
    let check = |name: &str, text: &str| {
        // Not the one of the Internet.
        let text = text.replace("http://cobertura.sourceforge.net/xml/coverage-04.dtd", "types.dtd");
        fs::write(dir.join(name), text).unwrap();
        let mut lint = Command::new("xmllint");
        lint.args(["--noout", "--nonet", "--valid", name]).current_dir(dir);
        lint
    };
    quiet(&mut check("local.xml", &text));
    let mut wrong = check("wrong.xml", &text.replacen("hits=", "times=", 1));
    assert!(!wrong.output().unwrap().status.success(), "nothing is checked");
}
