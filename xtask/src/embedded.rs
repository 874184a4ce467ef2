//! `cargo xtask embedded`: firmware in C, instrumented by clang, linked with our archive and linker fragment and run in QEMU, for
//! each kind of CPU; its counts must be those of the same code on this machine.

mod counts;
mod device;
mod faults;
mod firmware;
mod hosted;
mod rust;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::toolchain::rust::{Toolchain, find};
use crate::toolchain::{self, Clang, offer};
use crate::{dist, paths};
use device::{DEVICES, Device};
use firmware::{Firmware, Said};

/// Front end with coverage mapping; IR with values, without the passes before it, which differ from CPU to CPU.
const KINDS: [(&str, &[&str]); 2] =
    [("fe", &["-fprofile-instr-generate", "-fcoverage-mapping"]), ("ir", &["-fprofile-generate", "-O0"])];

/// Where firmware that is not as it should be is tried.
const FAULTS: &str = "thumbv7m-none-eabi";

/// Bytes of stack that a dump may need on CPUs of 32 bits, below the function that calls it, the sink's own apart.
const STACK: i64 = 512;

/// Runs the devices whose target contains `filter`, and says what was left out.
pub fn run(filter: &str) -> Result<()> {
    let start = Instant::now();
    let clang = toolchain::newest()?;
    let devices: Vec<&Device> = DEVICES.iter().filter(|device| device.target.contains(filter)).collect();
    let targets: Vec<&str> = devices.iter().map(|device| device.target).chain(hosted::targets(filter)).collect();
    println!("\nDevices in QEMU");
    let (toolchain, with_core) = match find(&targets, &[]) {
        Ok(found) => found,
        Err(left_out) => {
            println!("  {left_out}");
            return Ok(());
        }
    };
    let tools = Tools { clang: &clang, toolchain, with_core };
    for device in devices {
        match tools
            .device(device)
            .with_context(|| format!("firmware for {} does not do what it should", device.target))?
        {
            Ok(done) => println!("  {:<30} {done}", device.target),
            Err(command) => println!("  {:<30} left out; `{command}` brings what it needs", device.target),
        }
    }
    println!("Linux on other CPUs");
    hosted::run(&tools, filter)?;
    println!("  {} s", start.elapsed().as_secs());
    Ok(())
}

struct Tools<'a> {
    clang: &'a Clang,
    toolchain: Toolchain,
    with_core: bool,
}

impl Tools<'_> {
    /// What was seen, in a line; or the command without whose effect nothing can be.
    fn device(&self, device: &Device) -> Result<Result<String, String>> {
        let lld = format!("ld.lld-{}", self.clang.version);
        let qemu = device.qemu.first().copied().unwrap_or_default();
        for (program, package) in [(qemu, device.package), (&lld, &format!("lld-{}", self.clang.version))] {
            if paths::find_program(program).is_none()
                && let Err(command) = offer(&[package])
            {
                return Ok(Err(command));
            }
        }
        let archive = dist::devices::build(&self.toolchain, self.with_core, self.clang.raw, device.target)?;
        let mut stacks = Vec::new();
        for (name, instrumentation) in KINDS {
            let firmware = self.firmware(device, &archive, name, instrumentation, &lld);
            let said = firmware.run()?;
            self.counts(&firmware, &said).with_context(|| format!("instrumentation `{name}`"))?;
            for (what, bytes) in said.numbers("stack-") {
                let fits = bytes <= STACK || !device.is_small();
                ensure!(fits, "{what}: {bytes} bytes of stack (instrumentation `{name}`), and {STACK} are promised");
                stacks.push(bytes);
            }
        }
        // One kind of CPU stands for all.
        if device.target == FAULTS {
            let other = dist::devices::build(&self.toolchain, self.with_core, 8, device.target)?;
            self.registered(device, &other, &lld)?;
            println!("  {:<30} {}", device.target, rust::run(self, &lld)?);
            let gnu = offer_once("arm-none-eabi-ld", "binutils-arm-none-eabi");
            let good = self.firmware(device, &archive, "good", KINDS[0].1, &lld);
            faults::run(&good, &other, gnu.then_some("arm-none-eabi-ld"))?;
            if gnu {
                let firmware = Firmware { name: "fe-gnu", linker: "arm-none-eabi-ld", ..good };
                let said = firmware.run()?;
                self.counts(&Firmware { instrumentation: KINDS[0].1, ..firmware }, &said).context("GNU ld")?;
            }
        }
        Ok(Ok(format!("stack of a dump {} bytes at most", stacks.iter().max().copied().unwrap_or_default())))
    }

    /// Objects of clang 16, which register their records, where the linker knows the bounds and where it does not.
    fn registered(&self, device: &Device, archive: &Path, linker: &str) -> Result<()> {
        let Some(old) = toolchain::clangs().into_iter().find(|clang| clang.version == 16) else {
            println!("  {:<30} left out with clang 16; `apt-get install clang-16 llvm-16` brings it", device.target);
            return Ok(());
        };
        let (instrumentation, main) = (KINDS[0].1, "firmware.c");
        let expected = counts::here(&old, instrumentation, &host_directory("clang-16"))?;
        for (name, fragment, before) in [("linked", "profrt.x", 3), ("registered", "own-sections.x", 1)] {
            let (clang, fragment) = (&*old.clang, Some(fragment));
            let firmware = Firmware { name, device, archive, clang, instrumentation, main, linker, fragment };
            let said = firmware.run()?;
            ensure!(said.number("check-before")? == before && said.number("check")? == 0, "profrt_check finds fault");
            let found = counts::shown(&old, &firmware.directory().join("raw.profraw"))?;
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
        Firmware { name, device, archive, clang, instrumentation, main, linker, fragment }
    }

    /// The raw profile that a firmware has left: the same counts as here.
    fn counts(&self, firmware: &Firmware<'_>, said: &Said) -> Result<()> {
        ensure!(said.number("check-before")? == 3, "profrt_check does not see that counters are not initialised");
        ensure!(said.number("check")? == 0 && said.number("check-after")? == 0, "profrt_check finds fault");
        ensure!(said.number("dropped")? == 0, "values were dropped");
        let raw = firmware.directory().join("raw.profraw");
        let expected = counts::here(self.clang, firmware.instrumentation, &host_directory(firmware.name))?;
        counts::compare(firmware.name, &expected, &counts::shown(self.clang, &raw)?)?;
        let ids = counts::binary_ids(self.clang, &raw)?;
        ensure!(ids.lines().any(|line| line.len() == 40), "the profile does not say the build id, but\n{ids}");
        let counters = std::fs::read(firmware.directory().join("counters.bin"))?;
        if !counters.starts_with(b"PRFC") {
            bail!("the compact dump begins with {:?}", counters.get(..4));
        }
        Ok(())
    }
}

/// Whether a program is there, perhaps now that its package was installed.
fn offer_once(program: &str, package: &str) -> bool {
    paths::find_program(program).is_some() || offer(&[package]).is_ok()
}

fn host_directory(name: &str) -> PathBuf {
    paths::target().join("embedded/run/host").join(name)
}
