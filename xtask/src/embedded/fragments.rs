//! What the linker says of scripts that do not go with ours: each message is seen once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection};

use super::firmware::{Firmware, sources};
use testkit::toolchain::Clang;
use testkit::{paths, run};

const FRAGMENTS: [&str; 2] = ["profrt.x", "profrt-counters-only.x"];

/// The symbols at which heaps begin in the scripts of C libraries and of others.
const HEAPS: [&str; 6] = ["end", "_end", "__end__", "__sheap", "_sheap", "__heap_start"];

/// All of them, with the linker of `good`.
pub fn run(good: &Firmware<'_>) -> Result<()> {
    let name = format!("{}-scripts", good.name);
    let firmware = Firmware { name: &name, ..good.clone() };
    let objects = firmware.compile()?;
    let absent = Firmware { fragment: None, ..firmware.clone() };
    let message = "error_profrt_is_linked_without_its_linker_script_profrt.x";
    refused(&absent, &objects, [""; 2], message).context("without a fragment")?;
    more_nodes(&firmware, &objects)?;
    for fragment in FRAGMENTS {
        let firmware = Firmware { fragment: Some(fragment), ..firmware.clone() };
        for region in ["PROFRT_RAM", "PROFRT_LOAD"] {
            undeclared(&firmware, &objects, region).with_context(|| format!("{fragment} without {region}"))?;
        }
        for end in HEAPS {
            let message = format!("the heap begins inside of the counters, at the symbol {end}.");
            // Behind the variables, where somebody would put it who knows nothing of counters; and where it should be.
            let [bad, good] = [format!("{end} = . + 16;"), format!("{end} = profrt_ram_end;")];
            refused(&firmware, &objects, [&bad, ""], &message).with_context(|| format!("{fragment}, {bad}"))?;
            linked(&firmware, &objects, ["", &good]).with_context(|| format!("{fragment}, {good}"))?;
        }
    }
    Ok(())
}

fn linked(firmware: &Firmware<'_>, objects: &[PathBuf], heap: [&str; 2]) -> Result<()> {
    run::quiet(firmware.linker(objects, heap)?.arg("-o").arg(firmware.directory().join("firmware.elf")))
}

fn refused(firmware: &Firmware<'_>, objects: &[PathBuf], heap: [&str; 2], message: &str) -> Result<()> {
    let said = linked(firmware, objects, heap).err().context("it links")?;
    let text = format!("{said:#}");
    ensure!(text.contains(message), "`{message}` is not said, but\n{text}");
    Ok(())
}

/// A script that does not say which memory it is.
fn undeclared(firmware: &Firmware<'_>, objects: &[PathBuf], region: &str) -> Result<()> {
    let mut linker = firmware.linker(objects, [""; 2])?;
    let script = firmware.directory().join("firmware.ld");
    let alias = format!("REGION_ALIAS(\"{region}\"");
    let text = fs::read_to_string(&script)?;
    ensure!(text.contains(&alias), "the example has no {alias}");
    fs::write(&script, text.lines().filter(|line| !line.starts_with(&alias)).collect::<Vec<_>>().join("\n"))?;
    let said = run::quiet(linker.arg("-o").arg(firmware.directory().join("firmware.elf"))).err();
    let text = format!("{:#}", said.context("it links")?);
    // GNU ld says ours, and may find that sections lie on each other first; lld's own says as much.
    let said = [format!("no memory region is called {region}"), format!("memory region not defined: {region}")];
    ensure!(said.iter().any(|message| text.contains(message)), "`{}` is not said, but\n{text}", said[0]);
    Ok(())
}

/// As many nodes more as the linker is told.
fn more_nodes(firmware: &Firmware<'_>, objects: &[PathBuf]) -> Result<()> {
    let size = |define| -> Result<u64> {
        linked(&Firmware { define, ..firmware.clone() }, objects, [""; 2])?;
        let bytes = fs::read(firmware.directory().join("firmware.elf"))?;
        let elf = object::File::parse(&*bytes).context("firmware is an ELF file")?;
        Ok(elf.section_by_name("__llvm_prf_vnds").map_or(0, |section| section.size()))
    };
    let (without, with) = (size("")?, size("profrt_value_nodes=8")?);
    ensure!(with == without + 8 * 32, "8 nodes more take {with} - {without} bytes");
    Ok(())
}

/// The fragment for programs on systems: too many nodes, and a number of its own.
pub fn value_nodes(clang: &Clang) -> Result<()> {
    let directory = paths::target().join("embedded/run/value-nodes");
    fs::create_dir_all(&directory)?;
    let script = paths::root().join("linker-scripts/value-nodes.x");
    let message = "profrt_value_nodes is the number of nodes, not their bytes";
    for linker in ["bfd", "lld"] {
        if linker == "lld" && clang.lld.is_none() {
            continue;
        }
        let link = |define: &str| {
            let mut link = Command::new(&clang.clang);
            link.current_dir(sources()).args(["-fprofile-generate", "host.c", "subject.c", "-Wl,-T"]).arg(&script);
            run::quiet(link.arg(format!("-fuse-ld={linker}")).args([define, "-o"]).arg(directory.join("host")))
        };
        link("-Wl,--as-needed").with_context(|| format!("value-nodes.x with {linker}"))?;
        let text = format!("{:#}", link("-Wl,--defsym=profrt_value_nodes=0x1000000").err().context("it links")?);
        ensure!(text.contains(message), "{linker} does not say `{message}`, but\n{text}");
    }
    Ok(())
}
