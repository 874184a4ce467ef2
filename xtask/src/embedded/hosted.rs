//! Linux on other CPUs, under qemu-user: the archive with files, a program of clang's, the same counts and values as here.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::firmware::sources;
use super::{KINDS, Tools, tool};
use testkit::{dist, paths, run};

/// A kind of CPU.
pub struct System {
    /// Rustc's name, and clang's.
    pub target: &'static str,
    triple: &'static str,
    /// Debian's name, and QEMU's.
    debian: &'static str,
    qemu: &'static str,
}

#[rustfmt::skip]
pub const SYSTEMS: [System; 4] = [
    System { target: "i686-unknown-linux-gnu", triple: "i686-linux-gnu", debian: "i386", qemu: "qemu-i386" },
    System { target: "aarch64-unknown-linux-gnu", triple: "aarch64-linux-gnu", debian: "arm64", qemu: "qemu-aarch64" },
    System { target: "riscv64gc-unknown-linux-gnu", triple: "riscv64-linux-gnu", debian: "riscv64", qemu: "qemu-riscv64" },
    System { target: "s390x-unknown-linux-gnu", triple: "s390x-linux-gnu", debian: "s390x", qemu: "qemu-s390x" },
];

/// What was seen, in a line.
pub fn run(tools: &Tools<'_>, system: &System) -> Result<String> {
    let System { target, triple, debian, qemu } = *system;
    let root = format!("/usr/{triple}");
    tools.packages.programs(&[
        (&format!("{triple}-gcc"), &format!("gcc-{triple}")),
        (&format!("{root}/include/stdio.h"), &format!("libc6-dev-{debian}-cross")),
        (qemu, "qemu-user"),
    ])?;
    let archive = dist::devices::build(&tools.toolchain, tools.with_core, tools.clang.raw, target)?;
    for (name, instrumentation) in KINDS {
        let directory = paths::target().join("embedded/run").join(target).join(name);
        fs::create_dir_all(&directory)?;
        let (object, program) = (directory.join("subject.o"), directory.join("program"));
        let clang = || {
            let mut clang = Command::new(&tools.clang.clang);
            clang.current_dir(sources()).arg(format!("--target={triple}")).arg("-Os");
            clang
        };
        run::quiet(clang().args(instrumentation).args(["-c", "subject.c", "-o"]).arg(&object))?;
        let mut link = clang();
        link.arg("linux.c").arg("-I").arg(paths::root().join("runtime/include")).arg(&object);
        run::quiet(link.arg("-Wl,-u,__llvm_profile_runtime").arg(&archive).arg("-o").arg(&program))?;
        let profile = directory.join("raw.profraw");
        // What was there before is larger than a file may be for which 32-bit offsets are enough. (Not every file system has such files.)
        let _ = fs::File::create(&profile)?.set_len(3 << 30);
        let mut emulator = Command::new(qemu);
        emulator.args(["-L", &root]).arg(&program).env("LLVM_PROFILE_FILE", &profile);
        run::quiet(emulator.current_dir(&directory))?;
        let here = tools.here(target, name, instrumentation)?;
        let compare = || {
            here.same_counts(&profile, true)?;
            here.same_pages(&program, &profile)?;
            // Of this program the loader has moved most addresses.
            tool::same_rebuilt(&tools.profrt, &program, &profile)
        };
        compare().with_context(|| format!("instrumentation `{name}`"))?;
    }
    Ok(format!("the same counts, values and pages as here, also rebuilt of counters, under {qemu}"))
}
