//! Names for conditions, so that the code never repeats a list of targets or features.

use std::path::Path;
use std::{env, fs};

/// The raw versions, oldest first: those that have a feature `raw-N`. (`cargo package` sorts features by name.)
fn raw_versions() -> Vec<&'static str> {
    let number = |line: &'static str| line.strip_prefix("raw-")?.strip_suffix(" = []");
    let mut versions: Vec<_> = include_str!("Cargo.toml").lines().filter_map(number).collect();
    versions.sort_by_key(|version| version.parse::<u8>().ok());
    versions
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(profrt_panic_proof)");
    let raw = raw_version();
    object_format();
    archive();
    threads();
    weak_variables(raw);
    atomics();
    kernel();
    semihosting();
}

/// Returns the raw version, of which at most one feature is set; none means 10. `since = "N"`: the raw version is N or a later one.
fn raw_version() -> &'static str {
    let chosen = |n: &&str| env::var_os(format!("CARGO_FEATURE_RAW_{n}")).is_some();
    let versions = raw_versions();
    let chosen: Vec<&str> = versions.iter().copied().filter(chosen).collect();
    let raw = match chosen[..] {
        [] => "10",
        [one] => one,
        _ => {
            println!(
                "cargo::error=features raw-{} exclude each other: an archive serves one raw version. \
                 Choose one, or none for raw-10",
                chosen.join(" and raw-")
            );
            std::process::exit(1);
        }
    };
    println!("cargo::rustc-check-cfg=cfg(since, values(\"{}\"))", versions.join("\", \""));
    for version in versions.iter().take_while(|version| **version != raw).chain([&raw]) {
        println!("cargo::rustc-cfg=since=\"{version}\"");
    }
    let directory = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&directory).join("raw_version.rs"), format!("RawVersion::V{raw}"))
        .expect("no output directory");
    raw
}

/// `elf`, `wasm`, `coff` or `macho`: what the linker knows of sections, weak symbols and constructors. What follows from it has a name of its own,
/// so that only `runtime/link` knows formats: see `runtime/lib.rs`.
fn object_format() {
    println!("cargo::rustc-check-cfg=cfg(elf, wasm, coff, macho)");
    println!("cargo::rustc-check-cfg=cfg(complete, calls_runtime, short_distances, experimental_asm, drive_letters)");
    let format = match (is_wasm(), is_windows(), is_macos()) {
        (true, ..) => "wasm",
        (_, true, _) => "coff",
        (.., true) => "macho",
        _ => "elf",
    };
    let is_hosted = env::var_os("CARGO_FEATURE_HOSTED").is_some();
    let is_bare = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "none");
    let follows = [
        ("complete", format == "elf" && is_hosted),
        ("calls_runtime", format != "elf" || is_bare),
        ("short_distances", format == "coff"),
        ("experimental_asm", format == "wasm"),
        ("drive_letters", is_windows()),
    ];
    for name in follows.iter().filter(|(_, holds)| *holds).map(|(name, _)| *name).chain([format]) {
        println!("cargo::rustc-cfg={name}");
    }
}

fn is_wasm() -> bool {
    env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm")
}

fn is_windows() -> bool {
    env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "windows")
}

fn is_macos() -> bool {
    env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos")
}

/// `profrt_archive`: the archive of a hosted system, from which linkers pick members one by one, by weak references (COFF and Mach-O have none).
/// `profrt_device`: a device with C names. Neither is set in the proof that nothing panics, which is optimized
/// as one. See `runtime/value/optional.rs`.
fn archive() {
    println!("cargo::rustc-check-cfg=cfg(profrt_archive, profrt_device)");
    let has = |name: &str| env::var_os(name).is_some();
    if has("CARGO_CFG_PROFRT_PANIC_PROOF") {
        return;
    }
    match has("CARGO_FEATURE_HOSTED") {
        true if has("CARGO_FEATURE_ARCHIVE") && !is_windows() && !is_macos() => {
            println!("cargo::rustc-cfg=profrt_archive")
        }
        false if has("CARGO_FEATURE_ABI") => println!("cargo::rustc-cfg=profrt_device"),
        _ => {}
    }
}

/// `thread_pointers`: where a thread reads its thread pointer by one instruction, so that it can own the count of a node.
fn threads() {
    println!("cargo::rustc-check-cfg=cfg(thread_pointers)");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let is_hosted = env::var_os("CARGO_FEATURE_HOSTED").is_some() && !is_windows() && !is_macos();
    if is_hosted && matches!(arch.as_str(), "x86_64" | "aarch64") {
        println!("cargo::rustc-cfg=thread_pointers");
    }
}

