//! Nothing in the runtime can panic.
//!
//! The crate is compiled once more with whole-program optimisation, after which a panic that cannot happen is gone from the code.
//! Then every section that can be reached from a C name or a constructor is visited along the relocations. Reaching the panic
//! handler is a finding, and the way there is shown.

use std::collections::{BTreeMap, VecDeque};
use std::fs;

use anyhow::{Context, Result, bail};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, elf};

use testkit::dist::members::is_mangled;
use testkit::dist::{self, compile};

/// What the panic handler of a proof build calls; nobody defines it.
const REACHED: &str = "profrt_panic_reached";

/// Builds the proof for one raw version, and looks for a way to a panic.
pub fn check(raw: u8, triple: &str) -> Result<Vec<String>> {
    let _one_at_a_time = dist::lock()?;
    let library = compile::proof(raw, triple)?;
    let bytes = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    ways(&bytes, "profrt")
}

/// A section, the symbols in it and where its relocations lead.
struct Node {
    label: String,
    root: bool,
    leads: Vec<Lead>,
}

enum Lead {
    /// A section of the same object.
    Here(usize),
    /// A symbol that some object defines.
    Named(String),
}

/// Ways from the C names and constructors of `crate_name` to a panic, one for each panicking function.
fn ways(archive: &[u8], crate_name: &str) -> Result<Vec<String>> {
    let (nodes, defined) = read(archive, crate_name)?;
    let mut from: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    let mut queue: VecDeque<usize> = (0..nodes.len()).filter(|&node| nodes[node].root).collect();
    if queue.is_empty() {
        bail!("the proof build defines no C name, so it proves nothing; is the feature `abi` on?");
    }
    from.extend(queue.iter().map(|&node| (node, None)));
    let mut findings = Vec::new();
    while let Some(node) = queue.pop_front() {
        for lead in &nodes[node].leads {
            let next = match lead {
                Lead::Here(next) => Some(*next),
                Lead::Named(name) => defined.get(name).copied(),
            };
            let label = match lead {
                Lead::Named(name) => demangled(name),
                Lead::Here(next) => nodes[*next].label.clone(),
            };
            if panics(&label) {
                findings.push(format!("{} -> {label}", way(node, &nodes, &from)));
            } else if let Some(next) = next.filter(|next| !from.contains_key(next)) {
                from.insert(next, Some(node));
                queue.push_back(next);
            }
        }
    }
    findings.sort();
    findings.dedup();
    Ok(findings)
}

fn panics(label: &str) -> bool {
    label == REACHED || label.starts_with("core::panicking") || label.contains("rust_begin_unwind")
}

/// The labels from the root to `node`.
fn way(node: usize, nodes: &[Node], from: &BTreeMap<usize, Option<usize>>) -> String {
    let mut steps = vec![nodes[node].label.as_str()];
    let mut at = node;
    while let Some(Some(before)) = from.get(&at) {
        steps.push(&nodes[*before].label);
        at = *before;
    }
    steps.reverse();
    steps.join(" -> ")
}

/// All sections of all members, and which of them defines each name that is not local.
fn read(archive: &[u8], crate_name: &str) -> Result<(Vec<Node>, BTreeMap<String, usize>)> {
    let parsed = ArchiveFile::parse(archive).context("the proof build is not an archive")?;
    let (mut nodes, mut defined) = (Vec::new(), BTreeMap::new());
    for member in parsed.members() {
        let member = member?;
        let ours = member.name().starts_with(crate_name.as_bytes());
        let file =
            object::File::parse(member.data(archive)?).context("a member of the proof build is not an object file")?;
        // Section numbers of an object are small and dense: node = first + number.
        let first = nodes.len();
        for section in file.sections() {
            let number = first + section.index().0;
            nodes.resize_with(nodes.len().max(number + 1), || Node {
                label: String::new(),
                root: false,
                leads: Vec::new(),
            });
            nodes[number] = node(&file, &section, first, ours)?;
        }
        for symbol in file.symbols() {
            let Some(section) = symbol.section_index() else {
                continue;
            };
            let (name, number) = (symbol.name()?, first + section.0);
            let Some(node) = nodes.get_mut(number) else {
                continue;
            };
            if symbol.is_global() {
                defined.entry(name.to_owned()).or_insert(number);
                node.root |= ours && !is_mangled(name);
            }
            if node.label.is_empty() || symbol.is_global() {
                node.label = demangled(name);
            }
        }
    }
    Ok((nodes, defined))
}

fn node<'data>(
    file: &object::File<'data>,
    section: &object::Section<'data, '_>,
    first: usize,
    ours: bool,
) -> Result<Node> {
    let name = section.name()?;
    let retained =
        matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & elf::SHF_GNU_RETAIN.0 != 0);
    let constructor = name.starts_with(".init_array") || name.starts_with(".fini_array");
    let mut leads = Vec::new();
    for (_, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        let symbol = file.symbol_by_index(index)?;
        leads.push(match symbol.section_index() {
            Some(here) => Lead::Here(first + here.0),
            None => Lead::Named(symbol.name()?.to_owned()),
        });
    }
    let label = if constructor { name.to_owned() } else { String::new() };
    Ok(Node { label, root: ours && (constructor || retained), leads })
}

fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::tests::barks;
    use std::process::Command;

    fn ways_of(body: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("a.rs");
        let text = format!(
            "#![no_std]
            unsafe extern \"C\" {{ fn {REACHED}() -> !; }}
            #[panic_handler] fn panic(_: &core::panic::PanicInfo<'_>) -> ! {{ unsafe {{ {REACHED}() }} }}
            #[inline(never)] fn inner(bytes: &[u8], at: usize) -> u8 {{ {body} }}
            #[unsafe(no_mangle)] pub extern \"C\" fn entry(at: usize) -> u8 {{ inner(&[1, 2, 3, 4], at) }}"
        );
        fs::write(&source, text).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args([
            "--edition=2024",
            "--crate-type=staticlib",
            "--crate-name=sample",
            "-Cpanic=abort",
            "-Copt-level=3",
        ]);
        rustc.args(["-Clto=fat", "-Ccodegen-units=1"]).arg(&source).arg("--out-dir").arg(directory.path());
        assert!(rustc.status().unwrap().success());
        ways(&fs::read(directory.path().join("libsample.a")).unwrap(), "sample").unwrap()
    }

    #[test]
    fn code_that_cannot_panic_passes() {
        assert_eq!(ways_of("bytes.get(at).copied().unwrap_or(0)"), [""; 0]);
        assert_eq!(ways_of("bytes[at & 3 & (bytes.len().wrapping_sub(1) & 3)]"), [""; 0]);
    }

    #[test]
    fn an_index_that_can_be_outside_is_found_with_the_way_there() {
        barks(&ways_of("bytes[at]"), &["entry ->", "panic"]);
        barks(&ways_of("bytes.get(at).copied().expect(\"inside\")"), &["entry ->", "panic"]);
    }

    #[test]
    fn a_build_without_c_names_proves_nothing() {
        let empty = testkit::dist::ar::write(&[]).unwrap();
        assert!(ways(&empty, "sample").unwrap_err().to_string().contains("proves nothing"));
    }
}
