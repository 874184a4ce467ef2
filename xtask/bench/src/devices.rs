//! Bytes of flash that the runtime adds to firmware, beside LLVM's own as it can be had without a system: the C files of the crate minicov.
//!
//! The same program is linked without any runtime, and with one for each job.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, SectionFlags, SectionKind};

use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::toolchain::rust::find;
use testkit::{dist, run};
use xtask::embedded::device::DEVICES;
use xtask::embedded::firmware::Firmware;

/// The minicov of raw version 10, by the manifest of a package that depends on it.
const MINICOV: &str = "c-tests/qemu/minicov/Cargo.toml";

const CPUS: [(&str, &str); 3] = [
    ("thumbv6m-none-eabi", "Cortex-M0"),
    ("thumbv7m-none-eabi", "Cortex-M3"),
    ("riscv32imac-unknown-none-elf", "RISC-V 32"),
];

/// The jobs, by their numbers in `c-tests/qemu/size.c`, and the number of LLVM's where it can do the same; else how much ours may be.
const JOBS: [(&str, &str, Result<&str, f64>); 5] = [
    ("profile into memory", "1", Ok("6")),
    ("profile to a function", "2", Ok("7")),
    ("profile in frames", "3", Err(3500.0)),
    ("counters only, to a function", "4", Err(2048.0)),
    ("counters only, in frames", "5", Err(2500.0)),
];

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let lld = format!("ld.lld-{}", programs.clang.version);
    programs.packages.programs(&[(&lld, &lld.replace("ld.lld", "lld"))])?;
    let (toolchain, with_core) = find(&CPUS.map(|(target, _)| target), programs.packages)?;
    let mut rows = Vec::new();
    for (target, cpu) in CPUS {
        let device = DEVICES.iter().find(|device| device.target == target).context("no such device")?;
        let archive = dist::devices::build(&toolchain, with_core, programs.clang.raw, target)?;
        let firmware = |fragment| Firmware {
            name: "size",
            device,
            archive: &archive,
            clang: &programs.clang.clang,
            instrumentation: &["-fprofile-instr-generate", "-fcoverage-mapping"],
            main: "size.c",
            linker: &lld,
            fragment: Some(fragment),
            define: &[],
        };
        let whole = firmware("profrt.x");
        let bare = linked(&whole, "0", &[])?;
        let objects = llvm(&whole)?;
        for (job, number, theirs) in JOBS {
            let firmware = if job.starts_with("counters") { firmware("profrt-counters-only.x") } else { whole.clone() };
            let ours = linked(&firmware, number, &[])?;
            ensure!(ours.ram <= bare.ram, "{cpu}, {job}: {} bytes of RAM more", ours.ram - bare.ram);
            let more = |flash: u64| flash.saturating_sub(bare.flash) as f64;
            let (limit, llvm) = match theirs {
                // Since LLVM's side no longer takes a `memclr` from our archive, one of six is above.
                Ok(number) => (Limit::Ratio(1.05), Some(more(linked(&whole, number, &objects)?.flash))),
                Err(most) => (Limit::Most(most), None),
            };
            rows.push(Row::new(format!("{cpu}, {job}: bytes of flash"), limit, llvm, more(ours.flash)));
        }
    }
    Ok(rows)
}

struct Size {
    flash: u64,
    ram: u64,
}

/// The size of the program for a job, with other objects before the archive. Sections of the profile itself, and the build id, are the
/// program's; but no value node is.
fn linked(firmware: &Firmware<'_>, job: &str, before: &[PathBuf]) -> Result<Size> {
    const SHF_WRITE: u64 = 1;
    const SHF_ALLOC: u64 = 2;
    let own = [
        firmware.object("size.c", &[&format!("-DJOB={job}")])?,
        firmware.object("subject.c", firmware.instrumentation)?,
    ];
    // LLVM's value nodes do not fit into the RAM of the example.
    let larger: &[_] = if firmware.device.script == "cortex-m.ld" { &[("LENGTH = 16K", "LENGTH = 64K")] } else { &[] };
    run::quiet(firmware.linker(&[&own, before].concat(), larger)?.arg("-o").arg(firmware.elf()))?;
    let bytes = fs::read(firmware.elf())?;
    let file = object::File::parse(&*bytes).context("an ELF file")?;
    let mut size = Size { flash: 0, ram: 0 };
    for section in file.sections() {
        let name = section.name()?;
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { bail!("{name} is no ELF section") };
        let of_program = name.starts_with("__llvm_") && name != "__llvm_prf_vnds" || name.starts_with(".note");
        if sh_flags.0 & SHF_ALLOC != 0 && !of_program {
            size.flash += if section.kind() == SectionKind::UninitializedData { 0 } else { section.size() };
            size.ram += if sh_flags.0 & SHF_WRITE == 0 { 0 } else { section.size() };
        }
    }
    Ok(size)
}

/// The C files as minicov's build script compiles them, for size.
fn llvm(firmware: &Firmware<'_>) -> Result<Vec<PathBuf>> {
    let directory = testkit::programs::package(MINICOV, "minicov")?.join("c");
    let script = fs::read_to_string(directory.with_file_name("build.rs")).context("minicov's build script")?;
    // The files that it names, each as "c/NAME.c".
    let names = script.split("\"c/").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    let objects = names.map(|name| {
        let object = firmware.directory().join(name).with_extension("o");
        let mut clang = Command::new(firmware.clang);
        clang.args(firmware.device.flags).args(["-Os", "-ffreestanding", "-fno-pic", "-w", "-nostdlibinc"]);
        clang.args(["-ffunction-sections", "-fdata-sections", "-fno-stack-protector"]);
        clang.args(["-DCOMPILER_RT_HAS_ATOMICS=1", "-DCOMPILER_RT_PROFILE_BAREMETAL=1", "-c"]);
        run::quiet(clang.arg(directory.join(name)).arg("-o").arg(&object))?;
        Ok(object)
    });
    objects.collect()
}
