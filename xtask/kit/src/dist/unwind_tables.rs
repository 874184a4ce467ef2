//! Chooses the modules that are shipped with unwind tables: those whose functions can be on the stack when it is unwound.

use anyhow::{Context, Result};
use object::build::elf::{Builder, SectionData};
use object::elf::SHT_STRTAB;

/// The modules with unwind tables: hooks, which instrumented code calls wherever it is canceled; what
/// hands a profile to a function of the program, which may throw; and what calls the program's signal handlers, which may print a
/// backtrace. (Tables of all modules are 22 KB, a quarter of a small program.)
const UNWOUND: [&str; 13] = [
    "abi-instrument_",
    "abi-profrt_",
    "capture",
    "compact",
    "dump",
    "generic-",
    "os-unix-chain",
    "os-unix-handler",
    "os-unix-kernel",
    "os-unix-memory",
    "raw",
    "sink",
    "value-",
];

/// Whether the functions of a member need unwind tables.
pub fn is_unwound(member: &str) -> bool {
    let title = member.strip_prefix("profrt.").unwrap_or(member);
    UNWOUND.iter().any(|module| title.starts_with(module))
}

/// Returns an object file without its unwind tables, for which every linker allows.
pub(super) fn removed(object: &[u8]) -> Result<Vec<u8>> {
    let mut builder = Builder::read(object).context("cannot read an object file to take its unwind tables away")?;
    for section in &mut builder.sections {
        // With their relocations: `.rel.eh_frame` or `.rela.eh_frame`.
        section.delete |= section.name.ends_with(b".eh_frame");
    }
    builder.delete_orphans();
    // LLVM has one table of strings for symbols and sections, the builder two.
    let strings = builder.sections.add();
    strings.name = b".shstrtab"[..].into();
    strings.sh_type = SHT_STRTAB;
    strings.sh_addralign = 1;
    strings.data = SectionData::SectionString;
    let mut bytes = Vec::new();
    builder.write(&mut bytes).context("cannot write an object file without unwind tables")?;
    Ok(bytes)
}
