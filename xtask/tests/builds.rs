//! What the tests build is what `cargo xtask`, the tool and the wheel are made of: see `xtask/unified`.

use std::collections::BTreeSet;

use testkit::dist::compile::cargo;
use testkit::run;

/// Crates with their features, as cargo builds them for these packages.
fn crates(packages: &[&str]) -> BTreeSet<String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--offline", "--prefix=none", "--format={p} {f}"]).args(packages);
    let text = run::stdout(&mut tree).unwrap();
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn one_build_for_all() {
    let tests = crates(&["--workspace", "--exclude=profrt-python"]);
    for packages in [
        &["--package=xtask"][..],
        &["--package=profrt-tool", "--package=unified"],
        &["--package=profrt-python", "--features=unified"],
    ] {
        let own = crates(&[packages, &["--edges=no-dev"]].concat());
        assert!(own.len() > 50, "{packages:?}: {own:?}");
        // What the wheel alone has is built for it alone.
        let names: BTreeSet<&str> = tests.iter().filter_map(|line| line.split(' ').next()).collect();
        let shared = own.iter().filter(|line| line.split(' ').next().is_some_and(|name| names.contains(name)));
        let others: Vec<&String> = shared.filter(|line| !tests.contains(*line)).collect();
        assert!(others.is_empty(), "{packages:?} have other features than the tests: {others:#?}");
    }
}
