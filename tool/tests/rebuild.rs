//! `profrt device rebuild`: the same profile that the process wrote, from its memory; for every kind of machine.

use needs_macros::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::verdict;
use crate::common::*;
use profrt_format::{Encoding, Endian, RawVersion, RecordShape, WordSize};
use testkit::toolchain::Clang;

/// How programs are compiled and linked.
const WAYS: &[&[&str]] = &[
    &["-fprofile-generate"],
    &["-fprofile-generate", "-no-pie", "-fno-pic"],
    &["-fprofile-instr-generate", "-fcoverage-mapping", "-no-pie"],
    &["-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"],
    // The runtime makes the heads of value sites, and writes into the records where they are.
    &["-fprofile-generate", "-no-pie", "-mllvm", "-vp-static-alloc=false"],
];

fn name(clang: &Clang, way: &[&str]) -> String {
    format!("clang {} {}", clang.version, way.join(" "))
}

/// Runs the program, so that it writes `want.profraw`.
fn ran(dir: &Path, program: &Path, arguments: &[&str]) -> Vec<u8> {
    run(Command::new(program).args(arguments).current_dir(dir).env("LLVM_PROFILE_FILE", "want.profraw"))
}

#[needs("clangs")]
fn from_a_counters_only_dump() {
    for clang in compilers() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let program = dir.path().join("program");
            link(&clang, "program.c", &program, way);
            fs::write(dir.path().join("dump.prfc"), ran(dir.path(), &program, &["compact"])).unwrap();
            run(profrt(dir.path()).args(["rebuild", "--object", "program", "dump.prfc"]));
            let (want, got) = (dir.path().join("want.profraw"), dir.path().join("dump.profraw"));
            // The address that the runtime wrote into a record is of no use to a reader, and not in the dump.
            if way.contains(&"-no-pie") && !way.contains(&"-vp-static-alloc=false") {
                assert_eq!(fs::read(&want).unwrap(), fs::read(&got).unwrap(), "{}", name(&clang, way));
            }
            assert_same(&clang, &want, &got, &name(&clang, way), way.contains(&"-no-pie"));
        }
    }
}

/// `named`: the targets of indirect calls have names on both sides.
fn assert_same(clang: &Clang, want: &Path, got: &Path, what: &str, named: bool) {
    let (want, got) = (show(clang, want), show(clang, got));
    assert!(want.contains("work"), "{what}: {want}");
    // Where addresses are drawn at the start, a counters-only dump cannot say whose they are.
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| named || !line.contains("[  ")).map(str::to_owned).collect()
    };
    assert_eq!(lines(&want), lines(&got), "{what}");
}

#[needs("clang")]
fn coverage_of_a_rebuilt_profile() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    link(&clang, "program.c", &program, &["-fprofile-instr-generate", "-fcoverage-mapping"]);
    fs::write(dir.path().join("dump.prfc"), ran(dir.path(), &program, &["compact"])).unwrap();
    run(profrt(dir.path()).args(["rebuild", "--object", "program", "dump.prfc", "-o", "got.profraw"]));
    let report = |raw: &str| {
        let indexed = dir.path().join("indexed.profdata");
        run(Command::new(&clang.profdata).arg("merge").arg(dir.path().join(raw)).arg("-o").arg(&indexed));
        let mut command = Command::new(&clang.cov);
        String::from_utf8(run(command.arg("export").arg(&program).arg("-instr-profile").arg(&indexed))).unwrap()
    };
    let got = report("got.profraw");
    assert!(got.contains("program.c"));
    assert_eq!(report("want.profraw"), got);
}

