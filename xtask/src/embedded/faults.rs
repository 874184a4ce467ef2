//! Firmware that is not as it should be: what profrt_check says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, SectionFlags};

use super::BYTES;
use super::firmware::Firmware;

/// The answers of a firmware, in the order in which it asks, and what its dumps return.
const QUESTIONS: [&str; 6] = ["check-before", "check-zeroed", "check", "check-after", "raw", "counters"];

/// All of them, on the device of `good`. `other`: an archive of another raw version.
pub fn run(good: &Firmware<'_>, other: &Path) -> Result<()> {
    let checks = Firmware { main: "checks.c", ..good.clone() };
    let counters_only = Firmware { name: "counters-only", fragment: Some("profrt-counters-only.x"), ..checks.clone() };
    for (firmware, answers) in [
        (Firmware { name: "words", ..checks.clone() }, [3, 0, 0, 0, 0, 0]),
        (Firmware { name: "counted-bytes", instrumentation: &BYTES, ..checks.clone() }, [3, 4, 0, 0, 0, 0]),
        (Firmware { name: "nothing", instrumentation: &[], ..checks.clone() }, [1, 1, 1, 1, 0, 0]),
        (Firmware { name: "other-version", archive: other, ..checks.clone() }, [2, 2, 2, 2, 2, 2]),
        (counters_only.clone(), [3, 0, 0, 0, 5, 0]),
    ] {
        let said = firmware.run()?;
        for expected in QUESTIONS.into_iter().zip(answers) {
            said.expect(&[expected]).with_context(|| format!("firmware `{}`", firmware.name))?;
        }
    }
    not_loaded(&counters_only)
}

/// Records and names are in the file, and in no memory.
fn not_loaded(firmware: &Firmware<'_>) -> Result<()> {
    const SHF_ALLOC: u64 = 2;
    let bytes = fs::read(firmware.elf())?;
    let elf = object::File::parse(&*bytes).context("firmware is an ELF file")?;
    for name in ["__llvm_prf_data", "__llvm_prf_names"] {
        let section = elf.section_by_name(name).with_context(|| format!("the ELF file has no {name}"))?;
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { bail!("{name} is no ELF section") };
        ensure!(sh_flags.0 & SHF_ALLOC == 0 && section.size() > 0, "{name} is loaded, or empty");
        ensure!(section.data()?.iter().any(|byte| *byte != 0), "{name} has no contents");
    }
    Ok(())
}
