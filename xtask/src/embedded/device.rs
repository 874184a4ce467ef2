//! The devices: how their code is compiled, linked and run.

/// A kind of CPU, and the machine that QEMU has for it.
#[derive(Debug)]
pub struct Device {
    /// Rustc's target, which names the archive.
    pub target: &'static str,
    /// Clang's flags.
    pub flags: &'static [&'static str],
    /// In `linker-scripts/examples/`.
    pub script: &'static str,
    /// In `c-tests/qemu/start/`.
    pub start: &'static str,
    /// QEMU and its machine.
    pub qemu: &'static [&'static str],
    /// The package that brings QEMU.
    pub package: &'static str,
    /// What QEMU's exit code is when the firmware says 0.
    pub success: i32,
}

impl Device {
    /// Whether pointers have 32 bits: the bound on a dump's stack is for these.
    pub fn is_small(&self) -> bool {
        !self.target.contains("64")
    }

    /// Whether QEMU does what a debugger would.
    pub fn has_semihosting(&self) -> bool {
        !self.target.starts_with("x86_64")
    }
}

/// Without compare-and-swap, with one of 32 bits, with one of 64.
pub const DEVICES: [Device; 6] = [
    Device {
        target: "thumbv6m-none-eabi",
        flags: &["--target=armv6m-none-eabi", "-mcpu=cortex-m0"],
        script: "cortex-m.ld",
        start: "cortex_m.c",
        qemu: &["qemu-system-arm", "-M", "microbit"],
        package: "qemu-system-arm",
        success: 0,
    },
    Device {
        target: "thumbv7m-none-eabi",
        flags: &["--target=armv7m-none-eabi", "-mcpu=cortex-m3"],
        script: "cortex-m.ld",
        start: "cortex_m.c",
        qemu: &["qemu-system-arm", "-M", "mps2-an385"],
        package: "qemu-system-arm",
        success: 0,
    },
    Device {
        target: "riscv32imac-unknown-none-elf",
        flags: &["--target=riscv32-unknown-elf", "-march=rv32imac", "-mabi=ilp32"],
        script: "riscv.ld",
        start: "riscv.S",
        qemu: &["qemu-system-riscv32", "-M", "virt", "-bios", "none"],
        package: "qemu-system-misc",
        success: 0,
    },
    Device {
        target: "riscv64gc-unknown-none-elf",
        flags: &["--target=riscv64-unknown-elf", "-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany"],
        script: "riscv.ld",
        start: "riscv.S",
        qemu: &["qemu-system-riscv64", "-M", "virt", "-bios", "none"],
        package: "qemu-system-misc",
        success: 0,
    },
    Device {
        target: "aarch64-unknown-none",
        flags: &["--target=aarch64-none-elf"],
        script: "aarch64.ld",
        start: "aarch64.S",
        qemu: &["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53"],
        package: "qemu-system-arm",
        success: 0,
    },
    Device {
        target: "x86_64-unknown-none",
        flags: &["--target=x86_64-none-elf", "-mno-red-zone"],
        script: "x86_64.ld",
        start: "x86_64.S",
        qemu: &[
            "qemu-system-x86_64",
            "-serial",
            "file:raw.profraw",
            "-serial",
            "file:counters.bin",
            "-debugcon",
            "stdio",
            "-device",
            "isa-debug-exit,iobase=0xf4,iosize=4",
        ],
        package: "qemu-system-x86",
        success: 1,
    },
];