/// `kernel_by_number`: where system calls are made without the C library. `large_files_by_other_names`: where the C library's plain calls
/// take 32-bit offsets. See `runtime/os/unix/kernel.rs`.
fn kernel() {
    println!("cargo::rustc-check-cfg=cfg(kernel_by_number)");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let known = matches!(of("CARGO_CFG_TARGET_ARCH").as_str(), "x86_64" | "aarch64" | "riscv64");
    // Not x32, where addresses are half as wide as registers.
    if of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_POINTER_WIDTH") == "64" && known {
        println!("cargo::rustc-cfg=kernel_by_number");
    }
    println!("cargo::rustc-check-cfg=cfg(large_files_by_other_names)");
    let narrow = matches!(of("CARGO_CFG_TARGET_ARCH").as_str(), "x86" | "arm" | "powerpc" | "mips" | "m68k" | "sparc");
    if of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu" && narrow {
        println!("cargo::rustc-cfg=large_files_by_other_names");
    }
}

/// `cortex_m`, and elsewhere on Arm `thumb`: by which instruction a program calls a debugger. By the target's name, because only nightly
/// compilers tell `target_feature = "mclass"` and `"thumb-mode"`.
fn semihosting() {
    println!("cargo::rustc-check-cfg=cfg(cortex_m, thumb)");
    let target = env::var("TARGET").unwrap_or_default();
    // thumbv7em-none-eabi, thumbv8m.main-none-eabihf; not thumbv7a-none-eabi.
    let Some(architecture) = target.split(['-', '.']).next().and_then(|name| name.strip_prefix("thumb")) else {
        return;
    };
    println!("cargo::rustc-cfg={}", if architecture.ends_with('m') { "cortex_m" } else { "thumb" });
}

/// What the CPU's atomic instructions leave to us: `halves` (64-bit numbers), `no_cas` (every read-modify-write), for which
/// interrupts are `masked`, or values of interrupt handlers turned away (`flagged`). See `runtime/sync.rs`.
///
/// `PROFRT_ATOMICS` is for tests of that on other CPUs: `halves`, `masked` (unit tests only) or `flagged`.
fn atomics() {
    println!("cargo::rustc-check-cfg=cfg(halves, no_cas, masked, flagged)");
    println!("cargo::rerun-if-env-changed=PROFRT_ATOMICS");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let (target, widths) = (of("TARGET"), of("CARGO_CFG_TARGET_HAS_ATOMIC"));
    let has = |width: &str| widths.split(',').any(|known| known == width);
    let maskable = target.starts_with("thumbv6m-") || of("CARGO_CFG_TARGET_ARCH").starts_with("riscv");
    let names: &[&str] = match of("PROFRT_ATOMICS").as_str() {
        "halves" => &["halves"],
        "masked" => &["halves", "no_cas", "masked"],
        "flagged" => &["halves", "no_cas", "flagged"],
        _ if has("64") => &[],
        _ if has("ptr") => &["halves"],
        _ if maskable => &["halves", "no_cas", "masked"],
        _ => &["halves", "no_cas", "flagged"],
    };
    for name in names {
        println!("cargo::rustc-cfg={name}");
    }
}

/// As a crate, the weak variables come from a C file, for assembly fails there when the crate is instrumented or under fat
/// LTO. The shipped archive has neither, and so needs no C compiler. For WebAssembly and Windows, where few machines have one, references are weak
/// instead: elsewhere a linker may take the variables of a shared object for them.
fn weak_variables(raw: &str) {
    println!("cargo::rustc-check-cfg=cfg(weak_by_c, weak_by_reference)");
    println!("cargo::rerun-if-changed=runtime/abi/weak.c");
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let by_reference = is_wasm() || is_windows();
    if by_reference && !has("ARCHIVE") {
        println!("cargo::rustc-cfg=weak_by_reference");
    }
    if !has("ABI") || has("ARCHIVE") || by_reference {
        return;
    }
    let compiled = cc::Build::new()
        .file("runtime/abi/weak.c")
        .define("PROFRT_RAW", raw)
        // Not what the user's flags for other C code say: this object is the same in every build.
        .flag_if_supported("-fno-lto")
        .flag_if_supported("-fno-profile-generate")
        .cargo_warnings(false)
        .try_compile("profrt_weak");
    match compiled {
        Ok(()) => println!("cargo::rustc-cfg=weak_by_c"),
        Err(error) => println!(
            "cargo::warning=no C compiler for {} ({error}): the weak variables are assembly, which does not link under fat \
             LTO or when all crates are instrumented",
            env::var("TARGET").unwrap_or_default()
        ),
    }
}
