//! Object files that are no ELF files, made by hand: their parts, and what is made to take time or memory.

use needs_macros::needs;
use std::process::Command;

use profdata::coverage::{Added, Mapping};
use profdata::error::Error;

use crate::coverage::hostile::{LIMIT, time};
use crate::coverage::made::{functions, list, numbers, object, put, units};
use crate::coverage::programs::run;
use crate::coverage::read_all::read_all;

/// One counter on one line.
const MAPPING: [u8; 9] = [1, 0, 0, 1, 1, 1, 1, 0, 5];

/// The sections of a function whose name is `run`.
fn sections() -> [Vec<u8>; 3] {
    let list = list(&[b"/d", b"a.c"]);
    let functions = functions([(profdata::name::name_hash(b"run"), 2, &list[..], &MAPPING[..])]);
    [units(&[(6, &list)]), functions, b"\x03\0run".to_vec()]
}

/// Returns a section of a wasm module.
fn section(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number];
    put(&mut bytes, content.len() as u64);
    [&bytes, content].concat()
}

fn custom(name: &str, content: &[u8]) -> Vec<u8> {
    section(0, &[&[name.len() as u8], name.as_bytes(), content].concat())
}

/// Returns a module whose names are in the second of its segments, with this more.
fn wasm(named: &[u8], more: &[u8]) -> Vec<u8> {
    let [units, functions, names] = sections();
    // At a constant, at a sum of a global and a constant below 0 in memory 0, and nowhere.
    let data =
        [&[3, 0, 0x41, 8, 0x0b, 1, 7, 2, 0, 0x23, 0, 0x41, 0x7f, 0x6a, 0x0b][..], &section(5, &names)[1..], &[1, 0]]
            .concat();
    let parts = [
        section(11, &data),
        custom("__llvm_covmap", &units),
        custom("__llvm_covfun", &functions),
        named.to_vec(),
        more.to_vec(),
    ];
    [b"\0asm\x01\0\0\0", &parts.concat()[..]].concat()
}

/// The name of the segment, as modules have it, and as objects do.
fn named() -> [Vec<u8>; 2] {
    let name = b"__llvm_prf_names";
    let of_module = [&[1, 1, 16][..], name].concat();
    let of_object = [&[2, 1, b'x', 0, 0, 16][..], name, &[0, 0]].concat();
    [
        custom("name", &[section(0, b"\x03abc"), section(9, &of_module)].concat()),
        custom("linking", &[&[2][..], &section(8, &[0]), &section(5, &of_object)].concat()),
    ]
}

/// Returns a universal file of slices with these sizes, one behind the other, or all of the same.
fn universal(slices: &[&[u8]], is_same: bool) -> Vec<u8> {
    let count = slices.len() as u32;
    let mut at = 8 + 20 * count;
    let mut bytes = [0xcafe_babe, count].map(u32::to_be_bytes).concat();
    for slice in slices {
        bytes.extend([0x0100_0007, 3, at, slice.len() as u32, 0].map(u32::to_be_bytes).concat());
        at += if is_same { 0 } else { slice.len() as u32 };
    }
    let kept = if is_same { &slices[..1] } else { slices };
    [bytes, kept.concat()].concat()
}

/// Returns an archive of members.
fn archive(members: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for member in members {
        bytes.extend(format!("{:<16}{:<32}{:<10}`\n", "/1", "", member.len()).bytes());
        bytes.extend_from_slice(member);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

fn added(bytes: &[u8]) -> (Result<Added, Error>, Option<Vec<u8>>) {
    let mut mapping = Mapping::new();
    let added = mapping.add(bytes);
    (added, mapping.name(profdata::name::name_hash(b"run")).map(<[u8]>::to_vec))
}

/// Returns the number of functions, which are undamaged.
fn count(bytes: &[u8]) -> u64 {
    let added = added(bytes).0.unwrap();
    assert_eq!((added.damaged, added.error), (0, None));
    added.functions
}

#[test]
fn names_of_wasm_are_found_by_the_name_of_their_segment() {
    for named in named() {
        let (added, name) = added(&wasm(&named, &[]));
        assert_eq!((added.unwrap().error, name.as_deref()), (None, Some(&b"run"[..])));
    }
    // Another segment has the names; nothing says which.
    let (other, name) = added(&wasm(&custom("name", &section(9, &[0])), &[]));
    assert_eq!((other.unwrap().error, name), (None, None));
    let (stripped, name) = added(&wasm(&[], &[]));
    let stripped = stripped.unwrap();
    assert_eq!((stripped.functions, stripped.damaged, name), (1, 0, None));
    assert!(stripped.error.unwrap().to_string().contains("stripped"));
}

#[test]
fn files_in_files() {
    let [module, own] = [wasm(&named()[0], &[]), object(&list(&[b"/d", b"a.c"]), [(1, 2, &MAPPING[..])])];
    let lib = archive(&[b"of no object file", &module, &own]);
    assert_eq!([&module, &own, &lib, &universal(&[&lib, &own, &[]], false)].map(|bytes| count(bytes)), [1, 1, 2, 3]);
    // Nobody links what is deeper.
    assert_eq!([archive(&[&lib]), universal(&[&archive(&[&lib])], false)].map(|bytes| count(&bytes)), [0, 0]);
    let error = |bytes: &[u8]| added(bytes).0.unwrap_err().to_string();
    assert!(error(&universal(&[&own, &own], true)).contains("slices that do not overlap"));
    assert!(error(b"!<thin>\n").contains("a thin archive"));
    assert!(error(b"int main(void) { return 0; }").contains("an object file or an archive"));
}

#[test]
fn cuts() {
    let modules = named().map(|named| wasm(&named, &custom("producers", b"\0")));
    let own = object(&list(&[b"/d", b"a.c"]), [(1, 2, &MAPPING[..])]);
    let both = archive(&[&modules[0], &own]);
    for whole in [&modules[0], &modules[1], &both, &universal(&[&both, &own], false)] {
        assert!(read_all(whole) > 1);
        (0..whole.len()).for_each(|end| _ = read_all(&whole[..end]));
        for at in 0..whole.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                read_all(&changed);
            }
        }
    }
}

