//! Picks the members of rustc's static library that are ours, and names each after what it defines.
//!
//! Kept: every member of the crate itself and of the objects that its build script made, and of its dependencies (`spin`) those
//! that a kept member refers to. Left out: `core`, `alloc`, `compiler_builtins`, and the panic handler, which a Rust program that
//! links the archive has already. What a kept member misses for that is undefined in the archive, where the audit finds it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use super::ar::Member;
use super::unwind_tables;

/// Crates of the sysroot that rustc bundles into every static library.
const SYSROOT: [&str; 4] = ["core", "alloc", "compiler_builtins", "rustc_std_workspace_core"];

/// A member as rustc made it, and what it says about symbols.
struct Compiled {
    /// The crate it was compiled from; none for an object of a build script.
    origin: Option<String>,
    bytes: Vec<u8>,
    defines: Vec<String>,
    wants: Vec<String>,
}

/// The member that is no part of the archive but a file of its own: programs that link it have their counters on whole pages.
pub const PAGES: &str = "profrt.abi-profrt_continuous.o";

/// The members to ship for hosted systems, in the order of their names; with unwind tables only where [`unwind_tables`] says.
pub fn own(staticlib: &[u8]) -> Result<Vec<Member>> {
    let mut members = pick(read(staticlib)?, Compiled::is_dependency)?;
    let is_elf = |member: &Member| member.bytes.starts_with(b"\x7fELF");
    for member in members.iter_mut().filter(|member| is_elf(member) && !unwind_tables::is_unwound(&member.name)) {
        member.bytes = unwind_tables::removed(&member.bytes)?;
    }
    Ok(members)
}

/// The members to ship for devices, where there may be no other library: with what ours need of `core` and `compiler_builtins`,
/// whose functions are weak. The panic handler is left out here too: a program that could panic does not link.
pub fn with_helpers(staticlib: &[u8]) -> Result<Vec<Member>> {
    pick(read(staticlib)?, |member| member.is_dependency() || member.is_helper())
}

fn pick(compiled: Vec<Compiled>, useful: fn(&Compiled) -> bool) -> Result<Vec<Member>> {
    let mut kept: Vec<usize> = (0..compiled.len()).filter(|&i| compiled[i].is_ours()).collect();
    if kept.is_empty() {
        bail!("rustc's static library has no member of the crate profrt");
    }
    let mut next = 0;
    while next < kept.len() {
        let wanted: BTreeSet<&str> = compiled[kept[next]].wants.iter().map(String::as_str).collect();
        for (index, other) in compiled.iter().enumerate() {
            let answers = || other.defines.iter().any(|name| wanted.contains(name.as_str()));
            if useful(other) && !kept.contains(&index) && answers() {
                kept.push(index);
            }
        }
        next += 1;
    }
    name(kept.into_iter().map(|index| &compiled[index]))
}

impl Compiled {
    fn of(name: &str, bytes: Vec<u8>) -> Result<Compiled> {
        let file = object::File::parse(&*bytes).with_context(|| format!("member {name} is not an object file"))?;
        let (mut defines, mut wants) = (Vec::new(), Vec::new());
        for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
            let name = symbol.name()?;
            let list = if symbol.is_undefined() { &mut wants } else { &mut defines };
            list.push(name.to_owned());
        }
        Ok(Compiled { origin: origin(name, &defines), bytes, defines, wants })
    }

    fn is_ours(&self) -> bool {
        // What defines nothing is never pulled by a linker.
        let useful = !self.defines.is_empty() && !self.is_panic_handler();
        useful && matches!(self.origin.as_deref(), None | Some("profrt"))
    }

    fn is_dependency(&self) -> bool {
        self.origin.as_deref().is_some_and(|origin| origin != "profrt" && !SYSROOT.contains(&origin))
    }

    fn is_helper(&self) -> bool {
        self.origin.as_deref().is_some_and(|origin| SYSROOT.contains(&origin)) && !self.is_panic_handler()
    }

    /// Nothing but what rustc calls when a panic begins.
    fn is_panic_handler(&self) -> bool {
        self.defines.iter().all(|name| name.contains("rust_begin_unwind"))
    }
}

fn read(staticlib: &[u8]) -> Result<Vec<Compiled>> {
    let archive = ArchiveFile::parse(staticlib).context("cargo's static library is not an archive")?;
    // An object whose name does not say a crate is from a build script: ours, or that of `compiler_builtins`, which is C as well.
    // The latter come with the sysroot and define none but the helper functions of compilers.
    let mut all = Vec::new();
    for member in archive.members() {
        let member = member?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        all.push(Compiled::of(&name, member.data(staticlib)?.to_vec())?);
    }
    Ok(all)
}

/// The crate that a member was compiled from: rustc calls it `CRATE-HASH.….rcgu.o`.
fn origin(member: &str, defines: &[String]) -> Option<String> {
    if member.ends_with(".rcgu.o") {
        return member.split(['-', '.']).next().map(str::to_owned);
    }
    let helper = |name: &String| name.starts_with("__") && !name.starts_with("__llvm_");
    let builtins = !defines.is_empty() && defines.iter().all(helper);
    builtins.then(|| "compiler_builtins".to_owned())
}

