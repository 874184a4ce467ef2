//! `cargo xtask embedded`: firmware in C, instrumented by clang, linked with our archive and linker fragment and run in QEMU, for
//! each kind of CPU; its counts must be those of the same code on this machine.

mod counts;
mod device;
mod faults;
mod firmware;
mod fragments;
mod hosted;
mod rust;
pub mod sizes;
mod tool;
mod tour;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use device::{DEVICES, Device, STACK};
use firmware::{Firmware, Said};
use hosted::System;
use testkit::run::Ran;
use testkit::toolchain::rust::{Toolchain, find};
use testkit::toolchain::{self, Clang, Packages};
use testkit::{dist, paths, run};
use tool::Tool;

/// Bytes that tell "covered" from "not covered", as clang has them.
const BYTES: [&str; 4] = ["-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-enable-single-byte-coverage"];

/// Front end with coverage mapping, with conditions, with bytes; IR with values, without the passes before it, which differ from CPU
/// to CPU.
const KINDS: [(&str, &[&str]); 4] = [
    ("fe", &["-fprofile-instr-generate", "-fcoverage-mapping"]),
    ("mcdc", &["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]),
    ("bytes", &BYTES),
    ("ir", &["-fprofile-generate", "-O0"]),
];

/// As people compile for the optimiser.
const OPTIMISER: &[&str] = &["-fprofile-generate"];

/// Where firmware that is not as it should be is tried.
const FAULTS: &str = "thumbv7m-none-eabi";

/// CPUs for which others can stand: Cortex-M, RISC-V of 32 bits, x86-64, and on Linux AArch64 and s390x.
const LATER: [&str; 3] = ["riscv64gc-unknown-none-elf", "aarch64-unknown-none", "riscv64gc-unknown-linux-gnu"];

/// What the usual device needs.
pub const NEEDS: &[&str] = &["clang-22", "ld.lld-22", "qemu-system-arm", "rust-thumbv7m"];

/// The device of `cargo xtask test`, whose tests are the most complete.
pub const USUAL: &str = "thumbv7m-none-eabi";

/// Whether `cargo xtask test` needs no `--all` for this CPU.
pub fn usual(target: &str) -> bool {
    !LATER.contains(&target)
}

/// Runs the wanted targets, and says what was left out, at once and in a line in the end.
pub fn run(wanted: impl Fn(&str) -> bool, packages: Packages) -> Result<Ran> {
    let start = Instant::now();
    packages.require(NEEDS)?;
    let clang = toolchain::newest()?;
    let devices: Vec<&Device> = DEVICES.iter().filter(|device| wanted(device.target)).collect();
    let systems: Vec<&System> = hosted::SYSTEMS.iter().filter(|system| wanted(system.target)).collect();
    let targets: Vec<&str> =
        devices.iter().map(|device| device.target).chain(systems.iter().map(|system| system.target)).collect();
    println!("\nDevices, and Linux on other CPUs, in QEMU");
    let (toolchain, with_core) = find(&targets, packages)?;
    let tools = Tools { clang: &clang, toolchain, with_core, profrt: Tool::build()?, packages };
    let devices = devices.into_iter().map(Cpu::Device);
    let cpus: Vec<Cpu<'_>> = devices.chain(systems.into_iter().map(Cpu::System)).collect();
    let said = run::each(&cpus, |cpu| {
        let said = match cpu {
            Cpu::Device(device) => tools.device(device).context("firmware does not do what it should"),
            Cpu::System(system) => hosted::run(&tools, system),
        };
        match said.with_context(|| cpu.target())? {
            Ok(line) => {
                println!("  {:<30} {line}", cpu.target());
                Ok(true)
            }
            Err(command) => {
                println!("  {:<30} left out; `{command}` brings what it needs", cpu.target());
                Ok(false)
            }
        }
    })?;
    let of = |wanted: bool| -> Vec<&str> {
        cpus.iter().zip(&said).filter(|(_, done)| **done == wanted).map(|(cpu, _)| cpu.target()).collect()
    };
    let (done, absent) = (of(true), of(false));
    for row in sizes::rows(&clang, &tools.toolchain, with_core, |target| done.contains(&target))? {
        println!("  {:<30} {:<30} {}", row.target, row.job, row.beside());
        if let Some(missed) = row.missed() {
            bail!("{missed}");
        }
    }
    println!("  {} s", start.elapsed().as_secs());
    ensure!(absent.is_empty(), "not run: {}", absent.join(", "));
    Ok(Ran::of(done.len()))
}

/// What the archive is tried on.
enum Cpu<'a> {
    Device(&'a Device),
    System(&'a System),
}

impl Cpu<'_> {
    fn target(&self) -> &'static str {
        match self {
            Cpu::Device(device) => device.target,
            Cpu::System(system) => system.target,
        }
    }
}

struct Tools<'a> {
    clang: &'a Clang,
    toolchain: Toolchain,
    with_core: bool,
    profrt: Tool,
    packages: Packages,
}