#[needs("clangs")]
fn records_that_are_only_in_the_file() {
    for clang in compilers() {
        let by_debug_info = if clang.version < 19 { "-debug-info-correlate" } else { "-profile-correlate=debug-info" };
        for (first, flags, option) in [
            (16, ["-fprofile-generate", by_debug_info, "-g", "-gdwarf-4", "-disable-vp"], "--debug-info"),
            (19, ["-fprofile-instr-generate", "-profile-correlate=binary", "-g", "-g", "-disable-vp"], "--binary-file"),
        ] {
            if clang.version < first {
                continue;
            }
            let [kind, correlate, debug, dwarf, no_values] = flags;
            let flags = [kind, "-mllvm", correlate, debug, dwarf, "-mllvm", no_values];
            let dir = tempfile::tempdir().unwrap();
            let program = dir.path().join("program");
            link(&clang, "program.c", &program, &flags);
            fs::write(dir.path().join("dump.prfc"), ran(dir.path(), &program, &["compact"])).unwrap();
            let output = ended(profrt(dir.path()).args(["rebuild", "--object", "program", "dump.prfc"]));
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && error.contains(option), "{error}");
            let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
            assert_eq!(read("want.profraw"), read("dump.profraw"), "clang {} {flags:?}", clang.version);
            if clang.version < 19 {
                continue;
            }
            let mut command = Command::new(&clang.profdata);
            command.args(["merge", &format!("{option}=program"), "dump.profraw", "-o", "x.profdata"]);
            run(command.current_dir(dir.path()));
            assert!(show(&clang, &dir.path().join("x.profdata")).contains("work"));
        }
    }
}

/// The file with saved counters, `ram@ADDRESS`.
fn saved(dir: &Path) -> PathBuf {
    let mut files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("ram@")).unwrap()
}

#[needs("clangs")]
fn from_saved_memory() {
    for clang in compilers() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        link(&clang, "program.c", &program, &["-fprofile-instr-generate", "-no-pie", "-fno-pic"]);
        ran(dir.path(), &program, &["ram"]);
        let saved = saved(dir.path());
        let address = saved.file_name().unwrap().to_string_lossy().replace("ram@", "");
        let from = |ram: String| {
            let mut command = profrt(dir.path());
            command.args(["rebuild", "--object", "program", "-o", "got.profraw", "--ram", &ram]);
            command
        };
        run(&mut from(format!("{}@{address}", saved.display())));
        assert_eq!(
            fs::read(dir.path().join("want.profraw")).unwrap(),
            fs::read(dir.path().join("got.profraw")).unwrap()
        );
        // Saved from somewhere else: what is missing, and the command that saves it.
        let output = ended(&mut from(format!("{}@0x10000", saved.display())));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(&format!("dump binary memory FILE {address} ")), "{error}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[needs("clang")]
fn from_saved_memory_of_a_program_that_moves() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    // lld leaves zeros where the dynamic linker will put addresses; GNU ld puts them there already.
    let lld: &[&str] = if clang.lld.is_some() { &["-fuse-ld=lld"] } else { &[] };
    link(&clang, "program.c", &program, &[&["-fprofile-generate", "-pie"], lld].concat());
    ran(dir.path(), &program, &["ram"]);
    let saved = saved(dir.path());
    let address = saved.file_name().unwrap().to_string_lossy().replace("ram@0x", "");
    let address = u64::from_str_radix(&address, 16).unwrap();
    let elf = profrt_tool::rebuild::Elf::read(&program).unwrap();
    let bias = address - elf.sections.counters.address;
    let mut command = profrt(dir.path());
    command.args(["rebuild", "--object", "program", "-o", "got.profraw", "--bias", &bias.to_string()]);
    run(command.arg("--ram").arg(format!("{}@{address}", saved.display())));
    let (want, got) =
        (fs::read(dir.path().join("want.profraw")).unwrap(), fs::read(dir.path().join("got.profraw")).unwrap());
    // Up to the value data, which were not saved: also the addresses of functions are those of the process.
    let values = got.len() - 5 * 8;
    assert_eq!(want[..values], got[..values]);
}

