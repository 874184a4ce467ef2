//! The pages of `profrt cov --html`, `profrt report` and `profrt live` in Chromium: the scripts of `tests/pages`.

use anyhow::Result;
use testkit::run::{self, Ran};
use testkit::toolchain::Packages;
use testkit::toolchain::browser::script;

/// Makes the pages, and tests them.
pub fn tests(packages: Packages) -> Result<Ran> {
    run::run(&mut script(packages, &["make.js"])?)?;
    run::tests(&mut script(
        packages,
        &["--test", "--test-concurrency=2", "--test-timeout=300000", "--test-reporter=tap"],
    )?)
}
