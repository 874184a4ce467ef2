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
    let good = Firmware { name: &name, ..good.clone() };
    let objects = good.compile()?;
    let absent = link(&Firmware { fragment: None, ..good.clone() }, &objects, &[]);
    refused(absent, &["error_profrt_is_linked_without_its_linker_script_profrt.x"]).context("without a fragment")?;
    more_nodes(&good, &objects)?;
    for fragment in FRAGMENTS {
        let firmware = Firmware { fragment: Some(fragment), ..good.clone() };
        for region in ["PROFRT_RAM", "PROFRT_LOAD"] {
            let undeclared = [(&*format!("REGION_ALIAS(\"{region}\""), "REGION_ALIAS(\"OTHER\"")];
            // GNU ld says ours, and may find that sections lie on each other first; lld's own says as much.
            let messages =
                [format!("no memory region is called {region}"), format!("memory region not defined: {region}")];
            refused(link(&firmware, &objects, &undeclared), &messages)
                .with_context(|| format!("{fragment} without {region}"))?;
        }
        for end in HEAPS {
            // Behind the variables, where somebody would put it who knows nothing of counters; and where it should be.
            let bad = [("bss_end = .;", &*format!("bss_end = .; {end} = . + 16;"))];
            let right = [("INCLUDE profrt-checks.x", &*format!("{end} = profrt_ram_end;\nINCLUDE profrt-checks.x"))];
            let message = format!("the heap begins inside of the counters, at the symbol {end}.");
            refused(link(&firmware, &objects, &bad), &[message]).with_context(|| format!("{fragment}, {end}"))?;
            link(&firmware, &objects, &right).with_context(|| format!("{fragment}, {end}"))?;
        }
    }
    Ok(())
}

fn link(firmware: &Firmware<'_>, objects: &[PathBuf], replaced: &[(&str, &str)]) -> Result<()> {
    run::quiet(firmware.linker(objects, replaced)?.arg("-o").arg(firmware.elf()))
}

/// Fails unless the linker has failed, with one of these messages.
fn refused(linked: Result<()>, messages: &[impl AsRef<str>]) -> Result<()> {
    let text = format!("{:#}", linked.err().context("it links")?);
    let (any, first) = (messages.iter().any(|message| text.contains(message.as_ref())), messages[0].as_ref());
    ensure!(any, "`{first}` is not said, but\n{text}");
    Ok(())
}

/// As many nodes more as the linker is told.
fn more_nodes(firmware: &Firmware<'_>, objects: &[PathBuf]) -> Result<()> {
    let size = |define| -> Result<u64> {
        link(&Firmware { define, ..firmware.clone() }, objects, &[])?;
        let bytes = fs::read(firmware.elf())?;
        let elf = object::File::parse(&*bytes).context("firmware is an ELF file")?;
        Ok(elf.section_by_name("__llvm_prf_vnds").map_or(0, |section| section.size()))
    };
    let (without, with) = (size(&[])?, size(&["profrt_value_nodes=8"])?);
    ensure!(with == without + 8 * 32, "8 nodes more take {with} - {without} bytes");
    Ok(())
}

/// The fragment for programs on systems: too many nodes, and a number of its own.
pub fn value_nodes(clang: &Clang) -> Result<()> {
    let directory = paths::target().join("embedded/run/value-nodes");
    fs::create_dir_all(&directory)?;
    for linker in ["bfd", "lld"] {
        let link = |define: &str| {
            let mut link = Command::new(&clang.clang);
            link.current_dir(sources()).args(["-fprofile-generate", "host.c", "subject.c", "-Wl,-T"]);
            link.arg(paths::root().join("linker-scripts/value-nodes.x")).arg(format!("-fuse-ld={linker}"));
            run::quiet(link.args([define, "-o"]).arg(directory.join("host")))
        };
        link("-Wl,--as-needed").with_context(|| format!("value-nodes.x with {linker}"))?;
        let message = "profrt_value_nodes is the number of nodes, not their bytes";
        refused(link("-Wl,--defsym=profrt_value_nodes=0x1000000"), &[message]).context(linker)?;
    }
    Ok(())
}
