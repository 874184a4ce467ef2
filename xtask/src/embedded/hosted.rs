//! Linux on other CPUs, under qemu-user: the archive with files, a program of clang's, the same counts and values as here.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::firmware::sources;
use super::{KINDS, Tools, counts, host_directory};
use testkit::{dist, paths, run};

/// A kind of CPU, and what it takes.
pub struct System {
    /// Rustc's name, and clang's.
    pub target: &'static str,
    triple: &'static str,
    /// The C compiler, and the C library.
    packages: [&'static str; 2],
    /// What runs programs.
    qemu: &'static str,
}

pub const SYSTEMS: [System; 4] = [
    System {
        target: "i686-unknown-linux-gnu",
        triple: "i686-linux-gnu",
        packages: ["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
        qemu: "qemu-i386",
    },
    System {
        target: "aarch64-unknown-linux-gnu",
        triple: "aarch64-linux-gnu",
        packages: ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        qemu: "qemu-aarch64",
    },
    System {
        target: "riscv64gc-unknown-linux-gnu",
        triple: "riscv64-linux-gnu",
        packages: ["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
        qemu: "qemu-riscv64",
    },
    System {
        target: "s390x-unknown-linux-gnu",
        triple: "s390x-linux-gnu",
        packages: ["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
        qemu: "qemu-s390x",
    },
];

/// What was seen, in a line; or the command without whose effect nothing can be.
pub fn run(tools: &Tools<'_>, system: &System) -> Result<Result<String, String>> {
    let System { target, triple, packages, qemu } = *system;
    let there = paths::find_program(&format!("{triple}-gcc")).is_some() && paths::find_program(qemu).is_some();
    ensure!(there, "missing: apt-get install {} {} qemu-user", packages[0], packages[1]);
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
        // What was there before is larger than a file may be for which 32-bit offsets are enough. (Not every file system has such files.)
        let _ = fs::File::create(&profile)?.set_len(3 << 30);
        let mut emulator = Command::new(qemu);
        emulator.args(["-L", &format!("/usr/{triple}")]).arg(&program).env("LLVM_PROFILE_FILE", &profile);
        run::quiet(emulator.current_dir(&directory))?;
        let here = counts::here(tools.clang, instrumentation, &host_directory(target, name))?;
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
    Ok(Ok(format!("the same counts, values and pages as here, also rebuilt of counters, under {qemu}")))
}
