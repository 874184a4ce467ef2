//! How this machine is called by rustc, and by clang in the names of its runtime archives.

use std::env::consts::ARCH;

pub use profrt_overlay::archive::{archive_name, clang_arch};

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
