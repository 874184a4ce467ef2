//! The commands of docs/BARE-METAL.md, as they stand there.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use testkit::{paths, run};

/// Runs them in a shell, and looks at the page in the end.
pub fn run(version: u32) -> Result<()> {
    let text =
        fs::read_to_string(paths::root().join("docs/BARE-METAL.md")).context("cannot read docs/BARE-METAL.md")?;
    let section = text.split("## In ten minutes").nth(1).context("docs/BARE-METAL.md has no tour")?;
    let block =
        section.lines().skip_while(|line| !line.starts_with("    ")).take_while(|line| line.starts_with("    "));
    // Here the clang that is installed; and cargo's target directory, which may be another one.
    let commands: Vec<String> = block.map(|line| line.trim_start().replace("-22", &format!("-{version}"))).collect();
    let commands = commands.join("\n").replace("$PWD/target/", "$TARGET/").replace(" target/t", " $TARGET/t");
    let mut shell = Command::new("sh");
    shell.current_dir(paths::root()).env("TARGET", paths::target()).args(["-euc", &commands]);
    let _ = fs::remove_dir_all(paths::target().join("tour"));
    let page = run::stdout(&mut shell).context("the commands of docs/BARE-METAL.md fail")?;
    ensure!(page.contains("|    100|"), "the page of docs/BARE-METAL.md has no counts:\n{page}");
    Ok(())
}