/// Returns a COFF object of many sections whose names are in a text of a megabyte that does not end.
fn names_without_end(sections: u32) -> Vec<u8> {
    let mut bytes =
        b"\0\0\xff\xff\x02\0\x64\x86\0\0\0\0\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8".to_vec();
    bytes.extend([0, 0, 0, 0, sections, 56 + 40 * sections, 0].map(u32::to_le_bytes).concat());
    bytes.extend([&b"/4"[..], &[0; 38]].concat().repeat(sections as usize));
    [&bytes[..], &(1u32 << 20).to_le_bytes(), &vec![b'y'; (1 << 20) - 4]].concat()
}

#[needs("clang-22")]
fn cuts_of_what_clang_and_lld_make() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let source = "int __llvm_profile_runtime; int run(int x) { return x && x > 3 ? 1 : 2; }\n";
    std::fs::write(dir.join("a.c"), source).unwrap();
    let flags = ["-ffreestanding", "-fprofile-instr-generate", "-fcoverage-mapping", "-c", "a.c", "-o", "a.o"];
    for target in ["arm64-apple-macos11", "x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "wasm32-wasip1"] {
        run(Command::new("clang-22").args(["-target", target]).args(flags).current_dir(dir));
        let mut files = vec![std::fs::read(dir.join("a.o")).unwrap()];
        if target.starts_with("x86_64") {
            let flags = ["/nodefaultlib", "/noentry", "/dll", "/out:a.dll", "a.o"];
            run(Command::new("lld-link-22").args(flags).current_dir(dir));
            files.push(std::fs::read(dir.join("a.dll")).unwrap());
        }
        for mut file in files {
            assert!(read_all(&file) > 1, "{target}");
            (0..file.len()).for_each(|end| _ = read_all(&file[..end]));
            // Headers are in the first part.
            for at in 0..file.len().min(1500) {
                let before = std::mem::replace(&mut file[at], 0xff);
                read_all(&file);
                file[at] = before;
            }
        }
    }
}

#[test]
fn a_million_parts_take_no_time() {
    let spent = time(|| {
        assert_eq!(count(&names_without_end(1_000_000)), 0);
        let empty: &[u8] = &[];
        assert_eq!(count(&universal(&vec![empty; 1_000_000], false)), 0);
        let own = object(&list(&[b"/d", b"a.c"]), [(1, 2, &MAPPING[..])]);
        assert!(added(&universal(&vec![&own[..]; 1_000_000], true)).0.is_err());
        // A hundred archives in each other.
        let deep = (0..100).fold(own.clone(), |inner, _| archive(&[&inner]));
        assert_eq!(count(&deep), 0);
        // Members whose names end nowhere in a table of a megabyte.
        let mut names = archive(&vec![&b"x"[..]; 100_000]);
        let table = format!("{:<16}{:<32}{:<10}`\n{}", "//", "", 1 << 20, "y".repeat(1 << 20));
        names.splice(8..8, table.bytes());
        assert_eq!(count(&names), 0);
        let [units, functions, _] = sections();
        let parts =
            [custom("x", b""), custom("name", &section(9, &numbers([1 << 40]))), custom("__llvm_covmap", &units)];
        let module = wasm(&named()[0], &parts.concat().repeat(300_000));
        assert_eq!(count(&module), 1);
        assert_eq!(count(&[module, custom("__llvm_covfun", &functions).repeat(300_000)].concat()), 300_001);
        // Segments that are named a million times, and are not there.
        let again = numbers((0..1_000_000).flat_map(|_| [1, 0]));
        let segments = custom("name", &section(9, &[numbers([1_000_000]), again].concat()));
        assert_eq!(count(&wasm(&segments, &[])), 1);
    });
    assert!(spent < LIMIT, "{spent:?}");
}
