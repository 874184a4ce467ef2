//! What the runtime adds to firmware, beside LLVM's own as it can be had without a system: the C files that the crate minicov ships.
//!
//! The same program is linked without any runtime, and with one for each job; flash and RAM are what it grows by.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, SectionFlags, SectionKind};

use super::device::{DEVICES, Device};
use super::firmware::{Firmware, limited};
use testkit::toolchain::Clang;
use testkit::toolchain::rust::Toolchain;
use testkit::{dist, programs, run};

/// The minicov of raw version 10, by the manifest of a package that depends on it.
const MINICOV: &str = "c-tests/qemu/minicov/Cargo.toml";

/// The devices whose sizes are told.
const TOLD: [&str; 3] = ["thumbv6m-none-eabi", "thumbv7m-none-eabi", "riscv32imac-unknown-none-elf"];

/// Flash of counters-only may be so much.
pub const COUNTERS_ONLY: u64 = 2048;

/// The jobs, by their numbers in `c-tests/qemu/size.c`, and the number of LLVM's, where it can do the same.
const JOBS: [(&str, &str, Option<&str>); 5] = [
    ("profile into memory", "1", Some("6")),
    ("profile to a function", "2", Some("7")),
    ("profile in frames", "3", None),
    ("counters only, to a function", "4", None),
    ("counters only, in frames", "5", None),
];

/// Bytes, and the instructions of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub flash: u64,
    pub ram: u64,
    pub instructions: u64,
}

/// A job on a device: ours, and LLVM's.
#[derive(Debug)]
pub struct Row {
    pub target: &'static str,
    pub job: &'static str,
    pub ours: Size,
    pub llvm: Option<Size>,
}

impl Row {
    /// Ours beside LLVM's, in a line.
    pub fn beside(&self) -> String {
        let shown = |size: &Size| format!("flash {}, RAM {}, {} instructions", size.flash, size.ram, size.instructions);
        let llvm = self.llvm.as_ref().map_or(String::new(), |llvm| format!("; LLVM: {}", shown(llvm)));
        format!("{}{llvm}", shown(&self.ours))
    }

    /// What is required and does not hold.
    pub fn missed(&self) -> Option<String> {
        let Row { target, job, ours, llvm } = self;
        if let Some(llvm) = llvm.filter(|llvm| ours.flash >= llvm.flash || ours.ram > llvm.ram) {
            return Some(format!("{target}, {job}: {ours:?} is not less than LLVM's {llvm:?}"));
        }
        let bounded = *target == TOLD[1] && self.job == JOBS[3].0;
        (bounded && ours.flash >= COUNTERS_ONLY)
            .then(|| format!("{target}, {job}: {ours:?}, at most {COUNTERS_ONLY} wanted"))
    }
}

/// The rows of the devices that are wanted, whose QEMU has to be there: it counts the instructions.
pub fn rows(clang: &Clang, toolchain: &Toolchain, with_core: bool, wanted: impl Fn(&str) -> bool) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for device in DEVICES.iter().filter(|device| TOLD.contains(&device.target) && wanted(device.target)) {
        let archive = dist::devices::build(toolchain, with_core, clang.raw, device.target)?;
        rows.extend(device_rows(clang, device, &archive).with_context(|| format!("sizes on {}", device.target))?);
    }
    Ok(rows)
}

fn device_rows(clang: &Clang, device: &'static Device, archive: &Path) -> Result<Vec<Row>> {
    let linker = format!("ld.lld-{}", clang.version);
    let instrumentation: &[&str] = &["-fprofile-instr-generate", "-fcoverage-mapping"];
    let firmware = |name, fragment| Firmware {
        name,
        device,
        archive,
        clang: &clang.clang,
        instrumentation,
        main: "size.c",
        linker: &linker,
        fragment: Some(fragment),
        define: "",
    };
    let whole = firmware("size", "profrt.x");
    let bare = linked(&whole, "0", &[])?;
    let llvm = llvm(&whole)?;
    let mut rows = Vec::new();
    for (job, number, theirs) in JOBS {
        let fragment = if job.starts_with("counters") { "profrt-counters-only.x" } else { "profrt.x" };
        let ours = grown(linked(&firmware("size", fragment), number, &[])?, bare);
        let llvm = theirs.map(|number| anyhow::Ok(grown(linked(&whole, number, &llvm)?, bare))).transpose()?;
        rows.push(Row { target: device.target, job, ours, llvm });
    }
    Ok(rows)
}

fn grown(with: Size, without: Size) -> Size {
    let [flash, ram] = [with.flash.saturating_sub(without.flash), with.ram.saturating_sub(without.ram)];
    Size { flash, ram, instructions: with.instructions }
}