/// Runs a program that crashes, and returns the core file that the kernel leaves in the working directory.
fn crash(dir: &Path, program: &Path) -> PathBuf {
    let script = format!("ulimit -c unlimited; exec {} abort", program.display());
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(dir).env("LLVM_PROFILE_FILE", "want.profraw");
    let status = command.stderr(Stdio::null()).status().unwrap();
    assert!(!status.success());
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let is_core = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("core"));
    files.into_iter().find(is_core).expect("a core file in the working directory")
}

#[needs("clangs", "core")]
fn from_a_core_file() {
    for clang in compilers() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let program = dir.path().join("program");
            link(&clang, "program.c", &program, way);
            let core = crash(dir.path(), &program);
            run(profrt(dir.path())
                .args(["rebuild", "--object", "program", "--output", "got.profraw", "--core"])
                .arg(&core));
            let (want, got) = (dir.path().join("want.profraw"), dir.path().join("got.profraw"));
            assert_same(&clang, &want, &got, &name(&clang, way), true);
            assert_eq!(fs::read(&want).unwrap(), fs::read(&got).unwrap(), "{}", name(&clang, way));
        }
    }
}

#[needs("clang", "core")]
fn from_a_core_file_with_a_shared_object() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let (program, library) = (dir.path().join("program"), dir.path().join("library.so"));
    link(&clang, "library.c", &library, &["-fprofile-generate", "-shared", "-fPIC"]);
    let flags = ["-fprofile-generate", "-DLIBRARY", library.to_str().unwrap(), "-Wl,-rpath,$ORIGIN"];
    link(&clang, "program.c", &program, &flags);
    let core = crash(dir.path(), &program);
    let rebuilt = |arguments: &[&str]| {
        run(profrt(dir.path()).arg("rebuild").args(arguments).args(["-o", "got.profraw", "--core"]).arg(&core));
        show(&clang, &dir.path().join("got.profraw"))
    };
    // The process wrote only its own part when it called; the library's is written at exit, to which it did not come.
    let both = rebuilt(&[]);
    assert!(both.contains("work") && both.contains("  library:"), "{both}");
    assert_eq!(rebuilt(&["--object", "program", "--object", "library.so"]), both);
    let one = rebuilt(&["--object", "library.so"]);
    assert!(!one.contains("work") && one.contains("  library:"), "{one}");
    assert!(one.contains("Block counts: [7") || one.contains("Block counts: [3, 4"), "{one}");

    // Another build of the program under the same name is refused.
    link(&clang, "program.c", &program, &["-fprofile-generate", "-O0", "-DLIBRARY", library.to_str().unwrap()]);
    let output = ended(profrt(dir.path()).args(["rebuild", "--object", "program", "--core"]).arg(&core));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("another build of program"), "{error}");
    // And a program that was not there at all.
    fs::copy(&program, dir.path().join("absent")).unwrap();
    let output = ended(profrt(dir.path()).args(["rebuild", "--object", "absent", "--core"]).arg(&core));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("absent was not loaded in that process; it had "), "{error}");
}

#[needs("clang", "core")]
fn threads_share_the_count_of_a_node() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    link(&clang, "threads.c", &program, &["-fprofile-generate", "-fprofile-update=atomic", "-pthread"]);
    let core = crash(dir.path(), &program);
    run(profrt(dir.path()).args(["rebuild", "--object", "program", "--output", "got.profraw", "--core"]).arg(&core));
    assert_eq!(fs::read(dir.path().join("want.profraw")).unwrap(), fs::read(dir.path().join("got.profraw")).unwrap());
    assert!(show(&clang, &dir.path().join("got.profraw")).contains("333336"));
}

