//! Object files with coverage mappings.

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, Object as _, ObjectSection as _, SectionKind};

use crate::objects_made::{elf, functions, list, numbers, object, put, units};

/// Returns the object file of an input: the input, one with this mapping, or one with this file list.
pub fn of_input(mode: u8, rest: &[u8]) -> Vec<u8> {
    match mode % 3 {
        0 => rest.to_vec(),
        1 => object(&list(&[b"/d", b"a.c", b"/b.h"]), [(1, 2, rest), (1, 0, &[1, 0, 0, 1, 0, 1, 1, 0, 1])]),
        _ => {
            let functions = functions([(1, 2, rest, &[2, 0, 1, 0, 1, 5, 1, 1, 0, 1, 0][..])]);
            elf(&[("__llvm_covmap", &units(&[(u32::from(mode >> 5), rest)])), ("__llvm_covfun", &functions)])
        }
    }
}

/// Returns the first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let names = list(&[b"/d", b"a.c", b"/b.h"]);
    // A difference, an expansion, a gap, what is skipped, a branch, and a decision of two conditions.
    let mapping = numbers(
        [
            [2, 1, 2, 2, 1, 5, 2, 9, 10].as_slice(),
            &[1, 1, 1, 9, 2, 12, 1, 1, 0, 5, 2, 0, 3, 0, 1 << 31 | 7, 16, 1, 1, 0, 5, 32, 5, 2, 1, 1, 0, 4],
            &[40, 3, 2, 1, 1, 0, 9, 48, 1, 2, 1, 2, 0, 0, 1, 0, 3, 48, 5, 3, 2, 0, 0, 0, 4, 0, 9],
            &[3, 0, 1, 1, 0, 4],
            &[1, 5, 1, 1, 0, 2],
        ]
        .concat(),
    );
    let whole = object(&names, [(1, 2, &mapping[..]), (3, 0, &[1, 0, 0, 1, 0, 1, 1, 0, 1])]);
    let with = |mode: u8, bytes: &[u8]| [&[mode], bytes].concat();
    let mut seeds = vec![with(0, &whole), with(1, &mapping), with(6 << 5 | 2, &names), with(4 << 5, &names)];
    seeds.extend(of_other_formats(&whole).iter().map(|object| with(0, object)));
    seeds
}

/// Returns objects for Windows, macOS and WebAssembly with the sections of one for ELF.
fn of_other_formats(elf: &[u8]) -> [Vec<u8>; 3] {
    let file = object::File::parse(elf).expect("an object");
    let sections = || file.sections().map(|section| (section.name().expect("a name"), section.data().expect("bytes")));
    let written = |format, segment: &[u8], name: fn(&str) -> &str| {
        let mut object = Object::new(format, Architecture::X86_64, Endianness::Little);
        for (section, data) in sections() {
            let id = object.add_section(segment.to_vec(), name(section).into(), SectionKind::ReadOnlyData);
            object.set_section_data(id, data, 8);
        }
        object.write().expect("an object")
    };
    let coff = written(BinaryFormat::Coff, b"", |name| match name {
        "__llvm_covmap" => ".lcovmap$M",
        "__llvm_covfun" => ".lcovfun$M",
        "__llvm_prf_names" => ".lprfn$M",
        other => other,
    });
    let mut wasm = b"\0asm\x01\0\0\0".to_vec();
    for (name, data) in sections() {
        wasm.push(0);
        put(&mut wasm, (1 + name.len() + data.len()) as u64);
        put(&mut wasm, name.len() as u64);
        wasm.extend([name.as_bytes(), data].concat());
    }
    [coff, written(BinaryFormat::MachO, b"__LLVM_COV", |name| name), wasm]
}
