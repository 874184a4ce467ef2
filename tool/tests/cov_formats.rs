//! `profrt cov`: its outputs as other programs read them.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{newest, run};
use crate::programs;
use crate::programs::{Program, Ran, program, ran};
use serde_json::Value;

const FLAGS: &[&str] = &["-std=c++17", "-w", "-fcoverage-mcdc"];

/// Makes an output of a program with templates, lambdas, macros and decisions.
fn made(dir: &Path, outputs: &[&str]) {
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
    made(dir, &["--lcov", "o.info"]);
    let branches = ["--rc", "lcov_branch_coverage=1"];
    let summary = quiet(Command::new("lcov").args(branches).args(["--summary", "o.info"]).current_dir(dir));
    let html = quiet(Command::new("genhtml").args(branches).args(["o.info", "-o", "html"]).current_dir(dir));
    let report: Value = serde_json::from_slice(&fs::read(dir.join("o.json")).unwrap()).unwrap();
    for part in ["lines", "functions", "branches"] {
        let total = &report["totals"][part];
        let expected = format!("({} of {} {part})", total["covered"], total["count"]);
        assert!(summary.contains(&expected) && html.contains(&expected), "{expected}: {summary}{html}");
    }
    // What lcov 1 does not read.
    assert!(fs::read_to_string(dir.join("o.info")).unwrap().contains("\nMCDC:"));
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
    made(dir, &["--cobertura", "o.xml"]);
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
