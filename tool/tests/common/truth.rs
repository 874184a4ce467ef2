//! Truth about a program that is known by hand, in its sources: `//= 3` at the end of a line says how often it ran, `//= -` that it has no code, `//= ?`
//! that the compiler has it wrong, or that both are right.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Returns the JSON of `profrt cov`.
pub fn report(dir: &Path, arguments: &[String]) -> Value {
    let output = super::profrt(dir).arg("cov").args(arguments).args(["--json", "-"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Notes the marked lines that have other counts.
pub fn check_lines(what: &str, report: &Value, sources: &[(&str, &str)], wrong: &mut Vec<String>) {
    for (name, text) in sources.iter().filter(|(_, text)| text.contains("//=")) {
        let files = report["files"].as_array().unwrap();
        let file = files.iter().find(|file| Path::new(file["path"].as_str().unwrap()).ends_with(name));
        let lines = file.unwrap_or_else(|| panic!("{what}: no {name} in {report:#}"))["lines"].as_array().unwrap();
        let counts: BTreeMap<u64, u64> =
            lines.iter().map(|line| (line[0].as_u64().unwrap(), line[1].as_u64().unwrap())).collect();
        for (number, line) in (1u64..).zip(text.lines()) {
            let Some((_, expected)) = line.rsplit_once("//= ") else { continue };
            let found = counts.get(&number).map_or("-".to_owned(), u64::to_string);
            if found != expected && expected != "?" {
                wrong.push(format!("{what}: {name}:{number}: {found}: {line}"));
            }
        }
    }
}