#[needs("clang")]
fn what_does_not_fit_is_said() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let (program, other, plain) = (dir.path().join("program"), dir.path().join("other"), dir.path().join("plain"));
    link(&clang, "program.c", &program, &["-fprofile-generate", "-Wl,--build-id"]);
    link(&clang, "program.c", &other, &["-fprofile-generate", "-Wl,--build-id", "-Dwork=other"]);
    let dump = ran(dir.path(), &program, &["compact"]);
    fs::write(dir.path().join("dump.prfc"), &dump).unwrap();
    fs::write(dir.path().join("short.prfc"), &dump[..dump.len() - 3]).unwrap();
    let mut bad = dump.clone();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(dir.path().join("bad.prfc"), bad).unwrap();
    // A buffer that was saved whole, longer than the dump.
    fs::write(dir.path().join("long.prfc"), [&dump[..], &[0xee; 100]].concat()).unwrap();
    let source = dir.path().join("plain.c");
    fs::write(&source, "int main(void) { return 0; }").unwrap();
    run(Command::new(&clang.clang).arg(&source).arg("-o").arg(&plain));
    let object = dir.path().join("plain.o");
    run(Command::new(&clang.clang).arg("-c").arg(&source).arg("-o").arg(&object));
    for (elf, dump, error) in [
        ("other", "dump.prfc", "give the very file that ran on the device"),
        ("program", "short.prfc", "it ends too early"),
        ("program", "bad.prfc", "its checksum is wrong"),
        ("program", "want.profraw", "it does not begin with PRFC"),
        ("plain", "dump.prfc", "plain has no counters"),
        ("plain.o", "dump.prfc", "it is an object file; give the program"),
        ("dump.prfc", "dump.prfc", "it is no ELF object file"),
        ("absent", "dump.prfc", "absent cannot be read; is the path right?"),
    ] {
        let output = ended(profrt(dir.path()).args(["rebuild", "--object", elf, dump, "-o", "out.profraw"]));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(error), "{elf} {dump}: {text}");
        assert_eq!(output.status.code(), Some(2));
        assert!(!dir.path().join("out.profraw").exists());
    }
    run(profrt(dir.path()).args(["rebuild", "--object", "program", "long.prfc"]));
    run(profrt(dir.path()).args(["rebuild", "--object", "program", "dump.prfc"]));
    assert_eq!(fs::read(dir.path().join("long.profraw")).unwrap(), fs::read(dir.path().join("dump.profraw")).unwrap());

    // Stripped of symbols: the shape of the records tells the version.
    run(Command::new("objcopy").args(["--strip-all", "program", "stripped"]).current_dir(dir.path()));
    let output =
        ended(profrt(dir.path()).args(["rebuild", "--object", "stripped", "--raw-version", "10", "dump.prfc"]));
    assert!(output.status.success(), "{output:?}");
}

/// Machines that clang compiles for and lld links.
const MACHINES: &[(&str, &str, WordSize, Endian)] = &[
    ("s390x-linux-gnu", "s390x", WordSize::W64, Endian::Big),
    ("thumbv7m-none-eabi", "armv7m", WordSize::W32, Endian::Little),
    ("armeb-none-eabi", "armeb", WordSize::W32, Endian::Big),
    ("riscv32-unknown-elf", "riscv32", WordSize::W32, Endian::Little),
    ("aarch64-none-elf", "aarch64", WordSize::W64, Endian::Little),
    ("powerpc64-linux-gnu", "powerpc64", WordSize::W64, Endian::Big),
];

/// The profile sections of an image that is linked with records and names in the file only.
const SCRIPT: &str = "SECTIONS {
  .text 0x8000 : { *(.text*) }
  .rodata : { *(.rodata*) *(.eh_frame*) *(.toc*) *(.got*) *(.opd) }
  . = 0x20000000;
  .data : { *(.data*) *(.sdata*) }
  WHERE
  __llvm_prf_vals : { *(__llvm_prf_vals) }
  __llvm_prf_vnds : { *(__llvm_prf_vnds) }
  .bss : { *(.bss*) *(.sbss*) }
  __llvm_prf_data 0 (INFO) : { KEEP(*(__llvm_prf_data)) }
  __llvm_prf_names 0 (INFO) : { KEEP(*(__llvm_prf_names)) }
  /DISCARD/ : { *(.ARM.exidx*) }
}
";

