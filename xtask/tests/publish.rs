//! What a registry asks of the published crates. That they build from what is packed of them, `cargo xtask test portable` shows.

use serde_json::Value;
use testkit::dist::compile::cargo;
use testkit::run;
use xtask::package::CRATES;

/// What does not belong into a crate: pictures, pages that are compared, documents of other parts.
const FOREIGN: [&str; 5] = ["docs/", "tests/", "target/", ".png", ".profraw"];

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn manifests_have_what_a_registry_asks_for() {
    let metadata = run::stdout(cargo().args(["metadata", "--no-deps", "--format-version=1"])).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let mut published = Vec::new();
    for package in list(&metadata, "packages").iter().filter(|package| package["publish"].is_null()) {
        let name = package["name"].as_str().unwrap();
        let place = CRATES.iter().position(|known| *known == name);
        published.extend(place);
        for field in ["description", "license", "repository", "rust_version"] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        let here = list(package, "dependencies").iter().filter(|of| of["path"].is_string() && of["kind"] != "dev");
        for dependency in here {
            let on = dependency["name"].as_str().unwrap();
            let version = format!("^{}", package["version"].as_str().unwrap());
            assert_eq!(dependency["req"].as_str(), Some(&*version), "{name} needs {on} of the same release");
            assert!(CRATES.iter().position(|known| *known == on) < place, "{on} is published before {name}");
        }
    }
    published.sort_unstable();
    assert_eq!(published, Vec::from_iter(0..CRATES.len()));
}

#[test]
fn crates_carry_their_licenses_and_nothing_of_others() {
    for name in CRATES {
        let files = run::stdout(cargo().args(["package", "--allow-dirty", "--list", "--package", name])).unwrap();
        let has = |file: &str| files.lines().any(|line| line == file);
        assert!(has("LICENSE-APACHE") && has("LICENSE-MIT"), "{name}: {files}");
        let is_foreign = |file: &&str| FOREIGN.iter().any(|part| file.starts_with(part) || file.ends_with(part));
        let foreign: Vec<&str> = files.lines().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "{name}: {foreign:?}");
    }
}
