//! What tests need beyond a Rust toolchain: how to see whether it is here, and the packages of Debian and Ubuntu that bring it.
//!
//! The one place that decides: `#[needs(…)]` of `needs-macros` ignores a Rust test by it, the C programs their variants, and
//! `cargo xtask test` fails or lists what is missing.

#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Something that a test needs.
#[derive(Debug)]
pub struct Need {
    pub name: &'static str,
    /// What has to be here.
    is: Is,
    /// Groups of packages, of which the first that the system knows is installed; none where no package brings it.
    pub packages: &'static [&'static [&'static str]],
}

#[derive(Debug)]
enum Is {
    /// Programs on `PATH`.
    Programs(&'static [&'static str]),
    /// A release of clang with its tools and its profile archive; 0 for any.
    Clang(u32),
    /// The releases of clang that the project is tested with.
    Clangs,
    /// A command that succeeds.
    Command(&'static [&'static str]),
    /// This process belongs to root.
    Root,
}

const CLANG_14: &[&str] = &["clang-14", "llvm-14", "lld-14", "libclang-rt-14-dev"];
const CLANG_16: &[&str] = &["clang-16", "llvm-16", "lld-16", "libclang-rt-16-dev"];
const CLANG_19: &[&str] = &["clang-19", "llvm-19", "lld-19", "libclang-rt-19-dev"];
const CLANG_22: &[&str] = &["clang-22", "llvm-22", "lld-22", "libclang-rt-22-dev"];

#[rustfmt::skip]
const ALL_CLANGS: &[&str] = &[
    "clang-14", "llvm-14", "lld-14", "libclang-rt-14-dev", "clang-16", "llvm-16", "lld-16", "libclang-rt-16-dev",
    "clang-19", "llvm-19", "lld-19", "libclang-rt-19-dev", "clang-22", "llvm-22", "lld-22", "libclang-rt-22-dev",
];

/// Programs of 32 bits can be linked and run.
const M32: &str = "cd \"$(mktemp -d)\" && echo 'int main(void) { return 0; }' >a.c && gcc -m32 a.c -o a && ./a";

/// A crash leaves a core file in the working directory.
const CORE: &str = "cd \"$(mktemp -d)\" && ulimit -c unlimited && { sh -c 'kill -ABRT $$'; ls | grep -q core; }";

/// Debian's rustc, and the sources of its standard library, which it builds for any target.
const RUST_SOURCES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src"];
const SOURCES: &str = "for rustc in rustc /usr/bin/rustc; do \
    test -f \"$($rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock\" && exit 0; done; exit 1";
/// `rustup target add thumbv7m-none-eabi`, or the sources.
const THUMBV7M: &str = "test -d \"$(rustc --print target-libdir --target thumbv7m-none-eabi)\" || \
    test -f \"$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock\"";

/// What clang 22 links with programs for WASI.
const WASI: &str =
    "ls /usr/lib/wasm32-wasi/libc.a \"$(clang-22 -print-resource-dir)\"/lib/wasi/libclang_rt.builtins-wasm32.a";

/// What clang 22 links with programs for Windows, and what runs them.
const WINE: &str = "command -v /usr/lib/wine/wine64 && x86_64-w64-mingw32-g++ --version";

/// All releases of clang that are looked for, the newest first.
pub const CLANGS: [u32; 10] = [23, 22, 21, 20, 19, 18, 17, 16, 15, 14];

/// The releases that the project is tested with; each raw version that a Debian package emits is among them.
pub const TESTED: [u32; 4] = [14, 16, 19, 22];

/// Those of [`TESTED`] that a test goes through which is the same for each of them: the oldest and the newest, between which all formats
/// have changed; every one in `cargo xtask test --all`, which sets the variable.
pub fn releases() -> Vec<u32> {
    if is_all() { TESTED.to_vec() } else { vec![TESTED[0], TESTED[TESTED.len() - 1]] }
}

/// Whether this is `cargo xtask test --all`.
pub fn is_all() -> bool {
    env::var_os("PROFRT_CLANGS").is_some_and(|value| value == "all")
}

