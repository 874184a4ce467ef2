//! Bytes of flash on a device, beside LLVM's runtime as the crate minicov has it.

use anyhow::Result;

use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::toolchain::rust::find;
use xtask::embedded::sizes;

const TARGET: &str = "thumbv7m-none-eabi";

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    programs.packages.require(&["ld.lld-22", "qemu-system-arm"])?;
    let (toolchain, with_core) = find(&[TARGET], programs.packages)?;
    let sizes = sizes::rows(&programs.clang, &toolchain, with_core, |target| target == TARGET)?;
    let row = |row: sizes::Row| {
        let limit = row.llvm.map_or(Limit::Most(sizes::COUNTERS_ONLY as f64), |_| Limit::Ratio(1.0));
        let llvm = row.llvm.map(|llvm| llvm.flash as f64);
        Row::new(format!("Cortex-M3, {}: bytes of flash", row.job), limit, llvm, row.ours.flash as f64)
    };
    Ok(sizes.into_iter().filter(|row| !row.job.ends_with("frames")).map(row).collect())
}