impl Tools<'_> {
    /// What was seen, in a line; or the command without whose effect nothing can be.
    fn device(&self, device: &Device) -> Result<Result<String, String>> {
        let lld = format!("ld.lld-{}", self.clang.version);
        let qemu = device.qemu.first().copied().unwrap_or_default();
        for (program, package) in [(qemu, device.package), (&lld, &format!("lld-{}", self.clang.version))] {
            ensure!(paths::find_program(program).is_some(), "{program} is missing: apt-get install {package}");
        }
        let archive = dist::devices::build(&self.toolchain, self.with_core, self.clang.raw, device.target)?;
        let mut stack = 0;
        for (name, instrumentation) in KINDS {
            let firmware = self.firmware(device, &archive, name, instrumentation, &lld);
            let deepest = self.kind(&firmware).with_context(|| format!("instrumentation `{name}`"))?;
            stack = stack.max(deepest);
        }
        self.optimised(&self.firmware(device, &archive, "pgo", OPTIMISER, &lld))?;
        let firmware = self.firmware(device, &archive, "frames", KINDS[3].1, &lld);
        self.frames(&Firmware { main: "frames.c", ..firmware }).context("frames on a serial line")?;
        let good = self.firmware(device, &archive, "good", KINDS[0].1, &lld);
        // One kind of CPU stands for all.
        if device.target == FAULTS {
            let other = dist::devices::build(&self.toolchain, self.with_core, 8, device.target)?;
            self.registered(device, &other, &lld)?;
            println!("  {:<30} {}", device.target, rust::run(self)?);
            faults::run(&good, &other)?;
            tour::run(self.clang.version)?;
            fragments::value_nodes(self.clang)?;
        }
        fragments::run(&good)?;
        let (gnu, _, package) = device.gnu;
        if paths::find_program(gnu).is_some() {
            let gnu = Firmware { name: "fe-gnu", linker: gnu, ..good };
            self.kind(&gnu).context("GNU ld")?;
            fragments::run(&gnu).context("GNU ld")?;
        } else {
            println!("  {:<30} left out with GNU ld; `apt-get install {package}` brings it", device.target);
        }
        Ok(Ok(format!("stack of a dump {stack} bytes at most")))
    }

    /// One kind of instrumentation, with records in memory and without: the same counts and pages as here. The deepest stack of a dump.
    fn kind(&self, firmware: &Firmware<'_>) -> Result<i64> {
        let said = firmware.run()?;
        self.counts(firmware, &said)?;
        let mut deepest = 0;
        for (what, bytes) in said.numbers("stack-") {
            ensure!(bytes <= STACK, "{what}: {bytes} bytes of stack, and {STACK} are promised");
            deepest = deepest.max(bytes);
        }
        let name = format!("{}-counters-only", firmware.name);
        let fragment = Some("profrt-counters-only.x");
        let small = Firmware { name: &name, main: "checks.c", fragment, ..firmware.clone() };
        small.run()?;
        let directory = small.directory();
        let rebuilt = self.profrt.rebuild(&directory.join("firmware.elf"), &directory.join("counters.bin"))?;
        let expected = counts::here(self.clang, firmware.instrumentation, &firmware.host_directory())?;
        let [expected, found] = [&expected.profile, &rebuilt].map(|raw| counts::shown(self.clang, raw, false));
        counts::compare("counters only", &expected?, &found?)?;
        Ok(deepest)
    }

    /// The profile is one that the compiler takes.
    fn optimised(&self, firmware: &Firmware<'_>) -> Result<()> {
        firmware.run()?;
        let indexed = counts::merged(self.clang, &firmware.directory().join("raw.profraw"))?;
        let mut clang = Command::new(&self.clang.clang);
        clang.current_dir(firmware::sources()).args(firmware.device.flags).args(["-Os", "-ffreestanding", "-fno-pic"]);
        clang.args([
            "-Werror",
            "-Wprofile-instr-out-of-date",
            "-Wprofile-instr-unprofiled",
            "-Wno-logical-op-parentheses",
        ]);
        clang.arg(format!("-fprofile-use={}", indexed.display())).args(["-S", "-emit-llvm", "subject.c", "-o", "-"]);
        let text = run::stdout(&mut clang).context("the compiler does not take the profile")?;
        // The most frequent function, and the calls of it through a pointer of 100 in all.
        for counted in ["!\"MaxFunctionCount\", i64 56}", "!\"branch_weights\", i32 56, i32 44}"] {
            ensure!(text.contains(counted), "`{counted}` is missing in\n{text}");
        }
        Ok(())
    }

    /// Dumps over the serial line: what is received is what a dump by other means is.
    fn frames(&self, firmware: &Firmware<'_>) -> Result<()> {
        let expected = counts::here(self.clang, firmware.instrumentation, &firmware.host_directory())?;
        let expected = counts::shown(self.clang, &expected.profile, true)?;
        let check = |raw: &Path| counts::compare("received", &expected, &counts::shown(self.clang, raw, true)?);
        let [raw, rebuilt] = self.profrt.receive(firmware)?;
        check(&raw)?;
        ensure!(std::fs::read(&raw)? == std::fs::read(&rebuilt)?, "counters and ELF file make another profile");
        if firmware.device.target == FAULTS {
            let firmware = Firmware { name: "frames-for-ever", main: "frames_for_ever.c", ..firmware.clone() };
            for terminal in [false, true] {
                check(&self.profrt.receive_from(&firmware, terminal)?)?;
            }
            check(&self.profrt.saved_memory(&firmware)?).context("memory that was saved")?;
        }
        Ok(())
    }

    /// Objects of clang 16, which register their records, where the linker knows the bounds and where it does not.
    fn registered(&self, device: &Device, archive: &Path, linker: &str) -> Result<()> {
        let Some(old) = toolchain::clangs().into_iter().find(|clang| clang.version == 16) else {
            println!("  {:<30} left out with clang 16; `apt-get install clang-16 llvm-16` brings it", device.target);
            return Ok(());
        };
        let (instrumentation, main) = (KINDS[0].1, "firmware.c");
        let expected = counts::here(&old, instrumentation, &host_directory(device.target, "clang-16"))?;
        let expected = counts::shown(&old, &expected.profile, true)?;
        for (name, fragment, before) in [("linked", "profrt.x", 3), ("registered", "own-sections.x", 1)] {
            let (clang, fragment) = (&*old.clang, Some(fragment));
            let firmware =
                Firmware { name, device, archive, clang, instrumentation, main, linker, fragment, define: "" };
            let said = firmware.run()?;
            ensure!(said.number("check-before")? == before && said.number("check")? == 0, "profrt_check finds fault");
            let found = counts::shown(&old, &firmware.directory().join("raw.profraw"), true)?;
            counts::compare(name, &expected, &found).context("clang 16")?;
        }
        Ok(())
    }

    fn firmware<'a>(
        &'a self,
        device: &'a Device,
        archive: &'a Path,
        name: &'a str,
        instrumentation: &'a [&'a str],
        linker: &'a str,
    ) -> Firmware<'a> {
        let (clang, main, fragment) = (&*self.clang.clang, "firmware.c", Some("profrt.x"));
        Firmware { name, device, archive, clang, instrumentation, main, linker, fragment, define: "" }
    }

    /// The raw profile that a firmware has left: the same counts as here.
    fn counts(&self, firmware: &Firmware<'_>, said: &Said) -> Result<()> {
        ensure!(said.number("check-before")? == 3, "profrt_check does not see that counters are not initialized");
        ensure!(said.number("check")? == 0 && said.number("check-after")? == 0, "profrt_check finds fault");
        ensure!(said.number("dropped")? == 0, "values were dropped");
        let (directory, here) = (firmware.directory(), firmware.host_directory());
        let (raw, elf) = (directory.join("raw.profraw"), directory.join("firmware.elf"));
        let here = counts::here(self.clang, firmware.instrumentation, &here)?;
        let [expected, found] = [&here.profile, &raw].map(|raw| counts::shown(self.clang, raw, true));
        counts::compare(firmware.name, &expected?, &found?)?;
        if firmware.instrumentation.contains(&"-fcoverage-mapping") {
            let expected = counts::coverage(self.clang, &here.program, &here.profile)?;
            counts::compare("pages of llvm-cov", &expected, &counts::coverage(self.clang, &elf, &raw)?)?;
        }
        let ids = counts::binary_ids(self.clang, &raw)?;
        ensure!(ids.lines().any(|line| line.len() == 40), "the profile does not say the build id, but\n{ids}");
        let rebuilt = self.profrt.rebuild(&elf, &directory.join("counters.bin"))?;
        ensure!(std::fs::read(&raw)? == std::fs::read(&rebuilt)?, "counters and ELF file make another profile");
        Ok(())
    }
}

/// Where the program that is compared with is run on this machine: one directory a target, for they take place at once.
fn host_directory(target: &str, name: &str) -> PathBuf {
    paths::target().join("embedded/run").join(target).join("host").join(name)
}