/// The program for a job, with other objects before the archive.
fn linked(firmware: &Firmware<'_>, job: &str, before: &[PathBuf]) -> Result<Size> {
    let mut objects = vec![
        firmware.object("size.c", &[&format!("-DJOB={job}")])?,
        firmware.object("subject.c", firmware.instrumentation)?,
    ];
    objects.extend_from_slice(before);
    let elf = firmware.directory().join(format!("job-{job}.elf"));
    let mut linker = firmware.linker(&objects, [""; 2])?;
    // LLVM's value nodes do not fit into the RAM of the example.
    let script = firmware.directory().join("firmware.ld");
    fs::write(&script, fs::read_to_string(&script)?.replace("LENGTH = 16K", "LENGTH = 64K"))?;
    run::quiet(linker.arg("-o").arg(&elf))?;
    Ok(Size { instructions: instructions(firmware, &elf)?, ..size(&elf)? })
}

/// Instructions from the start of the dump to the end of the program, by QEMU's trace of one line for each.
fn instructions(firmware: &Firmware<'_>, elf: &Path) -> Result<u64> {
    let log = firmware.directory().join("trace.txt");
    // The Cortex-M0 of QEMU has less RAM than LLVM's value nodes take; a Cortex-M3 runs its code too.
    let larger =
        |device: &&Device| device.target.starts_with("thumbv7m") && firmware.device.target.starts_with("thumb");
    let device = DEVICES.iter().find(larger).unwrap_or(firmware.device);
    let mut qemu = Firmware { device, ..firmware.clone() }.qemu(elf, &[])?;
    qemu.current_dir(firmware.directory()).args(["-singlestep", "-d", "exec,nochain", "-D"]).arg(&log);
    run::quiet(&mut limited(&qemu))?;
    let text = fs::read_to_string(&log)?;
    let functions =
        text.lines().filter(|line| line.starts_with("Trace ")).filter_map(|line| line.split(' ').next_back());
    let dump = functions.skip_while(|function| *function != "dump").take_while(|function| *function != "stop").count();
    fs::remove_file(&log)?;
    ensure!(dump > 0, "QEMU has traced no dump");
    Ok(dump as u64)
}

/// Sections of the profile itself, and the build id, are the program's; but no value node is.
fn size(elf: &Path) -> Result<Size> {
    const SHF_WRITE: u64 = 1;
    const SHF_ALLOC: u64 = 2;
    let bytes = fs::read(elf)?;
    let file = object::File::parse(&*bytes).context("an ELF file")?;
    let mut size = Size { flash: 0, ram: 0, instructions: 0 };
    for section in file.sections() {
        let name = section.name()?;
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { bail!("{name} is no ELF section") };
        let of_program = name.starts_with("__llvm_") && name != "__llvm_prf_vnds" || name.starts_with(".note");
        if sh_flags.0 & SHF_ALLOC == 0 || of_program {
            continue;
        }
        let loaded = section.kind() != SectionKind::UninitializedData;
        size.flash += if loaded { section.size() } else { 0 };
        size.ram += if sh_flags.0 & SHF_WRITE > 0 { section.size() } else { 0 };
    }
    Ok(size)
}

/// The C files as minicov's build script compiles them, for size.
fn llvm(firmware: &Firmware<'_>) -> Result<Vec<PathBuf>> {
    let mut objects = Vec::new();
    let directory = programs::package(MINICOV, "minicov")?.join("c");
    let script = fs::read_to_string(directory.with_file_name("build.rs")).context("minicov's build script")?;
    // The files that it names, each as "c/NAME.c".
    for name in script.split("\"c/").skip(1).filter_map(|rest| rest.split_once('"').map(|(name, _)| name)) {
        let source = directory.join(name);
        let object = firmware.directory().join(source.with_extension("o").file_name().unwrap_or_default());
        let mut clang = Command::new(firmware.clang);
        clang.args(firmware.device.flags).args(["-Os", "-ffreestanding", "-fno-pic", "-w", "-nostdlibinc"]);
        clang.args(["-ffunction-sections", "-fdata-sections", "-fno-stack-protector"]);
        clang.args(["-DCOMPILER_RT_HAS_ATOMICS=1", "-DCOMPILER_RT_PROFILE_BAREMETAL=1", "-c"]);
        run::quiet(clang.arg(&source).arg("-o").arg(&object))?;
        objects.push(object);
    }
    ensure!(!objects.is_empty(), "minicov has no C files");
    Ok(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let row = |job: usize, flash, llvm: Option<u64>| Row {
            target: TOLD[1],
            job: JOBS[job].0,
            ours: Size { flash, ram: 8, instructions: 0 },
            llvm: llvm.map(|flash| Size { flash, ram: 8, instructions: 0 }),
        };
        assert_eq!(row(0, 999, Some(1000)).missed(), None);
        assert!(row(0, 1000, Some(1000)).missed().is_some());
        assert_eq!(row(3, 2047, None).missed(), None);
        assert!(row(3, 2048, None).missed().is_some());
        assert_eq!(row(4, 2048, None).missed(), None);
    }
}
