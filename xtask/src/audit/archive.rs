//! An archive as the checks see it: members, their sections, their symbols that are not local.

use anyhow::{Context, Result};
use object::elf;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolFlags};

pub struct Archive {
    pub raw: u8,
    pub members: Vec<Member>,
}

pub struct Member {
    pub name: String,
    pub sections: Vec<Section>,
    pub symbols: Vec<Symbol>,
    pub bytes: Vec<u8>,
}

pub struct Section {
    pub name: String,
    /// `SHF_*`
    pub flags: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub defined: bool,
    /// `func`, `object`, `tls` or `notype`.
    pub kind: &'static str,
    pub weak: bool,
    pub visibility: &'static str,
}

impl Archive {
    pub fn parse(raw: u8, bytes: &[u8]) -> Result<Archive> {
        let archive = ArchiveFile::parse(bytes).context("not an archive")?;
        let mut members = Vec::new();
        for member in archive.members() {
            let member = member?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let data = member.data(bytes)?;
            members.push(Member::parse(&name, data).with_context(|| format!("in the member {name}"))?);
        }
        Ok(Archive { raw, members })
    }

    /// Every definition that is not local, with the member that has it.
    pub fn definitions(&self) -> impl Iterator<Item = (&Member, &Symbol)> {
        let symbols = self.members.iter().flat_map(|member| member.symbols.iter().map(move |symbol| (member, symbol)));
        symbols.filter(|(_, symbol)| symbol.defined)
    }

    pub fn defines(&self, name: &str) -> bool {
        self.definitions().any(|(_, symbol)| symbol.name == name)
    }
}

impl Member {
    fn parse(name: &str, bytes: &[u8]) -> Result<Member> {
        let file = object::File::parse(bytes).context("not an object file")?;
        let mut sections = Vec::new();
        for section in file.sections() {
            let flags = match section.flags() {
                SectionFlags::Elf { sh_flags, .. } => sh_flags.0,
                _ => 0,
            };
            sections.push(Section { name: section.name()?.to_owned(), flags });
        }
        let mut symbols = Vec::new();
        for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
            let SymbolFlags::Elf { st_info, st_other, .. } = symbol.flags() else {
                continue;
            };
            symbols.push(Symbol {
                name: symbol.name()?.to_owned(),
                defined: !symbol.is_undefined(),
                kind: kind(st_info),
                weak: symbol.is_weak(),
                visibility: visibility(st_other),
            });
        }
        Ok(Member { name: name.to_owned(), sections, symbols, bytes: bytes.to_vec() })
    }
}

/// In the words of the lists.
fn kind(info: elf::SymbolInfo) -> &'static str {
    match info.st_type() {
        elf::STT_FUNC | elf::STT_GNU_IFUNC => "func",
        elf::STT_OBJECT | elf::STT_COMMON => "object",
        elf::STT_TLS => "tls",
        _ => "notype",
    }
}

fn visibility(other: elf::SymbolOther) -> &'static str {
    match other.visibility() {
        elf::STV_HIDDEN => "hidden",
        elf::STV_INTERNAL => "internal",
        elf::STV_PROTECTED => "protected",
        _ => "default",
    }
}

impl Symbol {
    /// `func global hidden`: the three things that an official symbol prescribes.
    pub fn described(&self) -> String {
        let binding = if self.weak { "weak" } else { "global" };
        format!("{} {binding} {}", self.kind, self.visibility)
    }
}
