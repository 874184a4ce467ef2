//! The processes that merge, and what they use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::super::measure::{self, median};
use super::super::programs::Programs;
use super::super::report::{Limit, Row};
use crate::dist::compile::cargo;
use crate::{paths, run};

/// What a process has used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Milliseconds in user mode and in the system.
    pub cpu: f64,
    /// Milliseconds from start to end.
    pub wall: f64,
    /// The largest number of MiB in memory at once.
    pub peak: f64,
}

/// What processes of both sides have used, round by round.
#[derive(Clone, Debug, Default)]
pub struct Rounds(Vec<[Used; 2]>);

impl Rounds {
    /// The row of a part of what they have used.
    pub fn row(&self, what: String, limit: Limit, part: impl Fn(&Used) -> f64) -> Row {
        let of = |side: usize| median(self.0.iter().map(|round| part(&round[side])).collect());
        let mut row = Row::new(what, of(0), of(1), limit);
        row.ratio = median(self.0.iter().map(|[official, ours]| part(ours) / part(official)).collect());
        row
    }
}

/// What stands for our side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ours {
    /// The example `merge` of the crate.
    Crate,
    /// `profrt merge`.
    Tool,
}

/// The programs that are compared, and those that measure them.
pub struct Tools<'p> {
    programs: &'p Programs,
    ours: Ours,
    llvm: PathBuf,
    rusage: PathBuf,
}

impl<'p> Tools<'p> {
    pub fn build(programs: &'p Programs, ours: Ours) -> Result<Tools<'p>> {
        let release = programs.clang.version;
        let llvm = format!("llvm-profdata-{release}");
        let llvm = paths::find_program(&llvm).with_context(|| format!("{llvm} is needed"))?;
        let rusage = programs.scratch("rusage");
        let mut clang = Command::new(&programs.clang.clang);
        clang.arg("-O2").arg(paths::root().join("xtask/bench/rusage.c")).arg("-o").arg(&rusage);
        run::quiet(&mut clang)?;
        let build = |what: [&str; 2]| run::run(cargo().args(["build", "--quiet", "--release", "--package"]).args(what));
        build(["profdata", "--examples"])?;
        if ours == Ours::Tool {
            build(["profrt-tool", "--bins"])?;
        }
        Ok(Tools { programs, ours, llvm, rusage })
    }

    /// Merges with `llvm-profdata`.
    pub fn official(&self, threads: usize, inputs: &[PathBuf], output: &Path) -> Result<Used> {
        self.used(&mut self.command(0, threads, inputs, output))
    }

    /// Lets both sides merge in turns. Both have to write the same.
    pub fn in_turns(&self, threads: usize, inputs: &[PathBuf], rounds: usize) -> Result<Rounds> {
        let outputs = [self.programs.scratch("official.profdata"), self.programs.scratch("ours.profdata")];
        let mut all = Rounds::default();
        for _ in 0..rounds {
            let side = |side: usize| self.used(&mut self.command(side, threads, inputs, &outputs[side]));
            all.0.push([side(0)?, side(1)?]);
            ensure!(
                fs::read(&outputs[0])? == fs::read(&outputs[1])?,
                "the outputs differ for {} files like {}",
                inputs.len(),
                inputs[0].display()
            );
        }
        Ok(all)
    }

    /// The same with the crate's process on our side.
    pub fn with_crate(&self) -> Tools<'p> {
        Tools { ours: Ours::Crate, llvm: self.llvm.clone(), rusage: self.rusage.clone(), ..*self }
    }

    /// Instructions of a process of each side with one thread.
    pub fn instructions(&self, inputs: &[PathBuf]) -> Result<[f64; 2]> {
        Ok([self.instructions_of(0, inputs)?, self.instructions_of(1, inputs)?])
    }

    /// Instructions of a process of a side with one thread: LLVM's, or ours.
    pub fn instructions_of(&self, side: usize, inputs: &[PathBuf]) -> Result<f64> {
        let out = self.programs.scratch("callgrind.out");
        let merge = self.command(side, 1, inputs, &self.programs.scratch("counted.profdata"));
        let mut valgrind = measure::valgrind(Path::new(merge.get_program()), None, &out);
        run::quiet(valgrind.args(merge.get_args()))?;
        Ok(measure::total(&out)? as f64)
    }

    /// Milliseconds of CPU time for reading a file once, or for hashing it: `what` the example `read` knows. The process itself is not in it.
    pub fn read(&self, what: &str, file: &Path) -> Result<f64> {
        let cpu = |times: u32| -> Result<f64> {
            let mut read = Command::new(example("read"));
            Ok(self.used(read.arg(what).arg(file).arg(times.to_string()))?.cpu)
        };
        // Enough of a hash to be measured.
        let times = if what == "read" { 4 } else { 40 };
        let rounds = (0..5).map(|_| Ok((cpu(2 * times)? - cpu(times)?) / f64::from(times)));
        Ok(median(rounds.collect::<Result<_>>()?))
    }

    /// What the start of both sides uses, with `--version`, round by round.
    pub fn starts(&self, rounds: usize) -> Result<Rounds> {
        let start = |program: &Path| self.used(Command::new(program).arg("--version"));
        let rounds = (0..rounds).map(|_| Ok([start(&self.llvm)?, start(&tool())?]));
        Ok(Rounds(rounds.collect::<Result<_>>()?))
    }

    fn command(&self, side: usize, threads: usize, inputs: &[PathBuf], output: &Path) -> Command {
        let mut command = if side == 0 {
            let mut official = Command::new(&self.llvm);
            official.arg("merge").arg(format!("-num-threads={threads}"));
            official
        } else {
            let mut ours = match self.ours {
                Ours::Crate => Command::new(example("merge")),
                Ours::Tool => Command::new(tool()),
            };
            if self.ours == Ours::Tool {
                ours.args(["merge", "--quiet"]);
            }
            let release = self.programs.clang.version;
            ours.args(["-j", &threads.to_string(), "--for", &format!("clang-{release}")]);
            ours
        };
        command.arg("-o").arg(output).args(inputs);
        command
    }

    fn used(&self, command: &mut Command) -> Result<Used> {
        let mut rusage = Command::new(&self.rusage);
        rusage.arg(command.get_program()).args(command.get_args());
        let [user, system, wall, peak] = numbers(&run::stdout(&mut rusage)?)?;
        Ok(Used { cpu: (user + system) / 1e3, wall: wall / 1e3, peak: peak / 1024.0 })
    }
}

fn example(name: &str) -> PathBuf {
    paths::target().join("release/examples").join(name)
}

fn tool() -> PathBuf {
    paths::target().join("release/profrt")
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N]> {
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    numbers.with_context(|| format!("`{text}` instead of {N} numbers"))
}
