//! `profrt device rebuild`: a raw profile from an ELF file and counters, with no code on the target at all if need be.

mod compact;
mod core;
pub(crate) mod elf;
mod memory;
pub mod raw;
mod values;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

pub use self::core::Core;
use profdata::format::layout::Sections;

use self::raw::{Profile, Section};
pub use elf::Elf;
pub use memory::Memory;

use crate::check::inspect;
use crate::report::output::{check_keeps, write};
use crate::text::{many, number, read};

/// What to rebuild a profile from.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The program as the linker wrote it; for a core file also its shared objects, all that are instrumented unless given
    #[arg(long, alias = "elf", value_name = "FILE", required_unless_present = "core")]
    object: Vec<PathBuf>,
    /// A counters-only dump (profrt_dump_counters_…)
    #[arg(value_name = "DUMP", required_unless_present_any = ["ram", "core"], conflicts_with_all = ["ram", "core"])]
    dump: Option<PathBuf>,
    /// Memory that a debugger saved as plain bytes, and its address: ram.bin@0x20000000
    #[arg(long, value_name = "FILE@ADDRESS", conflicts_with = "core", value_parser = ram)]
    ram: Vec<Ram>,
    /// Core file of a Linux process
    #[arg(long, value_name = "FILE")]
    core: Option<PathBuf>,
    /// How far from its linked address the program was loaded, for --ram of one that moves
    #[arg(long, value_name = "NUMBER", default_value = "0", value_parser = number, requires = "ram")]
    bias: u64,
    /// Raw version, or the whole version word with its flags, if the program does not say it
    #[arg(long, value_name = "N", value_parser = number)]
    raw_version: Option<u64>,
    /// Where to write; unless given, next to the dump, with the ending .profraw
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples: a counters-only dump, memory that gdb has saved, and a process that has crashed

    profrt device rebuild --object firmware.elf dump.prfc
    profrt device rebuild --object firmware.elf --ram ram.bin@0x20000000 -o firmware.profraw
    profrt device rebuild --core core -o crashed.profraw

Exit status: 0; 2 nothing is written.";

/// Saved memory and its address.
#[derive(Clone, Debug)]
pub struct Ram {
    path: PathBuf,
    address: u64,
}

fn ram(text: &str) -> Result<Ram, String> {
    let (path, address) = text.rsplit_once('@').ok_or("write FILE@ADDRESS, like ram.bin@0x20000000")?;
    Ok(Ram { path: path.into(), address: number(address)? })
}

/// Rebuilds and writes the profile. Returns the exit status. Errors: nothing is written.
pub fn run(options: &Options) -> Result<u8> {
    let (bytes, output) = if let Some(core) = &options.core {
        // `core.77` and `core.78` get results of their own.
        let mut output = core.clone().into_os_string();
        output.push(".profraw");
        (from_core(options, core)?, PathBuf::from(output))
    } else {
        let [elf] = &options.object[..] else {
            bail!("--object is given {} times; only a core file has many images", options.object.len())
        };
        let elf = Elf::read(elf)?;
        match (&options.dump, &options.ram[..]) {
            (Some(dump), _) => {
                (from_compact(&read(dump)?, dump, &elf, options.raw_version)?, dump.with_extension("profraw"))
            }
            (None, ram @ [first, ..]) => (from_ram(options, ram, &elf)?, first.path.with_extension("profraw")),
            (None, []) => bail!("say what to take the counters from: a counters-only dump, --ram or --core"),
        }
    };
    let output = options.output.clone().unwrap_or(output);
    let inputs = options.object.iter().chain(&options.core).chain(&options.dump);
    let inputs = inputs.chain(options.ram.iter().map(|ram| &ram.path)).map(PathBuf::as_path);
    check_keeps("--output", &output, inputs)?;
    write(&output, &bytes)?;
    warn_line!("{}: {}", output.display(), whole(&bytes)?);
    for elf in &options.object {
        if let Some(option) = Elf::read(elf)?.correlate() {
            let (elf, output) = (elf.display(), output.display());
            warn(format!(
                "records and names are in the program: `llvm-profdata merge {option}={elf} {output} -o …` finds them"
            ));
        }
    }
    Ok(0)
}

/// One line about a profile. Errors: it is not whole, and so what it was made of does not fit together.
fn whole(bytes: &[u8]) -> Result<String> {
    let verdict = inspect(String::new(), bytes);
    if let Some(fault) = verdict.damage.first() {
        bail!(
            "what was rebuilt is no whole profile ({}: found {}); is this the program that ran, is the address right, and had the start-up \
             code initialized the counters?",
            fault.field,
            fault.found.as_deref().unwrap_or("what does not fit")
        );
    }
    Ok(verdict.summary)
}

fn warn(text: String) {
    warn_line!("profrt: {text}");
}

