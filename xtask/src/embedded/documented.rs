//! The commands of docs/BARE-METAL.md, as they stand there.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Tools, USUAL};
use testkit::toolchain::rust::with_std;
use testkit::{paths, run};

/// Of the firmware in Rust: of its 100 numbers 34 are multiples of 3, none is 1000, and 3 of the rest are below 5; of the other 63 none is
/// above 199, and 33 are above 49.
const COUNTS: [&str; 3] =
    ["FNDA:100,", "Function count: 100\n    Block counts: [34, 0, 3]", "Function count: 63\n    Block counts: [0, 33]"];

const LINES: &str = "profrt cov raw.profraw --object $ELF --lcov -";

/// The first block of commands after these words of the document, for this release of clang.
fn commands(after: &str, version: u32) -> Result<String> {
    let text = fs::read_to_string(paths::root().join("docs/BARE-METAL.md"))?;
    let rest = text.split(after).nth(1).with_context(|| format!("docs/BARE-METAL.md has no `{after}`"))?;
    let block = rest.lines().skip_while(|line| !line.starts_with("    ")).take_while(|line| line.starts_with("    "));
    let lines: Vec<&str> = block.map(str::trim_start).collect();
    Ok(lines.join("\n").replace("-22", &format!("-{version}")))
}

/// Firmware in C: from the archive to a page.
pub fn in_c(tools: &Tools<'_>) -> Result<()> {
    let commands = commands("## In ten minutes", tools.clang.version)?;
    // Not another build of what the tests have built.
    let commands = commands.replace("--package profrt-tool", "--package profrt-tool --package unified");
    // Cargo's target directory may be another one.
    let commands = commands.replace("$PWD/target/", "$TARGET/").replace(" target/t", " $TARGET/t");
    let _ = fs::remove_dir_all(paths::target().join("tour"));
    let mut shell = Command::new("sh");
    shell.current_dir(paths::root()).env("TARGET", paths::target()).args(["-euc", &commands]);
    let table = run::stdout(&mut shell)?;
    let has_page = paths::target().join("tour/coverage.html").exists();
    ensure!(has_page && table.contains("subject.c"), "no page, or not the table of docs/BARE-METAL.md:\n{table}");
    Ok(())
}

/// Firmware in Rust: no C compiler, no C names but the one that instrumented code asks for.
pub fn in_rust(tools: &Tools<'_>) -> Result<()> {
    let commands = commands("Build and run it in its directory:", tools.clang.version)?;
    let commands = commands.replace("ELF=target/", "cd $CARGO_TARGET_DIR; ELF=");
    let mut cargo = tools.toolchain.cargo("embedded/rust");
    with_std(&mut cargo, tools.with_core, "core");
    let cargo_is = format!("cargo() {{ {} \"$@\"; }}", run::shown(&cargo));
    let counts = format!("llvm-profdata-{} show --all-functions --counts raw.profraw", tools.clang.version);
    let tool = crate::package::everyday()?;
    let path_is = format!("PATH={}:$PATH", tool.parent().context("the tool has a directory")?.display());
    let mut shell = Command::new("sh");
    shell.args(["-euc", &[&path_is, &cargo_is, &commands, &counts, LINES].join("\n")]);
    for (name, value) in cargo.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    // A C compiler that fails: nothing may need one.
    shell.env("RUSTC_BOOTSTRAP", "1").env(format!("CC_{}", USUAL.replace('-', "_")), "/bin/false");
    let text = run::stdout(shell.current_dir(paths::root().join("linker-scripts/examples/rust-firmware")))?;
    for expected in COUNTS {
        ensure!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    Ok(())
}
