//! Linux on other CPUs, under qemu-user: the archive with files, a program of clang's, the same counts and values as here.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::firmware::sources;
use super::{KINDS, Tools, counts, host_directory};
use crate::toolchain::offer;
use crate::{dist, paths, run};

/// Rustc's target, clang's, the package of the C compiler, that of the C library, and what runs programs.
const SYSTEMS: [(&str, &str, [&str; 2], &str); 4] = [
    ("i686-unknown-linux-gnu", "i686-linux-gnu", ["gcc-i686-linux-gnu", "libc6-dev-i386-cross"], "qemu-i386"),
    (
        "aarch64-unknown-linux-gnu",
        "aarch64-linux-gnu",
        ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        "qemu-aarch64",
    ),
    (
        "riscv64gc-unknown-linux-gnu",
        "riscv64-linux-gnu",
        ["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
        "qemu-riscv64",
    ),
    ("s390x-unknown-linux-gnu", "s390x-linux-gnu", ["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"], "qemu-s390x"),
];

/// The targets whose name contains `filter`.
pub fn targets(filter: &str) -> Vec<&'static str> {
    SYSTEMS.iter().map(|(target, ..)| *target).filter(|target| target.contains(filter)).collect()
}

/// Runs those whose name contains `filter`, and says what was left out. `done`, `absent`: the targets that were run, and were not.
pub fn run(
    tools: &Tools<'_>,
    filter: &str,
    done: &mut Vec<&'static str>,
    absent: &mut Vec<&'static str>,
) -> Result<()> {
    for (target, triple, packages, qemu) in SYSTEMS {
        if !target.contains(filter) {
            continue;
        }
        let there = paths::find_program(&format!("{triple}-gcc")).is_some() && paths::find_program(qemu).is_some();
        if !there && let Err(command) = offer(&[packages[0], packages[1], "qemu-user"]) {
            println!("  {target:<30} left out; `{command}` brings what it needs");
            absent.push(target);
            continue;
        }
        let archive = dist::devices::build(&tools.toolchain, tools.with_core, tools.clang.raw, target)?;
        for (name, instrumentation) in KINDS {
            let directory = paths::target().join("embedded/run").join(target).join(name);
            fs::create_dir_all(&directory)?;
            let (object, program) = (directory.join("subject.o"), directory.join("program"));
            let mut compile = Command::new(&tools.clang.clang);
            compile.current_dir(sources()).arg(format!("--target={triple}")).args(["-Os", "-c", "subject.c", "-o"]);
            run::quiet(compile.arg(&object).args(instrumentation))?;
            let mut link = Command::new(&tools.clang.clang);
            link.current_dir(sources()).arg(format!("--target={triple}")).args(["-Os", "linux.c", "-o"]).arg(&program);
            link.arg("-I")
                .arg(paths::root().join("runtime/include"))
                .arg(&object)
                .arg("-Wl,-u,__llvm_profile_runtime")
                .arg(&archive);
            run::quiet(&mut link)?;
            let profile = directory.join("raw.profraw");
            let mut emulator = Command::new(qemu);
            emulator.args(["-L", &format!("/usr/{triple}")]).arg(&program).env("LLVM_PROFILE_FILE", &profile);
            run::quiet(emulator.current_dir(&directory))?;
            let here = counts::here(tools.clang, instrumentation, &host_directory(name))?;
            let [expected, found] = [&here.profile, &profile].map(|raw| counts::shown(tools.clang, raw, true));
            counts::compare(target, &expected?, &found?).context(name)?;
            if instrumentation.contains(&"-fcoverage-mapping") {
                let expected = counts::coverage(tools.clang, &here.program, &here.profile)?;
                let found = counts::coverage(tools.clang, &program, &profile)?;
                counts::compare("pages of llvm-cov", &expected, &found).with_context(|| format!("{target}, {name}"))?;
            }
            // Of this program the loader has moved most addresses.
            let rebuilt = tools.profrt.rebuild(&program, &directory.join("counters.bin")).context(name)?;
            let same = fs::read(&profile)? == fs::read(&rebuilt)?;
            ensure!(same, "{target}, instrumentation `{name}`: counters and ELF file make another profile");
        }
        println!("  {target:<30} the same counts, values and pages as here, also rebuilt of counters, under {qemu}");
        done.push(target);
    }
    Ok(())
}
