//! Firmware in Rust: no C compiler, no C names but the one that instrumented code asks for.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Tools;
use testkit::toolchain::rust::with_std;
use testkit::{paths, run};

const TARGET: &str = "thumbv7m-none-eabi";

/// What llvm-profdata shows of it: of its 100 numbers 34 are multiples of 3, none is 1000, and 3 of the rest are below 5; of the other
/// 63 none is above 199, and 33 are above 49.
const EXPECTED: [&str; 2] =
    ["Function count: 100\n    Block counts: [34, 0, 3]", "Function count: 63\n    Block counts: [0, 33]"];

/// And a line of its page.
const LINE: &str = "|    100|fn subject(n: u32)";

/// What docs/BARE-METAL.md says after cargo's own words, but for the clang that is installed: rustc's flags, and the commands that follow.
fn documented(version: u32) -> Result<(Vec<String>, String)> {
    let path = paths::root().join("docs/BARE-METAL.md");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let begin = format!("    RUSTC_BOOTSTRAP=1 cargo rustc --release --target {TARGET} -- ");
    let rest = text.split_once(&begin).with_context(|| format!("docs/BARE-METAL.md has no `{begin}`"))?.1;
    let block = rest.split("\n\n").next().unwrap_or_default();
    let block = block.replace("\\\n", " ").replace("-22", &format!("-{version}"));
    let (flags, commands) = block.split_once('\n').context("docs/BARE-METAL.md does not run it")?;
    // Cargo's target directory is another one here.
    Ok((flags.split_whitespace().map(str::to_owned).collect(), commands.replace("ELF=target/", "ELF=")))
}

/// Builds and runs it.
pub fn run(tools: &Tools<'_>) -> Result<String> {
    let directory = paths::target().join("embedded/rust");
    let (flags, commands) = documented(tools.clang.version)?;
    let mut cargo = tools.toolchain.cargo("embedded/rust");
    cargo.current_dir(paths::root().join("linker-scripts/examples/rust-firmware")).env("RUSTC_BOOTSTRAP", "1");
    cargo.args(["rustc", "--quiet", "--release", "--target", TARGET]);
    with_std(&mut cargo, tools.with_core, "core");
    cargo.arg("--").args(flags);
    // A C compiler that fails: nothing may need one.
    cargo.env(format!("CC_{}", TARGET.replace('-', "_")), "/bin/false");
    run::quiet(&mut cargo)?;
    let profile = directory.join("raw.profraw");
    let _ = fs::remove_file(&profile);
    let mut shell = Command::new("timeout");
    shell.current_dir(&directory).args(["60", "sh", "-euc", &commands]).stdin(Stdio::null());
    let page = run::stdout(&mut shell).context("the firmware in Rust")?;
    ensure!(page.contains(LINE), "`{LINE}` is missing in the page\n{page}");
    let mut show = Command::new(&tools.clang.profdata);
    let text = run::stdout(show.args(["show", "--all-functions", "--counts"]).arg(&profile))?;
    for expected in EXPECTED {
        ensure!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    Ok("firmware in Rust without a C compiler: its counts are exact".to_owned())
}
