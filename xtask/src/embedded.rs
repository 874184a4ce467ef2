//! `cargo xtask embedded`: firmware in C, instrumented by clang, linked with our archive and linker fragment and run in QEMU, for
//! each kind of CPU; its counts must be those of the same code on this machine.

mod counts;
pub mod device;
mod documented;
mod faults;
pub mod firmware;
mod fragments;
mod hosted;
mod tool;

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Context, Result, ensure};

use counts::Here;
use device::{DEVICES, Device, STACK};
use firmware::Firmware;
use hosted::SYSTEMS;
use testkit::run::Ran;
use testkit::toolchain::rust::{Toolchain, find};
use testkit::toolchain::{self, Clang, Packages};
use testkit::{dist, paths, programs, run};

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

/// As people compile for the optimizer.
const OPTIMIZER: &[&str] = &["-fprofile-generate"];

/// The CPU that stands for all, where firmware that is not as it should be is tried too.
pub const USUAL: &str = "thumbv7m-none-eabi";

/// What it needs.
pub const NEEDS: &[&str] =
    &["clang", "clang-16", "clang-22", "ld.lld-22", "qemu-system-arm", "arm-none-eabi-ld", "rust-thumbv7m"];

/// Runs the wanted targets.
pub fn run(wanted: impl Fn(&str) -> bool, packages: Packages) -> Result<Ran> {
    packages.require(NEEDS)?;
    let clang = toolchain::newest()?;
    let all = || DEVICES.iter().map(|device| device.target).chain(SYSTEMS.iter().map(|system| system.target));
    let targets: Vec<&str> = all().filter(|target| wanted(target)).collect();
    ensure!(!targets.is_empty(), "there are: {}", all().collect::<Vec<_>>().join(", "));
    let (toolchain, with_core) = find(&targets, packages)?;
    let tools = Tools { clang: &clang, toolchain, with_core, profrt: programs::profrt()?, packages };
    run::each(&targets, |target| {
        let system = SYSTEMS.iter().find(|system| system.target == *target);
        let device = DEVICES.iter().find(|device| device.target == *target);
        let line = system.map(|system| hosted::run(&tools, system)).or(device.map(|device| tools.device(device)));
        println!("  {target:<30} {}", line.context("no such CPU")?.context(*target)?);
        Ok(())
    })?;
    Ok(Ran::of(targets.len()))
}

struct Tools<'a> {
    clang: &'a Clang,
    toolchain: Toolchain,
    with_core: bool,
    profrt: PathBuf,
    packages: Packages,
}

/// What is tried of a device, beside the rest.
type Job<'a> = Box<dyn Fn() -> Result<()> + Sync + 'a>;

