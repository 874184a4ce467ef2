//! The licenses of the crates that the tool is linked with, and of the scripts in its pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use testkit::dist::compile;
use testkit::{paths, run};

/// How the names of files with licenses begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Returns name, version, license and license files of each crate that is no crate of the workspace, one after the other.
pub fn text(triple: &str) -> Result<String> {
    let mut cargo = compile::cargo();
    cargo.args(["metadata", "--format-version=1", "--filter-platform", triple]);
    let metadata: Value = serde_json::from_str(&run::stdout(&mut cargo)?)?;
    let packages = list(&metadata["packages"]);
    let by_id: BTreeMap<&str, &Value> = packages.iter().map(|package| (word(&package["id"]), package)).collect();
    let tool = packages.iter().find(|package| package["name"] == "profrt-tool");
    let tool = word(&tool.context("cargo knows no package profrt-tool")?["id"]);
    let mut linked = BTreeMap::new();
    for id in linked_ids(&metadata, tool) {
        let package = by_id.get(id).context("cargo has resolved a package that it does not know")?;
        // Those of the workspace come from no registry.
        if package["source"].is_string() {
            linked.insert((word(&package["name"]), word(&package["version"])), *package);
        }
    }
    let mut text = String::from("Crates that profrt is linked with, each with its license.\n");
    for ((name, version), package) in linked {
        let license = package["license"].as_str().unwrap_or("see below");
        let _ = writeln!(text, "\n{}\n{name} {version}: {license}", "=".repeat(80));
        let directory = Path::new(word(&package["manifest_path"])).parent().context("a manifest is in a directory")?;
        for (file, content) in files(directory)? {
            let _ = writeln!(text, "\n--- {file}\n\n{}", content.trim_end());
        }
    }
    let vendor = paths::root().join("tool/templates/cov/vendor");
    let _ = writeln!(text, "\n{}\nScripts in the pages of profrt", "=".repeat(80));
    for (file, content) in files(&vendor)? {
        let _ = writeln!(text, "\n--- {file}\n\n{}", content.trim_end());
    }
    Ok(text)
}

/// The packages that are linked into a package: itself, and what it and those depend on other than for tests and builds.
fn linked_ids<'a>(metadata: &'a Value, root: &'a str) -> BTreeSet<&'a str> {
    let nodes = list(&metadata["resolve"]["nodes"]);
    let of: BTreeMap<&str, &Value> = nodes.iter().map(|node| (word(&node["id"]), node)).collect();
    let (mut found, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(id) = open.pop() {
        if found.insert(id) {
            let dependencies = of.get(id).map_or(&[][..], |node| list(&node["deps"]));
            let is_linked =
                |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            open.extend(dependencies.iter().filter(is_linked).map(|dependency| word(&dependency["pkg"])));
        }
    }
    found
}

/// The license files of a crate, sorted by name.
fn files(directory: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_license = NAMES.iter().any(|start| name.to_uppercase().starts_with(start));
        if is_license && entry.path().is_file() {
            let bytes = fs::read(entry.path())?;
            files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(files)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
