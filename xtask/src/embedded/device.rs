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
    /// What QEMU makes of the serial lines, on which firmware without semihosting dumps.
    pub serial: &'static [&'static str],
    /// The package that brings QEMU.
    pub package: &'static str,
    /// GNU ld for it, its flags, and the package that brings it.
    pub gnu: (&'static str, &'static [&'static str], &'static str),
    /// What QEMU's exit code is when the firmware says 0.
    pub success: i32,
}

/// Bytes of stack that a dump may need below the function that calls it, what a callback uses apart.
pub const STACK: i64 = 512;

impl Device {
    /// Whether QEMU does what a debugger would.
    pub fn has_semihosting(&self) -> bool {
        !self.target.starts_with("x86_64")
    }
}

/// What devices have in common on which QEMU does what a debugger would.
const SEMIHOSTED: Device = Device {
    target: "",
    flags: &[],
    script: "",
    start: "",
    qemu: &[],
    serial: &[],
    package: "",
    gnu: ("", &[], ""),
    success: 0,
};

/// What is the same of all Cortex-M.
const CORTEX_M: Device = Device {
    script: "cortex-m.ld",
    start: "cortex_m.c",
    package: "qemu-system-arm",
    gnu: ("arm-none-eabi-ld", &[], "binutils-arm-none-eabi"),
    ..SEMIHOSTED
};

/// What is the same of both widths of RISC-V.
const RISCV: Device = Device { script: "riscv.ld", start: "riscv.S", package: "qemu-system-misc", ..SEMIHOSTED };

/// Without compare-and-swap, with one of 32 bits, with one of 64.
pub const DEVICES: [Device; 6] = [
    Device {
        target: "thumbv6m-none-eabi",
        flags: &["--target=armv6m-none-eabi", "-mcpu=cortex-m0"],
        qemu: &["qemu-system-arm", "-M", "microbit"],
        ..CORTEX_M
    },
    Device {
        target: "thumbv7m-none-eabi",
        flags: &["--target=armv7m-none-eabi", "-mcpu=cortex-m3"],
        qemu: &["qemu-system-arm", "-M", "mps2-an385"],
        ..CORTEX_M
    },
    Device {
        target: "riscv32imac-unknown-none-elf",
        flags: &["--target=riscv32-unknown-elf", "-march=rv32imac", "-mabi=ilp32"],
        qemu: &["qemu-system-riscv32", "-M", "virt", "-bios", "none"],
        gnu: ("riscv64-linux-gnu-ld", &["-m", "elf32lriscv"], "binutils-riscv64-linux-gnu"),
        ..RISCV
    },
    Device {
        target: "riscv64gc-unknown-none-elf",
        flags: &["--target=riscv64-unknown-elf", "-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany"],
        qemu: &["qemu-system-riscv64", "-M", "virt", "-bios", "none"],
        gnu: ("riscv64-linux-gnu-ld", &["-m", "elf64lriscv"], "binutils-riscv64-linux-gnu"),
        ..RISCV
    },
    Device {
        target: "aarch64-unknown-none",
        flags: &["--target=aarch64-none-elf"],
        script: "aarch64.ld",
        start: "aarch64.S",
        qemu: &["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53"],
        package: "qemu-system-arm",
        gnu: ("aarch64-linux-gnu-ld", &[], "binutils-aarch64-linux-gnu"),
        ..SEMIHOSTED
    },
    Device {
        target: "x86_64-unknown-none",
        flags: &["--target=x86_64-none-elf", "-mno-red-zone"],
        script: "x86_64.ld",
        start: "x86_64.S",
        qemu: &["qemu-system-x86_64", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
        serial: &["file:raw.profraw", "file:counters.bin"],
        package: "qemu-system-x86",
        gnu: ("x86_64-linux-gnu-ld.bfd", &[], "binutils-x86-64-linux-gnu"),
        success: 1,
    },
];