/// Counters in a section of their own, and among the data, found by the symbols.
const PLACES: &[&str] = &[
    "__llvm_prf_cnts : { *(__llvm_prf_cnts) }",
    ".counters : { __start___llvm_prf_cnts = .; *(__llvm_prf_cnts) __stop___llvm_prf_cnts = .; }",
];

#[needs("clang")]
fn for_other_machines() {
    let clang = newest();
    let lld = clang.lld.clone().expect("ld.lld");
    let dir = tempfile::tempdir().unwrap();
    for (triple, name, word, endian) in MACHINES {
        let encoding = Encoding { word: *word, endian: *endian };
        let object = dir.path().join(format!("{name}.o"));
        let mut command = Command::new(&clang.clang);
        command.arg(format!("--target={triple}")).args(["-O1", "-c", "-ffreestanding", "-fprofile-generate"]);
        command.args(["-mllvm", "-vp-static-alloc=true", "-fno-asynchronous-unwind-tables"]);
        run(command.arg(data("device.c")).arg("-o").arg(&object));
        for place in PLACES {
            let script = dir.path().join("script.x");
            fs::write(&script, SCRIPT.replace("WHERE", place)).unwrap();
            let elf = dir.path().join(format!("{name}.elf"));
            let mut command = Command::new(&lld);
            command.args(["--unresolved-symbols=ignore-all", "-e", "device", "--no-relax", "-T"]).arg(&script);
            run(command.arg(&object).arg("-o").arg(&elf));
            on_a_device(&clang, dir.path(), &elf, encoding);
        }
    }
}

/// Makes what a debugger would save of a device that ran, and what its runtime would send.
fn on_a_device(clang: &Clang, dir: &Path, path: &Path, encoding: Encoding) {
    let what = path.display();
    let elf = profrt_tool::rebuild::Elf::read(path).unwrap();
    assert_eq!(elf.encoding, encoding, "{what}");
    assert_eq!(elf.version, Some(10 | 1 << 56), "{what}");
    let counters: Vec<u8> = (0..elf.sections.counters.size / 8).flat_map(|n| encoding.u64_bytes(n * 3)).collect();
    fs::write(dir.join("cnts.bin"), &counters).unwrap();

    // One site saw the function `leaf` nine times: its head leads to a node in the compiler's pool.
    let shape = RecordShape::of(RawVersion::V10, encoding.word);
    let mut heads = vec![0; elf.values.size as usize];
    let mut nodes = vec![0; elf.nodes.size as usize];
    let mut leaf = 0;
    for record in elf.sections.data.bytes.chunks(shape.size as usize) {
        let sites = shape.value_sites(record, RawVersion::V10, encoding).unwrap();
        let pointer = encoding.word_at(record, shape.function_pointer).unwrap();
        leaf = if leaf == 0 { pointer } else { leaf };
        let values = encoding.word_at(record, shape.values).unwrap();
        if sites[0] > 0 {
            let at = (values - elf.values.address) as usize;
            let head = word(encoding, elf.nodes.address);
            heads[at..at + head.len()].copy_from_slice(&head);
        }
    }
    assert!(leaf > 0, "{what}");
    nodes[..8].copy_from_slice(&encoding.u64_bytes(leaf));
    nodes[8..16].copy_from_slice(&encoding.u64_bytes(9));
    fs::write(dir.join("vals.bin"), heads).unwrap();
    fs::write(dir.join("vnds.bin"), nodes).unwrap();

    let mut command = profrt(dir);
    command.arg("rebuild").arg("--object").arg(path).args(["--output", "ram.profraw"]);
    command.arg("--ram").arg(format!("cnts.bin@{:#x}", elf.sections.counters.address));
    let output = ended(&mut command);
    assert!(String::from_utf8_lossy(&output.stderr).contains("lie in memory that was not saved"), "{what}: {output:?}");
    command.arg("--ram").arg(format!("vals.bin@{:#x}", elf.values.address));
    command.arg("--ram").arg(format!("vnds.bin@{}", elf.nodes.address));
    let output = ended(&mut command);
    assert!(
        output.status.success() && !String::from_utf8_lossy(&output.stderr).contains("left out"),
        "{what}: {output:?}"
    );
    let bytes = fs::read(dir.join("ram.profraw")).unwrap();
    assert!(verdict::is_whole(&bytes) && verdict::check(&bytes).numbers.values == 1, "{what}");

    // The same in the compact form.
    let number = |mut number: u64| {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    };
    let wide = u8::from(encoding.word == WordSize::W64);
    let big = if encoding.endian == Endian::Big { 2 } else { 0 };
    let mut dump = [&b"PRFC\x01"[..], &[wide | big | 4, 0]].concat();
    dump.extend(number(10 | 1 << 56));
    dump.extend(number(elf.sections.counters.size));
    dump.extend([0, 0]);
    dump.extend((1..elf.sections.counters.size / 8).flat_map(|n| number(n * 3)));
    dump.push(0);
    let mut before = 0;
    for (index, record) in elf.sections.data.bytes.chunks(shape.size as usize).enumerate() {
        let sites = shape.value_sites(record, RawVersion::V10, encoding).unwrap();
        if sites[0] > 0 {
            dump.extend(number(index as u64 + 1 - before));
            before = index as u64 + 1;
            dump.push(1);
            dump.extend(number(leaf));
            dump.push(9);
            dump.extend(vec![0; usize::from(sites[0] - 1 + sites[1])]);
        }
    }
    dump.push(0);
    dump.extend(crc32fast::hash(&dump).to_le_bytes());
    fs::write(dir.join("compact.prfc"), dump).unwrap();
    run(profrt(dir).arg("rebuild").arg("--object").arg(path).arg("compact.prfc"));
    assert_eq!(fs::read(dir.join("compact.profraw")).unwrap(), bytes, "{what}");

    let shown = show(clang, &dir.join("ram.profraw"));
    assert!(shown.contains("[  0, leaf,          9 ]"), "{what}: {shown}");
    assert!(shown.contains("device"), "{what}: {shown}");
}