/// Gives each member a name that says what it holds and does not change from one compilation to the next.
fn name<'a>(members: impl Iterator<Item = &'a Compiled>) -> Result<Vec<Member>> {
    let mut groups: BTreeMap<String, Vec<&Compiled>> = BTreeMap::new();
    for member in members {
        groups.entry(title(&member.defines)).or_default().push(member);
    }
    let mut named = Vec::new();
    for (title, mut group) in groups {
        group.sort_by(|one, other| one.defines.cmp(&other.defines).then_with(|| one.bytes.cmp(&other.bytes)));
        for (index, member) in group.into_iter().enumerate() {
            let number = if index == 0 { String::new() } else { format!("-{}", index + 1) };
            named.push(Member { name: format!("profrt.{title}{number}.o"), bytes: member.bytes.clone() });
        }
    }
    named.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(named)
}

/// `abi-write_buffer` for a C name, else the module of the Rust items: `value-hook`, or `generic-core-slice` where they are
/// instances of another crate's.
fn title(defines: &[String]) -> String {
    let c_names = defines.iter().filter(|name| !is_mangled(name));
    if let Some(shortest) = c_names.min_by_key(|name| (name.len(), name.as_str())) {
        let stem = shortest.trim_start_matches('_');
        let stem = stem.strip_prefix("llvm_profile_").or_else(|| stem.strip_prefix("llvm_")).unwrap_or(stem);
        return format!("abi-{stem}");
    }
    let paths: Vec<String> = defines.iter().map(|name| format!("{:#}", rustc_demangle::demangle(name))).collect();
    let ours: BTreeSet<String> = paths.iter().filter_map(|path| module(&own_part(path)?)).collect();
    let others: BTreeSet<String> = paths.iter().filter_map(|path| module(path.trim_start_matches('<'))).collect();
    let shortest = |names: BTreeSet<String>| names.into_iter().min_by_key(String::len);
    let instance = |module: String| format!("generic-{module}");
    shortest(ours).or_else(|| shortest(others).map(instance)).unwrap_or_else(|| "generic".to_owned())
}

/// Returns what follows our crate's name in a path, which may be the type in `<profrt::… as core::…>::…`. Paths in the crate
/// `profrt_format`, whose generic functions are compiled with the runtime, begin with `format::`.
fn own_part(path: &str) -> Option<String> {
    let after =
        |name: &str| path.strip_prefix(name).or_else(|| path.split_once(&format!("<{name}")).map(|(_, rest)| rest));
    after("profrt::").map(str::to_owned).or_else(|| after("profrt_format::").map(|rest| format!("format::{rest}")))
}

/// `value::hook::bump` lives in `value-hook`.
fn module(path: &str) -> Option<String> {
    let end = path.find(['<', '>', ' ', ',', '(', '{']).unwrap_or(path.len());
    let mut parts: Vec<&str> = path[..end].split("::").collect();
    // The item itself, or nothing where a type in brackets follows.
    parts.pop();
    // Types are parts of a path too; modules are in lower case.
    parts.retain(|part| part.starts_with(|c: char| c.is_ascii_lowercase()));
    let unhashed = !path.starts_with("anon.");
    unhashed.then(|| if parts.is_empty() { "root".to_owned() } else { parts.join("-") })
}

/// Whether rustc made this name: mangled, or `anon.HASH.N` for a constant that several members use.
pub fn is_mangled(name: &str) -> bool {
    let constant = name.strip_prefix("anon.").and_then(|rest| rest.split_once('.'));
    let hash = |hash: &str| hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    rustc_demangle::try_demangle(name).is_ok() || constant.is_some_and(|(text, _)| hash(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_titled_by_what_they_define() {
        let title = |names: &[&str]| title(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let mangled = "_ZN6profrt5value4hook4bump17h6b946dbfe6cae7e9E";
        assert_eq!(title(&[mangled]), "value-hook");
        assert_eq!(title(&[mangled, "__llvm_profile_write_buffer"]), "abi-write_buffer");
        assert_eq!(title(&["_ZN13profrt_format6layout13Plan$LT$S$GT$5check17h8510e41a4a5dd0ceE"]), "format-layout");
        assert_eq!(title(&["profrt_check"]), "abi-profrt_check");
        assert_eq!(title(&["_ZN4core5slice20copy_from_slice_impl17h6384898caf93a9d5E"]), "generic-core-slice");
        assert_eq!(
            title(&["anon.194c65b14d1f649917f41813abab1bf9.0.llvm.17222624230946344167", mangled]),
            "value-hook"
        );
        assert_eq!(title(&[]), "generic");
    }

    #[test]
    fn the_crate_is_read_from_the_member_name() {
        assert_eq!(origin("spin-1a2b.spin.3c4d-cgu.0.rcgu.o", &[]).as_deref(), Some("spin"));
        assert_eq!(origin("45c9-mulvti3.o", &["__mulvti3".to_owned()]).as_deref(), Some("compiler_builtins"));
        assert_eq!(origin("1234-weak.o", &["__llvm_profile_filename".to_owned()]), None);
    }
}
