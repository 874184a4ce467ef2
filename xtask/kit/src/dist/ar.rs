//! Writes archives as GNU `ar D` does: a symbol table, long names, and neither times nor owners. For macOS as the linker there wants them.

use std::io::Cursor;

use anyhow::{Context, Result};
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};

/// An object file in an archive.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Writes the members in their order, with a table of the global symbols that each defines.
pub fn write(members: &[Member]) -> Result<Vec<u8>> {
    let new = |member: &Member| NewArchiveMember {
        buf: Box::new(member.bytes.clone()),
        object_reader: &DEFAULT_OBJECT_READER,
        member_name: member.name.clone(),
        // The same bytes whoever builds, and whenever.
        mtime: 0,
        uid: 0,
        gid: 0,
        perms: 0o644,
    };
    let members: Vec<NewArchiveMember> = members.iter().map(new).collect();
    let mut archive = Cursor::new(Vec::new());
    let for_macos = members.first().is_some_and(|member| member.buf.as_ref().as_ref().starts_with(b"\xcf\xfa\xed\xfe"));
    let kind = if for_macos { ArchiveKind::Darwin } else { ArchiveKind::Gnu };
    write_archive_to_stream(&mut archive, &members, kind, false, None).context("cannot write an archive")?;
    Ok(archive.into_inner())
}

#[cfg(test)]
mod tests {
    use object::read::archive::ArchiveFile;

    use super::*;

    /// Assembles the source to an object file.
    fn assemble(source: &str) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let (input, output) = (directory.path().join("in.s"), directory.path().join("out.o"));
        std::fs::write(&input, format!("{source}\n")).unwrap();
        let assembled = std::process::Command::new("cc").arg("-c").arg(&input).arg("-o").arg(&output).status();
        assert!(assembled.unwrap().success());
        std::fs::read(&output).unwrap()
    }

    #[test]
    fn members_and_symbols_are_read_back_without_times_and_owners() {
        let member = |name: &str, source: &str| Member { name: name.to_owned(), bytes: assemble(source) };
        let mut members = [
            member("short.o", ".globl one\none: nop\n.weak two\ntwo: nop\nlocal: nop\n"),
            member("a-name-of-more-than-fifteen.o", ".globl three\nthree: .quad four\n"),
        ];
        // Each member begins at an even offset.
        members[0].bytes.push(0);
        let bytes = write(&members).unwrap();

        let archive = ArchiveFile::parse(&*bytes).unwrap();
        let read: Vec<_> = archive.members().map(|member| member.unwrap()).collect();
        assert_eq!(read.len(), 2);
        for (read, member) in read.iter().zip(&members) {
            assert_eq!(read.name(), member.name.as_bytes());
            assert_eq!(read.data(&*bytes).unwrap(), member.bytes);
            assert_eq!((read.date(), read.uid(), read.gid(), read.mode()), (Some(0), Some(0), Some(0), Some(0o644)));
        }
        let symbols = archive.symbols().unwrap().unwrap().map(|symbol| symbol.unwrap());
        let symbols: Vec<_> = symbols.map(|symbol| (symbol.name().to_owned(), symbol.offset())).collect();
        let offset = |of: usize| read[of].file_range().0 - 60;
        let expected = [("one", 0), ("two", 0), ("three", 1)];
        for ((name, of), symbol) in expected.iter().zip(&symbols) {
            assert_eq!((symbol.0.as_slice(), symbol.1.0), (name.as_bytes(), offset(*of)));
        }
        assert_eq!(symbols.len(), expected.len());
    }
}