/// Damaged files are refused, or make something; they never stop the tool by a panic.
#[needs("clang", "core")]
fn no_file_is_too_much() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("program");
    link(&clang, "program.c", &program, &["-fprofile-generate"]);
    let dump = ran(dir.path(), &program, &["compact"]);
    run(Command::new("strip").arg("--strip-debug").arg(&program));
    let elf = fs::read(&program).unwrap();
    let core = fs::read(crash(dir.path(), &program)).unwrap();
    let whole = profrt_tool::rebuild::Elf::parse(&program, &elf).unwrap();
    // A small generator is enough: what matters is that many places are hit, most of all those of the headers.
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut damaged = |bytes: &[u8], first: usize| {
        let mut bytes = bytes.to_vec();
        for _ in 0..=random(4) {
            let range = if random(2) == 0 { first.min(bytes.len()) } else { bytes.len() };
            let at = random(range);
            bytes[at] = [0, 1, 0x7f, 0xff, random(256) as u8][random(5)];
        }
        if random(8) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        bytes
    };
    let sections = elf.len() - 64 * 40;
    for _ in 0..400 {
        let _ = profrt_tool::rebuild::from_compact(&damaged(&dump, 40), &program, &whole, None);
        let mut bytes = damaged(&elf, 1024);
        let tail = damaged(&elf[sections..], 64 * 40);
        bytes.splice(sections.min(bytes.len()).., tail);
        if let Ok(elf) = profrt_tool::rebuild::Elf::parse(&program, &bytes) {
            let _ = profrt_tool::rebuild::from_compact(&dump, &program, &elf, None);
        }
    }
    for _ in 0..100 {
        let core = damaged(&core[..core.len().min(64 * 1024)], 4096);
        if let Ok(core) = profrt_tool::rebuild::Core::parse(&core) {
            let _ = core.bias(&whole);
        }
    }
}
