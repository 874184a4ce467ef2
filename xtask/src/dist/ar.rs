//! A writer for archives as GNU `ar` makes them: `!<arch>`, the symbol table `/`, the long names `//`, the members.
//!
//! Deterministic, as `ar D`: no time, no owner. Mirrors the section "Archive file format" of the System V ABI with GNU's naming.

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol};

/// An object file in an archive.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Writes the members in their order, with a table of the global symbols that each defines.
pub fn write(members: &[Member]) -> Result<Vec<u8>> {
    let symbols = members.iter().map(globals).collect::<Result<Vec<_>>>()?;
    let (names, name_fields) = long_names(members);

    let count: usize = symbols.iter().map(Vec::len).sum();
    let text: usize = symbols.iter().flatten().map(|name| name.len() + 1).sum();
    let table_size = 4 + 4 * count + text;

    let mut offset = 8 + 60 + even(table_size) + if names.is_empty() { 0 } else { 60 + even(names.len()) };
    let mut offsets = Vec::with_capacity(members.len());
    for member in members {
        offsets.push(u32::try_from(offset).context("an archive of more than 4 GiB has no 32-bit symbol table")?);
        offset += 60 + even(member.bytes.len());
    }

    let mut table = Vec::with_capacity(table_size);
    table.extend(u32::try_from(count)?.to_be_bytes());
    for (place, names) in offsets.iter().zip(&symbols) {
        table.extend(place.to_be_bytes().repeat(names.len()));
    }
    for name in symbols.iter().flatten() {
        table.extend(name.as_bytes());
        table.push(0);
    }

    let mut archive = b"!<arch>\n".to_vec();
    append(&mut archive, "/", "0", &table);
    if !names.is_empty() {
        append(&mut archive, "//", "", names.as_bytes());
    }
    for (member, field) in members.iter().zip(&name_fields) {
        append(&mut archive, field, "644", &member.bytes);
    }
    Ok(archive)
}

/// One header of 60 characters and the bytes, padded to an even length.
fn append(archive: &mut Vec<u8>, name: &str, mode: &str, bytes: &[u8]) {
    let zero = if mode.is_empty() { "" } else { "0" };
    let header = format!("{name:<16}{zero:<12}{zero:<6}{zero:<6}{mode:<8}{:<10}`\n", bytes.len());
    archive.extend(header.as_bytes());
    archive.extend(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
}

/// The table of names that do not fit in a header, and what each header says instead.
fn long_names(members: &[Member]) -> (String, Vec<String>) {
    let mut table = String::new();
    let mut fields = Vec::with_capacity(members.len());
    for member in members {
        if member.name.len() < 16 {
            fields.push(format!("{}/", member.name));
        } else {
            fields.push(format!("/{}", table.len()));
            table.push_str(&member.name);
            table.push_str("/\n");
        }
    }
    // The size in the header is even, as with GNU ar: readelf looks for the next member right behind.
    if table.len() % 2 == 1 {
        table.push('\n');
    }
    (table, fields)
}

/// What a linker may look for in this member.
fn globals(member: &Member) -> Result<Vec<String>> {
    let file = object::File::parse(&*member.bytes).with_context(|| format!("{} is not an object file", member.name))?;
    let visible = file.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    visible.map(|symbol| Ok(symbol.name()?.to_owned())).collect()
}

fn even(size: usize) -> usize {
    size + size % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_long_names_is_even() {
        let member = |name: &str| Member { name: name.to_owned(), bytes: Vec::new() };
        let (names, fields) =
            long_names(&[member("short.o"), member("first-long-member.o"), member("next-long-member.o")]);
        assert_eq!(names, "first-long-member.o/\nnext-long-member.o/\n\n");
        assert_eq!(fields, ["short.o/", "/0", "/21"]);
    }
}