/// The table.
#[rustfmt::skip]
pub static NEEDS: &[Need] = &[
    Need { name: "clang", is: Is::Clang(0), packages: &[CLANG_22, CLANG_19, CLANG_16, CLANG_14] },
    Need { name: "clang-14", is: Is::Clang(14), packages: &[CLANG_14] },
    Need { name: "clang-16", is: Is::Clang(16), packages: &[CLANG_16] },
    Need { name: "clang-19", is: Is::Clang(19), packages: &[CLANG_19] },
    Need { name: "clang-22", is: Is::Clang(22), packages: &[CLANG_22] },
    Need { name: "clangs", is: Is::Clangs, packages: &[ALL_CLANGS] },
    Need { name: "llvm-13", is: Is::Programs(&["llvm-profdata-13"]), packages: &[&["llvm-13"]] },
    Need { name: "llvm-15", is: Is::Programs(&["llvm-profdata-15"]), packages: &[&["llvm-15"]] },
    Need { name: "ld.lld-22", is: Is::Programs(&["ld.lld-22"]), packages: &[CLANG_22] },
    // What clang needs to link.
    Need { name: "gcc", is: Is::Programs(&["gcc", "g++", "ld.bfd"]), packages: &[&["gcc", "g++", "binutils"]] },
    Need { name: "ld.gold", is: Is::Programs(&["ld.gold"]), packages: &[&["binutils-gold"], &["binutils"]] },
    Need { name: "musl-gcc", is: Is::Programs(&["musl-gcc"]), packages: &[&["musl-tools"]] },
    Need { name: "make", is: Is::Programs(&["make"]), packages: &[&["make"]] },
    Need { name: "cmake", is: Is::Programs(&["cmake"]), packages: &[&["cmake"]] },
    Need { name: "pkg-config", is: Is::Programs(&["pkg-config"]), packages: &[&["pkg-config"]] },
    Need { name: "zstd", is: Is::Programs(&["zstd"]), packages: &[&["zstd"]] },
    Need { name: "strace", is: Is::Programs(&["strace"]), packages: &[&["strace"]] },
    Need { name: "valgrind", is: Is::Programs(&["valgrind"]), packages: &[&["valgrind"]] },
    Need { name: "genhtml", is: Is::Programs(&["genhtml"]), packages: &[&["lcov"]] },
    Need { name: "xmllint", is: Is::Programs(&["xmllint"]), packages: &[&["libxml2-utils"]] },
    Need { name: "m32", is: Is::Command(&["sh", "-c", M32]), packages: &[&["libc6-dev-i386", "lib32gcc-12-dev"], &["libc6-dev-i386", "lib32gcc-13-dev"]] },
    Need { name: "script", is: Is::Programs(&["script"]), packages: &[&["bsdutils"]] },
    Need { name: "ldc", is: Is::Programs(&["ldc2"]), packages: &[&["ldc"]] },
    Need { name: "flang", is: Is::Programs(&["flang-22"]), packages: &[&["flang-22"]] },
    Need { name: "go", is: Is::Programs(&["go"]), packages: &[&["golang-go"]] },
    Need { name: "chromium", is: Is::Programs(&["chromium"]), packages: &[&["chromium"]] },
    Need { name: "node", is: Is::Programs(&["node"]), packages: &[&["nodejs"]] },
    Need { name: "npm", is: Is::Programs(&["npm"]), packages: &[&["npm"]] },
    Need { name: "wasi", is: Is::Command(&["sh", "-c", WASI]), packages: &[&["wasi-libc", "libclang-rt-22-dev-wasm32", "curl", "xz-utils"]] },
    Need { name: "wine", is: Is::Command(&["sh", "-c", WINE]), packages: &[&["wine64", "gcc-mingw-w64-x86-64-win32", "g++-mingw-w64-x86-64-win32", "curl", "xz-utils"]] },
    Need { name: "java", is: Is::Programs(&["java"]), packages: &[&["openjdk-17-jre-headless"]] },
    Need { name: "python3", is: Is::Command(&["python3", "-c", "import ensurepip, venv"]), packages: &[&["python3", "python3-venv"]] },
    Need { name: "pytest", is: Is::Programs(&["pytest"]), packages: &[&["python3-pytest"]] },
    Need { name: "arm-none-eabi-ld", is: Is::Programs(&["arm-none-eabi-ld"]), packages: &[&["binutils-arm-none-eabi"]] },
    Need { name: "qemu-system-arm", is: Is::Programs(&["qemu-system-arm"]), packages: &[&["qemu-system-arm"]] },
    Need { name: "qemu-user", is: Is::Programs(&["qemu-aarch64", "qemu-riscv64", "qemu-s390x"]), packages: &[&["qemu-user"]] },
    Need { name: "i686-linux-gnu-gcc", is: Is::Programs(&["i686-linux-gnu-gcc"]), packages: &[&["gcc-i686-linux-gnu", "libc6-dev-i386-cross"]] },
    Need { name: "s390x-linux-gnu-gcc", is: Is::Programs(&["s390x-linux-gnu-gcc"]), packages: &[&["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"]] },
    Need { name: "rust-thumbv7m", is: Is::Command(&["sh", "-c", THUMBV7M]), packages: &[RUST_SOURCES] },
    Need { name: "rust-sources", is: Is::Command(&["sh", "-c", SOURCES]), packages: &[RUST_SOURCES] },
    Need { name: "nightly", is: Is::Command(&["rustup", "run", "nightly", "rustc", "--version"]), packages: &[] },
    Need { name: "miri", is: Is::Command(&["rustup", "run", "nightly", "cargo", "miri", "--version"]), packages: &[] },
    Need { name: "root", is: Is::Root, packages: &[] },
    Need { name: "cargo-tools", is: Is::Programs(&["cargo-llvm-cov", "cargo-nextest"]), packages: &[] },
    // Of PyPI, in any environment that is on `PATH`.
    Need { name: "coverage-readers", is: Is::Programs(&["diff-cover", "gcovr", "lcov_cobertura", "pycobertura"]), packages: &[] },
    Need { name: "core", is: Is::Command(&["sh", "-c", CORE]), packages: &[] },
    Need { name: "ptrace", is: Is::Command(&["strace", "-o", "/dev/null", "true"]), packages: &[&["strace"]] },
];