impl Tools<'_> {
    /// What was seen, in a line.
    fn device(&self, device: &Device) -> Result<String> {
        let version = self.clang.version;
        let (lld, (gnu, _, binutils)) = (format!("ld.lld-{version}"), device.gnu);
        let programs = [(device.qemu[0], device.package), (&lld, &format!("lld-{version}")), (gnu, binutils)];
        self.packages.programs(&programs)?;
        let archive = dist::devices::build(&self.toolchain, self.with_core, self.clang.raw, device.target)?;
        let firmware = |name, instrumentation| Firmware {
            name,
            device,
            archive: &archive,
            clang: &self.clang.clang,
            instrumentation,
            main: "firmware.c",
            linker: &lld,
            fragment: Some("profrt.x"),
            define: &[],
        };
        let good = firmware("good", KINDS[0].1);
        let with_gnu = Firmware { name: "fe-gnu", linker: gnu, ..good.clone() };
        let stack = AtomicI64::new(0);
        let deepest = |firmware| self.kind(&firmware).map(|bytes| _ = stack.fetch_max(bytes, Ordering::Relaxed));
        let frames = || Firmware { main: "frames.c", ..firmware("frames", KINDS[3].1) };
        let of_clang_16 = || {
            let other = dist::devices::build(&self.toolchain, self.with_core, 8, device.target)?;
            self.registered(&Firmware { archive: &other, ..good.clone() })?;
            faults::run(&good, &other)
        };
        // Each in directories of its own.
        let mut jobs: Vec<(&str, Job<'_>)> = Vec::new();
        if device.target == USUAL {
            jobs.push(("firmware in Rust", Box::new(|| documented::in_rust(self))));
            jobs.push(("the commands of docs/BARE-METAL.md", Box::new(|| documented::in_c(self))));
            jobs.push(("the fragment for systems", Box::new(|| fragments::value_nodes(self.clang))));
            jobs.push(("clang 16 and faults", Box::new(of_clang_16)));
        }
        for (name, instrumentation) in KINDS {
            jobs.push((name, Box::new(move || deepest(firmware(name, instrumentation)))));
        }
        jobs.push(("pgo", Box::new(|| self.optimized(&firmware("pgo", OPTIMIZER)))));
        jobs.push(("frames on a serial line", Box::new(|| self.frames(&frames()))));
        jobs.push(("fragments", Box::new(|| fragments::run(&good))));
        jobs.push(("GNU ld", Box::new(|| deepest(with_gnu.clone()).and_then(|()| fragments::run(&with_gnu)))));
        run::each(&jobs, |(what, job)| job().context(*what))?;
        let stack = stack.load(Ordering::Relaxed);
        Ok(format!("the same counts, values and pages as here; stack of a dump {stack} bytes at most"))
    }

    /// One kind of instrumentation, with records in memory and without: the same counts and pages as here. The deepest stack of a dump.
    fn kind(&self, firmware: &Firmware<'_>) -> Result<i64> {
        let said = firmware.run()?;
        // Counters were not initialized at first; then all is well.
        said.expect(&[("check-before", 3), ("check", 0), ("check-after", 0), ("dropped", 0)])?;
        let here = self.here(firmware.device.target, firmware.name, firmware.instrumentation)?;
        let (raw, elf) = (firmware.directory().join("raw.profraw"), firmware.elf());
        here.same_counts(&raw, true)?;
        here.same_pages(&elf, &raw)?;
        let ids = run::stdout(Command::new(&self.clang.profdata).args(["show", "--binary-ids"]).arg(&raw))?;
        ensure!(ids.lines().any(|line| line.len() == 40), "the profile does not say the build id, but\n{ids}");
        tool::same_rebuilt(&self.profrt, &elf, &raw)?;

        let name = format!("{}-counters-only", firmware.name);
        let fragment = Some("profrt-counters-only.x");
        let small = Firmware { name: &name, main: "checks.c", fragment, ..firmware.clone() };
        small.run()?;
        let rebuilt = tool::rebuild(&self.profrt, &small.elf(), &small.directory().join("counters.bin"))?;
        here.same_counts(&rebuilt, false).context("counters only")?;

        let stacks = said.numbers().filter(|(what, _)| what.starts_with("stack-"));
        let (what, deepest) = stacks.max_by_key(|(_, bytes)| *bytes).context("no stack was measured")?;
        ensure!(deepest <= STACK, "{what}: {deepest} bytes of stack, and {STACK} are promised");
        Ok(deepest)
    }

    /// The profile is one that the compiler takes.
    fn optimized(&self, firmware: &Firmware<'_>) -> Result<()> {
        firmware.run()?;
        let indexed = counts::merged(self.clang, &firmware.directory().join("raw.profraw"))?;
        let mut clang = Command::new(&self.clang.clang);
        clang.current_dir(firmware::sources()).args(firmware.device.flags).args(["-Os", "-ffreestanding", "-fno-pic"]);
        clang.args(["-Werror", "-Wprofile-instr-out-of-date", "-Wprofile-instr-unprofiled"]);
        clang.args(["-Wno-logical-op-parentheses", "-S", "-emit-llvm", "subject.c", "-o", "-"]);
        let text = run::stdout(clang.arg(format!("-fprofile-use={}", indexed.display())))?;
        // The most frequent function, and the calls of it through a pointer of 100 in all.
        for counted in ["!\"MaxFunctionCount\", i64 56}", "!\"branch_weights\", i32 56, i32 44}"] {
            ensure!(text.contains(counted), "`{counted}` is missing in\n{text}");
        }
        Ok(())
    }

    /// Dumps over the serial line: what is received is what a dump by other means is.
    fn frames(&self, firmware: &Firmware<'_>) -> Result<()> {
        let here = self.here(firmware.device.target, firmware.name, firmware.instrumentation)?;
        let [raw, rebuilt] = tool::receive(&self.profrt, firmware)?;
        here.same_counts(&raw, true)?;
        ensure!(std::fs::read(&raw)? == std::fs::read(&rebuilt)?, "counters and ELF file make another profile");
        if firmware.device.target == USUAL {
            let firmware = Firmware { name: "frames-for-ever", main: "frames_for_ever.c", ..firmware.clone() };
            for raw in tool::serial(&self.profrt, &firmware)? {
                here.same_counts(&raw, true).with_context(|| raw.display().to_string())?;
            }
        }
        Ok(())
    }

    /// Objects of clang 16, which register their records, where the linker knows the bounds and where it does not.
    fn registered(&self, firmware: &Firmware<'_>) -> Result<()> {
        let old =
            toolchain::clangs().into_iter().find(|clang| clang.version == 16).context("clang 16 is not complete")?;
        let here = Here::run(&old, firmware.instrumentation, &host_directory(firmware.device.target, "clang-16"))?;
        for (name, fragment, before) in [("linked", "profrt.x", 3), ("registered", "own-sections.x", 1)] {
            let firmware = Firmware { name, clang: &old.clang, fragment: Some(fragment), ..firmware.clone() };
            firmware.run()?.expect(&[("check-before", before), ("check", 0)])?;
            here.same_counts(&firmware.directory().join("raw.profraw"), true).context(name)?;
        }
        Ok(())
    }

    /// The same on this machine.
    fn here(&self, target: &str, name: &str, instrumentation: &[&str]) -> Result<Here<'_>> {
        Here::run(self.clang, instrumentation, &host_directory(target, name))
    }
}

/// Where a program is run on this machine: one directory a target, since these take place at once.
fn host_directory(target: &str, name: &str) -> PathBuf {
    paths::target().join("embedded/run").join(target).join("host").join(name)
}
