//! Object files and mappings made by hand.

/// Returns a relocatable ELF file of 64 bits, little-endian, with these sections.
pub fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    const HEADER: usize = 64;
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut headers = vec![[0u64; 4]];
    let mut bytes = vec![0; HEADER];
    for (name, data) in sections {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        headers.push([names.len() as u64, 1, bytes.len() as u64, data.len() as u64]);
        names.extend(name.bytes().chain([0]));
        bytes.extend_from_slice(data);
    }
    headers.push([1, 3, bytes.len() as u64, names.len() as u64]);
    bytes.extend(names);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let table = bytes.len() as u64;
    for [name, kind, offset, size] in &headers {
        let words = [*name | kind << 32, 0, 0, *offset, *size, 0, 8, 0];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0");
    bytes[20] = 1;
    bytes[40..48].copy_from_slice(&table.to_le_bytes());
    let numbers = [HEADER as u16, 0, 0, 64, headers.len() as u16, headers.len() as u16 - 1];
    bytes[52..64].copy_from_slice(&numbers.map(u16::to_le_bytes).concat());
    bytes
}

/// Appends a number of 7 bits a byte.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Returns numbers of 7 bits a byte.
pub fn numbers(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    numbers.into_iter().for_each(|number| put(&mut bytes, number));
    bytes
}

/// Returns a file list that is not compressed.
pub fn list(names: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    for name in names {
        put(&mut text, name.len() as u64);
        text.extend_from_slice(name);
    }
    let mut list = numbers([names.len() as u64, text.len() as u64, 0]);
    list.extend(text);
    list
}

fn pad(section: &mut Vec<u8>) {
    section.resize(section.len().next_multiple_of(8), 0);
}

/// Returns a section of translation units: their versions and file lists.
pub fn units(units: &[(u32, &[u8])]) -> Vec<u8> {
    let mut section = Vec::new();
    for (version, list) in units {
        pad(&mut section);
        section.extend([0, list.len() as u32, 0, *version].map(u32::to_le_bytes).concat());
        section.extend_from_slice(list);
    }
    section
}

/// Returns a section of functions: hashes of names, their own, file lists, and mappings.
pub fn functions<'a>(functions: impl IntoIterator<Item = (u64, u64, &'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut section = Vec::new();
    for (name, hash, list, mapping) in functions {
        pad(&mut section);
        section.extend(name.to_le_bytes());
        section.extend((mapping.len() as u32).to_le_bytes());
        section.extend(hash.to_le_bytes());
        section.extend(profdata::name::name_hash(list).to_le_bytes());
        section.extend_from_slice(mapping);
    }
    section
}

/// Returns an object file with one unit, whose file list is this.
pub fn object<'a>(list: &[u8], all: impl IntoIterator<Item = (u64, u64, &'a [u8])>) -> Vec<u8> {
    let functions =
        functions(all.into_iter().map(|(name, hash, mapping)| (name, hash, list, mapping)).collect::<Vec<_>>());
    elf(&[("__llvm_covmap", &units(&[(6, list)])), ("__llvm_covfun", &functions)])
}