/// Returns the need of this name.
pub fn find(name: &str) -> Option<&'static Need> {
    NEEDS.iter().find(|need| need.name == name)
}

/// Whether the need of this name is met; an unknown one never is.
pub fn is_met(name: &str) -> bool {
    find(name).is_some_and(Need::is_met)
}

impl Need {
    /// Whether it is here.
    pub fn is_met(&self) -> bool {
        match self.is {
            Is::Programs(names) => names.iter().all(|name| find_program(name).is_some()),
            Is::Clang(0) => CLANGS.into_iter().any(has_clang),
            Is::Clang(release) => has_clang(release),
            Is::Clangs => TESTED.into_iter().all(has_clang),
            Is::Command(words) => {
                let mut command = Command::new(words[0]);
                command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.status().is_ok_and(|status| status.success())
            }
            Is::Root => fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0),
        }
    }
}

/// Whether a release of clang is complete: with its tools, and with the profile archive that tests compare with.
fn has_clang(release: u32) -> bool {
    let tools = ["clang", "clang++", "llvm-profdata", "llvm-cov"];
    let Some(clang) = find_program(&format!("clang-{release}")) else { return false };
    let resources = Command::new(clang).arg("-print-resource-dir").stderr(Stdio::null()).output();
    let resources =
        resources.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let has_archive = |directory: PathBuf| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("libclang_rt.profile"))
    };
    let libraries = Path::new(&resources).join("lib");
    let places = fs::read_dir(libraries).into_iter().flatten().flatten().map(|entry| entry.path());
    tools.iter().all(|tool| find_program(&format!("{tool}-{release}")).is_some()) && places.into_iter().any(has_archive)
}

/// The first file called `name` on `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_need() {
        for (at, need) in NEEDS.iter().enumerate() {
            assert!(NEEDS[..at].iter().all(|other| other.name != need.name), "{}", need.name);
        }
        assert!(!is_met("no such thing"));
    }

    #[test]
    fn programs_and_commands_are_looked_for() {
        assert!(Need { name: "", is: Is::Programs(&["sh", "cat"]), packages: &[] }.is_met());
        assert!(!Need { name: "", is: Is::Programs(&["sh", "profrt-is-no-program"]), packages: &[] }.is_met());
        assert!(Need { name: "", is: Is::Command(&["true"]), packages: &[] }.is_met());
        assert!(!Need { name: "", is: Is::Command(&["false"]), packages: &[] }.is_met());
        assert!(!has_clang(3));
    }
}
