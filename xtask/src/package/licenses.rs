//! The crates that the tool and the archives are linked with: their licenses, which stand in the packages together with those of the scripts in
//! the tool's pages, and a list of them beside the packages (an SBOM of CycloneDX).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use testkit::dist::compile;
use testkit::{paths, run};

/// How the names of files with licenses begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// What cargo knows of each crate that is no crate of the workspace, by its name and `v` with its version.
pub fn linked(triple: &str) -> Result<BTreeMap<String, Value>> {
    let metadata = run::stdout(compile::cargo().args(["metadata", "--format-version=1"]))?;
    let mut metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array_mut().context("cargo knows no packages")?.drain(..);
    // Those of the workspace come from no registry.
    let foreign = packages.filter(|package| package["source"].is_string());
    let named = |package: &Value| format!("{} v{}", word(&package["name"]), word(&package["version"]));
    let mut known: BTreeMap<String, Value> = foreign.map(|package| (named(&package), package)).collect();
    // `metadata` has the features of the whole workspace, and what only tests need.
    let mut cargo = compile::cargo();
    cargo.args(["tree", "--package=profrt-tool", "--package=profrt", "--edges=normal,no-proc-macro", "--prefix=none"]);
    // The archives are of this machine's target, the tool is of musl's.
    cargo.args(["--no-dedupe", "--target", triple, "--target", &triple.replace("-gnu", "-musl")]);
    let tree = run::stdout(&mut cargo)?;
    known.retain(|name, _| tree.lines().any(|line| line == name));
    Ok(known)
}

/// Returns name, version, license and license files of each crate, one after the other.
pub fn text(crates: &BTreeMap<String, Value>) -> Result<String> {
    let mut text = String::from("Crates that profrt is linked with, each with its license.\n");
    for (name, package) in crates {
        let license = package["license"].as_str().unwrap_or("see below");
        let _ = writeln!(text, "\n{}\n{name}: {license}", "=".repeat(80));
        let directory = Path::new(word(&package["manifest_path"])).parent().context("a manifest is in a directory")?;
        text += &files(directory)?;
    }
    let vendor = paths::root().join("tool/templates/cov/vendor");
    let _ = writeln!(text, "\n{}\nScripts in the pages of profrt", "=".repeat(80));
    text += &files(&vendor)?;
    Ok(text)
}

/// Returns the list of the crates, for whoever looks for one with a weakness.
pub fn sbom(crates: &BTreeMap<String, Value>, version: &str) -> String {
    let component = |package: &Value| {
        let (name, version) = (word(&package["name"]), word(&package["version"]));
        // Old crates separate licenses by `/`.
        let license = word(&package["license"]).replace('/', " OR ");
        json!({
            "type": "library", "name": name, "version": version, "purl": format!("pkg:cargo/{name}@{version}"),
            "licenses": [{ "expression": license }],
        })
    };
    let list = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": { "type": "application", "name": "profrt", "version": version } },
        "components": crates.values().map(component).collect::<Vec<_>>(),
    });
    format!("{list:#}\n")
}

/// The license files of a directory, sorted by name.
fn files(directory: &Path) -> Result<String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_license = NAMES.iter().any(|start| name.to_uppercase().starts_with(start));
        if is_license && entry.path().is_file() {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    let shown =
        |(file, bytes): (String, Vec<u8>)| format!("\n--- {file}\n\n{}\n", String::from_utf8_lossy(&bytes).trim_end());
    Ok(files.into_iter().map(shown).collect())
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
