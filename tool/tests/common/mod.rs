//! What the tests share: profiles made by hand, compilers, and running things.

#![allow(dead_code, reason = "each test program uses some of it")]

pub mod profiles;
pub mod program;
pub mod truth;
pub mod verdict;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::mpsc;
use std::time::Duration;

use profrt_format::layout::Sections;
use profrt_format::{Encoding, Endian, RawVersion, RecordShape, WordSize};
pub use profrt_tool::rebuild::raw::Profile;
use profrt_tool::rebuild::raw::Section;
pub use testkit::toolchain::is_all;
use testkit::toolchain::{Clang, TESTED, clangs, releases};

/// The four kinds of machines.
pub fn encodings() -> Vec<Encoding> {
    let words = [WordSize::W64, WordSize::W32].into_iter();
    words.flat_map(|word| [Endian::Little, Endian::Big].map(|endian| Encoding { word, endian })).collect()
}

/// Bytes of a pointer.
pub fn word(encoding: Encoding, value: u64) -> Vec<u8> {
    match encoding.word {
        WordSize::W64 => encoding.u64_bytes(value).to_vec(),
        WordSize::W32 => encoding.u32_bytes(value as u32).to_vec(),
    }
}

fn u16_bytes(encoding: Encoding, value: u16) -> [u8; 2] {
    match encoding.endian {
        Endian::Little => value.to_le_bytes(),
        Endian::Big => value.to_be_bytes(),
    }
}

/// A control record.
#[derive(Clone, Copy, Default)]
pub struct Fields {
    pub counter_ptr: u64,
    pub function: u64,
    pub values: u64,
    pub counters: u32,
    pub sites: [u16; 3],
}

/// A record's bytes.
pub fn record(version: RawVersion, encoding: Encoding, fields: Fields) -> Vec<u8> {
    let shape = RecordShape::of(version, encoding.word);
    let mut bytes = vec![0; shape.size as usize];
    let mut put = |at: usize, new: &[u8]| bytes[at..at + new.len()].copy_from_slice(new);
    put(shape.name_ref, &encoding.u64_bytes(0x1111_2222_3333_4444));
    put(shape.func_hash, &encoding.u64_bytes(24));
    put(shape.counter_ptr, &word(encoding, fields.counter_ptr));
    put(shape.function_pointer, &word(encoding, fields.function));
    put(shape.values, &word(encoding, fields.values));
    put(shape.num_counters, &encoding.u32_bytes(fields.counters));
    for (kind, sites) in fields.sites.iter().enumerate().take(version.value_kinds()) {
        put(shape.num_value_sites + 2 * kind, &u16_bytes(encoding, *sites));
    }
    bytes
}

/// Where the parts of [`profile`] are.
pub const DATA: u64 = 0x9000;
pub const COUNTERS: u64 = 0x4000;

/// A profile of three functions with 2, 1 and 4 counters, of which two have value sites.
pub fn profile(version: RawVersion, encoding: Encoding) -> Profile {
    let size = RecordShape::of(version, encoding.word).size;
    let mut data = Vec::new();
    let mut at = 0;
    for (index, (counters, sites)) in [(2, [1, 2, 0]), (1, [0, 0, 0]), (4, [0, 1, 0])].into_iter().enumerate() {
        let own = DATA + index as u64 * size;
        let counter_ptr = (COUNTERS + at * 8).wrapping_sub(own);
        data.extend(record(version, encoding, Fields { counter_ptr, counters, sites, ..Fields::default() }));
        at += u64::from(counters);
    }
    let counts = [5, 0, 7, 1 << 40, 0, 1, 3];
    Profile {
        encoding,
        version: version.number() | 1 << 56,
        build_ids: vec![vec![7; 20]],
        sections: Sections {
            data: Section { address: DATA, bytes: data },
            counters: Section {
                address: COUNTERS,
                bytes: counts.iter().flat_map(|n| encoding.u64_bytes(*n)).collect(),
            },
            names: Section { address: 0x100, bytes: b"\x0d\x00one\x01two\x01three".to_vec() },
            ..Sections::default()
        },
        values: vec![(0, vec![vec![(0x500, 5)], vec![], vec![(8, 2), (9, 3)]]), (2, vec![vec![(1, 1)]])],
    }
}

/// The compilers of this run, the oldest first: see [`releases`].
pub fn compilers() -> Vec<Clang> {
    let wanted = releases();
    all_compilers().into_iter().filter(|clang| wanted.contains(&clang.version)).collect()
}

/// All tested compilers, the oldest first.
pub fn all_compilers() -> [Clang; TESTED.len()] {
    let found = clangs();
    TESTED.map(|version| found.iter().find(|clang| clang.version == version).expect("all tested clangs").clone())
}

/// The newest compiler that is here.
pub fn newest() -> Clang {
    testkit::toolchain::newest().unwrap()
}

/// Our archive for this compiler.
pub fn archive(clang: &Clang) -> PathBuf {
    testkit::dist::build(clang.raw).unwrap().library
}

/// The C programs of the tests.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The directory of `profrt.h`.
pub fn include() -> String {
    format!("-I{}", testkit::paths::root().join("runtime/include").display())
}

/// Runs the command and returns its standard output; panics with all its output when it fails.
pub fn run(command: &mut Command) -> Vec<u8> {
    let output = ended(command);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{error}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    output.stdout
}

/// Ends the test program if the guard is not dropped within five minutes, and says what it has waited for.
pub fn limit(what: &str) -> mpsc::Sender<()> {
    let (guard, is_dropped) = mpsc::channel();
    let what = what.to_owned();
    std::thread::spawn(move || {
        if is_dropped.recv_timeout(Duration::from_secs(300)) == Err(mpsc::RecvTimeoutError::Timeout) {
            // The harness keeps what is printed with `eprintln!`.
            let _ = writeln!(std::io::stderr(), "{what} takes longer than five minutes");
            std::process::exit(101);
        }
    });
    guard
}

/// Runs the command, however it ends.
pub fn ended(command: &mut Command) -> Output {
    let _limit = limit(&format!("{command:?}"));
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Waits for the end of a program.
pub fn end(child: Child, what: &str) -> Output {
    let _limit = limit(what);
    child.wait_with_output().unwrap()
}

/// A program for which no signal is ignored, as SIGHUP is below `nohup`, and SIGINT in the background of a shell.
#[cfg(target_os = "linux")]
pub fn with_signals(program: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,TERM", program]);
    command
}

/// Compiles and links a program of `tests/data` with our archive.
pub fn link(clang: &Clang, source: &str, to: &Path, flags: &[&str]) {
    let mut command = Command::new(&clang.clang);
    command.args(["-O1", "-g"]).arg(include()).arg(data(source)).args(flags).arg(archive(clang)).arg("-o").arg(to);
    run(&mut command);
}

/// `profrt`, run in a directory, with nothing in its environment that changes what it says.
pub fn profrt(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_profrt"));
    command.current_dir(directory).env("LC_ALL", "C");
    for name in ["RUST_BACKTRACE", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

/// All that `llvm-profdata` says about a profile.
pub fn show(clang: &Clang, profile: &Path) -> String {
    let mut command = Command::new(&clang.profdata);
    command.args(["show", "--all-functions", "--counts", "--ic-targets", "--memop-sizes"]).arg(profile);
    String::from_utf8(run(&mut command)).unwrap()
}
