//! How a target is called: by rustc, and by clang in the names of its runtime archives.

use std::env::consts::ARCH;

/// The rustc target that this machine's own programs use.
pub fn host() -> String {
    let env = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    match ARCH {
        "x86" => format!("i686-unknown-linux-{env}"),
        "arm" => format!("armv7-unknown-linux-{env}eabihf"),
        "riscv64" => format!("riscv64gc-unknown-linux-{env}"),
        "powerpc64" if cfg!(target_endian = "little") => format!("powerpc64le-unknown-linux-{env}"),
        arch => format!("{arch}-unknown-linux-{env}"),
    }
}

/// The architecture of a rustc target, as clang spells it in `libclang_rt.profile-ARCH.a`.
pub fn clang_arch(triple: &str) -> &str {
    let arch = triple.split('-').next().unwrap_or_default();
    let hard_float = triple.ends_with("eabihf");
    match arch {
        "i386" | "i486" | "i586" | "i686" => "i386",
        _ if arch.starts_with("riscv64") => "riscv64",
        _ if arch.starts_with("riscv32") => "riscv32",
        _ if arch.starts_with("arm") || arch.starts_with("thumb") => {
            if hard_float {
                "armhf"
            } else {
                "arm"
            }
        }
        _ => arch,
    }
}

/// The file name of clang's profile archive for a rustc target, in the layout with one directory for all targets.
pub fn archive_name(triple: &str) -> String {
    format!("libclang_rt.profile-{}.a", clang_arch(triple))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_as_clang_names_them() {
        for (triple, name) in [
            ("x86_64-unknown-linux-gnu", "libclang_rt.profile-x86_64.a"),
            ("i686-unknown-linux-gnu", "libclang_rt.profile-i386.a"),
            ("aarch64-unknown-linux-gnu", "libclang_rt.profile-aarch64.a"),
            ("armv7-unknown-linux-gnueabihf", "libclang_rt.profile-armhf.a"),
            ("thumbv7m-none-eabi", "libclang_rt.profile-arm.a"),
            ("riscv64gc-unknown-linux-gnu", "libclang_rt.profile-riscv64.a"),
            ("s390x-unknown-linux-gnu", "libclang_rt.profile-s390x.a"),
        ] {
            assert_eq!(archive_name(triple), name);
        }
    }
}
