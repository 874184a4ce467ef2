//! The compilers that are installed, and the tools beside them.

use std::ops::Deref;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use testkit::paths::find_program;
use testkit::toolchain::{Clang, TESTED, clangs};

/// A compiler that the programs are tried with.
#[derive(Debug)]
pub struct Compiler(Clang);

impl Deref for Compiler {
    type Target = Clang;

    fn deref(&self) -> &Clang {
        &self.0
    }
}

impl Compiler {
    pub fn name(&self) -> String {
        format!("clang-{}", self.version)
    }
}

/// Those of the tested releases that are here, and the numbers of those that are not.
pub fn compilers() -> (Vec<Arc<Compiler>>, Vec<u32>) {
    let mut found = clangs();
    found.retain(|clang| TESTED.contains(&clang.version));
    let is_missing = |version: &u32| found.iter().all(|clang| clang.version != *version);
    let missing = TESTED.into_iter().filter(is_missing).collect();
    (found.into_iter().map(|clang| Arc::new(Compiler(clang))).collect(), missing)
}

/// Whether a `needs` of a program is met: `clang-N`, `root`, `ld.lld` of the same release, `protected_symlinks` that can
/// be set, or a command.
pub fn present(need: &str, compiler: &Compiler, compilers: &[Arc<Compiler>]) -> bool {
    if let Some(version) = need.strip_prefix("clang-").and_then(|v| v.parse::<u32>().ok()) {
        return compilers.iter().any(|c| c.version == version);
    }
    if need == "ld.lld" {
        return compiler.lld.is_some();
    }
    if need == "root" {
        use std::os::unix::fs::MetadataExt;
        return std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0);
    }
    if need == "protected_symlinks" {
        // Root in a container often may not write there.
        return std::fs::OpenOptions::new().write(true).open("/proc/sys/fs/protected_symlinks").is_ok();
    }
    let able = match need {
        "mount" => can_mount,
        // `needs overlay mount`: of this type.
        "overlay" => return can_mount_overlay(),
        "strace" => can_trace,
        _ => || true,
    };
    find_program(need).is_some() && able()
}

/// Whether one process may trace another here: some containers forbid it.
fn can_trace() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|out| out.status.success())
    })
}

/// Whether an overlay of file systems can be mounted here.
fn can_mount_overlay() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let Ok(dir) = tempfile::tempdir() else { return false };
        let script =
            "mount -t tmpfs none . && mkdir l u w o && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w o";
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script]).current_dir(dir.path());
        command.output().is_ok_and(|out| out.status.success())
    })
}

/// Whether file systems can be mounted here: root in a container often cannot.
fn can_mount() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let Ok(dir) = tempfile::tempdir() else { return false };
        let works = |command: &mut Command| command.arg(dir.path()).output().is_ok_and(|out| out.status.success());
        works(Command::new("mount").args(["-t", "tmpfs", "none"])) && works(&mut Command::new("umount"))
    })
}