/// A raw profile from a counters-only dump; `name` is for messages.
pub fn from_compact(bytes: &[u8], name: &Path, elf: &Elf, version: Option<u64>) -> Result<Vec<u8>> {
    let dump = compact::read(bytes, elf).with_context(|| format!("{} does not fit", name.display()))?;
    ensure!(
        elf.moves || dump.bias == 0,
        "{} does not fit: its counters are not where those of {} are; give the very file that ran",
        name.display(),
        elf.path.display()
    );
    if !dump.identified {
        warn(format!(
            "{} has no build id that {} has too, so only the number of counters tells that they belong together; link with --build-id",
            name.display(),
            elf.path.display()
        ));
    }
    let mut constant = constant(elf, dump.bias);
    constant.sections.counters.bytes = dump.counters;
    constant.sections.bitmap.bytes = dump.bitmap;
    let version = version.map_or(Ok(dump.version), |version| elf.version(Some(version), &mut warn))?;
    let profile = Profile { version, values: dump.values, ..constant };
    let bytes = profile.write()?;
    whole(&bytes)?;
    Ok(bytes)
}

/// What does not change while the program runs; counters as they are at the start.
fn constant(elf: &Elf, bias: u64) -> Profile {
    Profile {
        encoding: elf.encoding,
        version: 0,
        build_ids: elf.build_ids.clone(),
        sections: Sections::of(|part| {
            elf.sections.get(part).map_or(Section::default(), |place| place.section(elf.encoding, bias))
        }),
        values: Vec::new(),
    }
}

fn from_ram(options: &Options, ram: &[Ram], elf: &Elf) -> Result<Vec<u8>> {
    let files: Result<Vec<Vec<u8>>> = ram.iter().map(|ram| read(&ram.path)).collect();
    let files = files?;
    let pieces = ram.iter().zip(&files).map(|(ram, bytes)| (ram.address, bytes.as_slice())).collect();
    let memory = Memory { encoding: elf.encoding, pieces };
    from_memory(&memory, elf, options.bias, options.raw_version, |missing, section, from, to| {
        format!(
            "the saved memory has no address {missing:#x}, which {section} needs; in gdb, `dump binary memory FILE {from:#x} {to:#x}` \
             saves it, then give --ram FILE@{from:#x} (several are allowed)"
        )
    })
}

fn from_core(options: &Options, path: &Path) -> Result<Vec<u8>> {
    let bytes = read(path)?;
    let core = Core::parse(&bytes).with_context(|| format!("{} cannot be used", path.display()))?;
    if core.missing > 0 {
        warn(format!(
            "{} was cut short by {} bytes; set `ulimit -c unlimited` next time",
            path.display(),
            core.missing
        ));
    }
    let files = if options.object.is_empty() { core.instrumented() } else { options.object.clone() };
    ensure!(
        !files.is_empty(),
        "none of the files that the process had loaded is here and has counters; name the program with --object"
    );
    let mut all = Vec::new();
    for file in &files {
        let elf = Elf::read(file)?;
        let bias = core.bias(&elf)?;
        all.extend(from_memory(&core.memory, &elf, bias, options.raw_version, |missing, section, _, _| {
            format!(
                "the core file has no address {missing:#x}, which {section} of {} needs: it was cut short (`ulimit -c`), or the \
                 counters were mapped from a file (%c in LLVM_PROFILE_FILE), and then that file has them",
                file.display()
            )
        })?);
    }
    Ok(all)
}

/// A raw profile of an image whose memory was saved. `missing` says what to do about an address that was not.
fn from_memory(
    memory: &Memory<'_>,
    elf: &Elf,
    bias: u64,
    version: Option<u64>,
    missing: impl Fn(u64, &str, u64, u64) -> String,
) -> Result<Vec<u8>> {
    let mut profile = Profile { version: elf.version(version, &mut warn)?, ..constant(elf, bias) };
    let raw = profile.raw_version()?;
    let live = |name: &str, place: &elf::Place| -> Result<Section> {
        if place.size == 0 {
            return Ok(Section::default());
        }
        let address = place.address.wrapping_add(bias);
        let bytes = memory.read(address, place.size);
        let bytes =
            bytes.map_err(|at| anyhow::Error::msg(missing(at, name, address, address.wrapping_add(place.size))))?;
        Ok(Section { address, bytes })
    };
    profile.sections.counters = live("__llvm_prf_cnts", &elf.sections.counters)?;
    profile.sections.bitmap = live("__llvm_prf_bits", &elf.sections.bitmap)?;
    // Records that the process could write to hold addresses as they were there.
    if let Ok(records) = live("__llvm_prf_data", &elf.sections.data) {
        profile.sections.data = records;
    }
    if let Ok(vtables) = live("__llvm_prf_vtab", &elf.sections.vtables) {
        profile.sections.vtables = vtables;
    }
    if values::any_sites(&profile.sections.data.bytes, raw, elf.encoding) {
        let walk = values::walk(memory, &profile.sections.data.bytes, raw, elf.shared_counts);
        profile.values = walk.values;
        if walk.lost > 0 {
            let heads = elf.values.address.wrapping_add(bias);
            warn(format!(
                "values of {} lie in memory that was not saved, and are left out; they are found from __llvm_prf_vals at {heads:#x} \
                 ({} bytes) and __llvm_prf_vnds at {:#x} ({} bytes)",
                many(walk.lost, "value site"),
                elf.values.size,
                elf.nodes.address.wrapping_add(bias),
                elf.nodes.size
            ));
        }
    }
    let bytes = profile.write()?;
    whole(&bytes)?;
    Ok(bytes)
}
