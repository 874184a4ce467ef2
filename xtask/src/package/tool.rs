//! The tool as one static file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use object::Object;

use testkit::dist::compile;
use testkit::toolchain::Packages;
use testkit::toolchain::rust::{Toolchain, find, with_std};
use testkit::{paths, run, target};

/// The C library of a static program.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Static {
    /// musl: needs musl-gcc, and rustc's musl target or the sources of its standard library
    #[default]
    Musl,
    /// glibc: needs nothing else
    Glibc,
}

/// The directory below ours that cargo builds in.
const DIRECTORY: &str = "package-build";

/// Builds `profrt`, and returns where it is.
pub fn build(libc: Static, packages: Packages) -> Result<PathBuf> {
    let mut flags = vec!["-Ctarget-feature=+crt-static".to_owned()];
    let (mut cargo, triple) = match libc {
        Static::Musl => {
            let (toolchain, builds_std, triple) = musl(packages).context("--libc glibc needs nothing of it")?;
            let mut cargo = toolchain.cargo(DIRECTORY);
            cargo.arg("build");
            with_std(&mut cargo, builds_std, "std,panic_abort");
            if builds_std {
                flags.extend(without_rustup()?);
            }
            let name = triple.replace('-', "_");
            cargo.env(format!("CC_{name}"), "musl-gcc");
            cargo.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), "musl-gcc");
            (cargo, triple)
        }
        Static::Glibc => {
            let mut cargo = compile::cargo();
            cargo.arg("build").env("CARGO_TARGET_DIR", paths::target().join(DIRECTORY)).env("LIBZ_SYS_STATIC", "1");
            (cargo, target::host())
        }
    };
    cargo.args(["--locked", "--package", "profrt-tool", "--bin", "profrt", "--profile", "tool"]);
    cargo.args(["--target", &triple]).env("CARGO_ENCODED_RUSTFLAGS", compile::flags(&flags));
    run::run(&mut cargo)?;
    let program = paths::target().join(DIRECTORY).join(&triple).join("tool/profrt");
    check(&program)?;
    Ok(program)
}

/// The tool of everyday builds, with the features that `cargo test --workspace` has, so that it is not all built once more.
pub fn everyday() -> Result<PathBuf> {
    let arguments = ["build", "--quiet", "--workspace", "--bin=profrt"];
    run::quiet(compile::cargo().args(arguments)).context("profrt cannot be built")?;
    Ok(paths::target().join("debug/profrt"))
}

/// Returns the toolchain for static programs of musl, whether it has to build the standard library, and its target.
pub fn musl(packages: Packages) -> Result<(Toolchain, bool, String)> {
    let triple = target::host().replace("-gnu", "-musl");
    packages.require(&["musl-gcc"])?;
    let (toolchain, builds_std) = find(&[&triple], packages)?;
    Ok((toolchain, builds_std, triple))
}

/// What the standard library asks of an unwinder for a backtrace.
const UNWINDER: [&str; 10] = [
    "FindEnclosingFunction",
    "GetCFA",
    "GetDataRelBase",
    "GetIP",
    "GetIPInfo",
    "GetLanguageSpecificData",
    "GetRegionStart",
    "GetTextRelBase",
    "SetGR",
    "SetIP",
];

/// What rustup's target brings, and a standard library that cargo builds does not: the first objects of a program, which musl-gcc adds, and an
/// unwinder. GCC's crashes in a static program of musl, and the tool takes a backtrace with each error where `RUST_BACKTRACE` is set; so this
/// one has no frames. (A panic aborts.) Debian's musl-gcc makes no position-independent static programs.
fn without_rustup() -> Result<Vec<String>> {
    let directory = paths::target().join(DIRECTORY).join("no-unwinder");
    fs::create_dir_all(&directory)?;
    let [source, object, library] = ["none.c", "none.o", "libunwind.a"].map(|name| directory.join(name));
    let never_called = UNWINDER.map(|name| format!("long _Unwind_{name}(void) {{ return 0; }}\n"));
    // 5 is the end of the stack.
    fs::write(&source, format!("int _Unwind_Backtrace(void) {{ return 5; }}\n{}", never_called.concat()))?;
    run::quiet(Command::new("musl-gcc").args(["-O2", "-c"]).arg(&source).arg("-o").arg(&object))?;
    run::quiet(Command::new("ar").arg("-rcD").arg(&library).arg(&object))?;
    let search = format!("-Lnative={}", directory.display());
    Ok(vec!["-Clink-self-contained=no".into(), "-Crelocation-model=static".into(), search])
}

/// Checks that a program runs, also where an error would take a backtrace, and needs no other file.
fn check(program: &Path) -> Result<()> {
    run::quiet(Command::new(program).arg("--version"))?;
    let error = Command::new(program).args(["show", "/missing"]).env("RUST_BACKTRACE", "1").output()?;
    if error.status.code() != Some(2) || error.stderr.is_empty() {
        bail!("{} ends with {} where it should report an error", program.display(), error.status);
    }
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let elf = object::File::parse(&*bytes)?;
    if elf.imports()?.next().is_some() || elf.section_by_name(".interp").is_some() {
        bail!("{} needs shared libraries", program.display());
    }
    Ok(())
}
