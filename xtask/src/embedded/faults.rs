//! Firmware that is not as it should be: what profrt_check says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, SectionFlags};

use super::BYTES;
use super::firmware::{Firmware, Said};

/// The answers that a firmware gives, in the order in which it asks, and what its dumps return.
fn expect(firmware: &Firmware<'_>, expected: [(&str, i64); 6]) -> Result<()> {
    let said: Said = firmware.run()?;
    for (word, number) in expected {
        let found = said.number(word)?;
        ensure!(found == number, "firmware `{}` says {word} {found}, and {number} is right", firmware.name);
    }
    Ok(())
}

/// All of them, on the device of `good`. `other`: an archive of another raw version.
pub fn run(good: &Firmware<'_>, other: &Path) -> Result<()> {
    let checks = Firmware { main: "checks.c", ..good.clone() };
    let says = |before, zeroed, now, after, raw, counters| {
        [
            ("check-before", before),
            ("check-zeroed", zeroed),
            ("check", now),
            ("check-after", after),
            ("raw", raw),
            ("counters", counters),
        ]
    };
    expect(&Firmware { name: "words", ..checks.clone() }, says(3, 0, 0, 0, 0, 0))?;
    expect(&Firmware { name: "bytes", instrumentation: &BYTES, ..checks.clone() }, says(3, 4, 0, 0, 0, 0))?;
    expect(&Firmware { name: "nothing", instrumentation: &[], ..checks.clone() }, says(1, 1, 1, 1, 0, 0))?;
    expect(&Firmware { name: "other-version", archive: other, ..checks.clone() }, says(2, 2, 2, 2, 2, 2))?;
    let firmware = Firmware { name: "counters-only", fragment: Some("profrt-counters-only.x"), ..checks };
    expect(&firmware, says(3, 0, 0, 0, 5, 0))?;
    not_loaded(&firmware)
}

/// Records and names are in the file, and in no memory.
fn not_loaded(firmware: &Firmware<'_>) -> Result<()> {
    const SHF_ALLOC: u64 = 2;
    let bytes = fs::read(firmware.directory().join("firmware.elf"))?;
    let elf = object::File::parse(&*bytes).context("firmware is an ELF file")?;
    for name in ["__llvm_prf_data", "__llvm_prf_names"] {
        let section = elf.section_by_name(name).with_context(|| format!("the ELF file has no {name}"))?;
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { bail!("{name} is no ELF section") };
        ensure!(sh_flags.0 & SHF_ALLOC == 0 && section.size() > 0, "{name} is loaded, or empty");
        ensure!(section.data()?.iter().any(|byte| *byte != 0), "{name} has no contents");
    }
    Ok(())
}
