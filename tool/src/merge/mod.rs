//! `profrt merge`: any mix of profiles of one program to what a chosen compiler reads, with an account of what was lost.
//!
//! | exit status | means |
//! | --- | --- |
//! | 0 | the output is written, and nothing was lost beyond what `--fail-under-inputs` and `--fail-under-counts` allow |
//! | 1 | the output is written, and more was lost |
//! | 2 | nothing is written: no input can be used, inputs do not merge, the output cannot be written, or the command line is wrong |
//! | 130 | nothing is written: a signal has ended the command while it wrote |

mod account;
mod add;
mod compat;
mod end;
pub(crate) mod names;
pub(crate) mod notes;
mod replace;
mod scale;
mod table;
pub(crate) mod target;
mod weights;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{ArgAction, ValueEnum};
use profdata::merge::MergeOptions;
use profdata::write::indexed::{self, HashEras, WriteOptions};
use profdata::write::text::{self, TextWriteOptions};
use profdata::{Profile, Target};

use crate::inputs::{self, Sources, display};
use crate::report::output::{Draft, unwritable};
use crate::report::verdict::NO_RESULT;
use crate::report::{Page, Share};
use account::Account;
pub use end::{Ended, end, end_one, write as write_file};
use replace::{check_contained, check_outputs};
use scale::{Settings, Shares};
pub use weights::{Weight, Weights};

/// What to merge, how, and for whom.
#[derive(clap::Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Profiles, directories, archives (.tar, .tar.gz, .tar.zst, .zst, .gz, .zip); `-` is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Take inputs from a list, one path a line (or separated by zero bytes); `-` is standard input
    #[arg(short = 'f', long = "files", value_name = "LIST")]
    lists: Vec<PathBuf>,
    /// Where to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Threads; the result is the same with any number
    #[arg(short = 'j', long = "jobs", alias = "threads", value_name = "N")]
    threads: Option<usize>,
    /// Who reads the output: clang-16, rustc-1.85, indexed-9. Without it, the compiler that made the inputs, and later ones
    #[arg(long = "for", value_name = "COMPILER")]
    pub(crate) target: Option<String>,
    /// Write the text form
    #[arg(long)]
    pub(crate) text: bool,
    /// Write a partial result, which `profrt merge` merges further without any loss
    #[arg(long, conflicts_with_all = ["text", "target", "sparse", "compat", "hashes", "keep_names"])]
    pub(crate) partial: bool,
    /// Leave out functions that never ran
    #[arg(long)]
    sparse: bool,
    /// Write to the bit what llvm-profdata of the release named by --for writes with one thread, its defects too; nothing is salvaged
    #[arg(long, requires = "target", conflicts_with_all = ["balance", "hashes", "keep_names"])]
    compat: bool,
    /// Write what became of each input, and all that was lost, as JSON
    #[arg(long = "json", alias = "report", value_name = "FILE")]
    report: Option<PathBuf>,
    /// The share of inputs that must be whole for exit status 0
    #[arg(long, value_name = "SHARE", default_value_t = Share::ALL)]
    fail_under_inputs: Share,
    /// The share of counts that must be in the output for exit status 0
    #[arg(long, value_name = "SHARE", default_value_t = Share::ALL)]
    fail_under_counts: Share,
    /// Multiply the counts of inputs whose name or path matches, a partial result as a whole; the last match decides
    #[arg(long = "weight", value_name = "GLOB=W")]
    weights: Vec<Weight>,
    /// Programs and shared objects of the profiles, or their debug info: for functions whose names are torn, and -profile-correlate
    #[arg(long, alias = "elf", value_name = "FILE", conflicts_with = "compat")]
    pub(crate) object: Vec<PathBuf>,
    /// Let each workload count by its share, not by how long it ran. A workload is what one --weight matches, or else one input
    #[arg(long, alias = "normalize", conflicts_with = "partial")]
    balance: bool,
    /// Count inputs with the same bytes once: copies, but also runs that counted the same
    #[arg(long, conflicts_with = "compat")]
    drop_equal: bool,
    /// Merge front-end with IR profiles and byte coverage with counts, as llvm-profdata does; the result misleads compilers
    #[arg(long)]
    mix_kinds: bool,
    /// What to do with front-end profiles whose function hashes the compiler of --for computes by another rule
    #[arg(long, value_enum, default_value_t)]
    pub(crate) hashes: Hashes,
    /// Keep the names of local functions as they are: a compiler before LLVM 18 does not find those of a later one
    #[arg(long)]
    pub(crate) keep_names: bool,
    /// Print no table when there is no loss and no note
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) quiet: bool,
}

const EXAMPLES: &str = "\
Example: a night's profiles of a fleet, for an older compiler, with at most 1 % of the counts lost

    profrt merge night/ late.tar.zst --for clang-16 --fail-under-inputs 95% --fail-under-counts 99% \\
        --json night.json -o night.profdata

Exit status: 0 nothing was lost beyond what --fail-under-… allow; 1 more was lost, the output is written; 2 nothing is written;\n130 a signal has ended it while it wrote, nothing is written.";

/// What to do with hashes of another era (`profdata::write::indexed::HashEras`).
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hashes {
    /// Refuse to write them
    #[default]
    Refuse,
    /// Convert hashes of clang 21 and earlier for clang 22 and later: right for -fprofile-use, wrong for llvm-cov
    Convert,
    /// Write them as they are: the compiler finds no counts for many functions
    Keep,
}

impl From<Hashes> for HashEras {
    fn from(hashes: Hashes) -> HashEras {
        match hashes {
            Hashes::Refuse => HashEras::Refuse,
            Hashes::Convert => HashEras::Convert,
            Hashes::Keep => HashEras::AsIs,
        }
    }
}

impl Options {
    /// Returns the options of a merge of one input.
    pub(crate) fn of(input: PathBuf, output: PathBuf) -> Options {
        Options { inputs: vec![input], output, ..Options::default() }
    }
}

/// What was merged.
struct Merged {
    profile: Profile,
    account: Account,
    /// For whom it is.
    target: Target,
    /// The partial result, if that is to be written.
    partial: Option<Vec<u8>>,
}

/// Merges, and reports on standard error. Returns the exit status. Errors: nothing is written.
pub fn run(options: &Options) -> Result<u8> {
    let target = options.target.as_deref().map(target::named).transpose()?;
    let mut arguments = options.inputs.clone();
    let stdin = Path::new("-");
    let readers = arguments.iter().chain(&options.lists).filter(|path| *path == stdin).count();
    ensure!(
        readers < 2 || options.lists.iter().all(|list| list != stdin),
        "standard input cannot be a list and an input"
    );
    arguments.extend(inputs::lists(&options.lists)?);
    ensure!(!arguments.is_empty(), "no inputs; name profiles, directories or archives, or a list of them with -f");
    let sources =
        if options.compat { inputs::expand_all(&arguments) } else { inputs::expand(&arguments, Some(&options.output)) };
    let replaced = check_outputs(options, &arguments, &sources)?;
    let mut merged = match target {
        Some(target) if options.compat => compat::merge(&sources, options, target)?,
        _ => merge(&sources, options, target)?,
    };
    let mut page = Page::default();
    if !is_of_use(&merged, options) {
        merged.account.name_functions(&merged.profile);
        if let Some(report) = report(&merged.account, NO_RESULT, options)? {
            report.publish()?;
        }
        table::problems(&mut page, &merged.account);
        bail!("{}no input can be used, and {} was not written", page.text(), display(&options.output));
    }
    let (output, written) = write(options, &mut merged)?;
    merged.account.finish(&merged.profile, written, options);
    if let Some(name) = &replaced {
        check_contained(name, &merged.account)?;
    }
    let verdict = merged.account.verdict(options);
    let report_draft = report(&merged.account, verdict.status(), options)?;
    if let Err(error) = publish(output, report_draft) {
        merged.account.output = None;
        if options.report.as_ref().is_some_and(|report| report.is_file()) {
            report(&merged.account, NO_RESULT, options)?.into_iter().try_for_each(Draft::publish)?;
        }
        return Err(error);
    }
    if !options.quiet || verdict.status() != 0 || !merged.account.is_clean() {
        table::problems(&mut page, &merged.account);
        table::table(&mut page, &merged.account);
        complain!("{}", page.text());
    }
    Ok(verdict.end("merge"))
}

/// Publishes the output and the report, of which the one that may fail comes first. Errors: those of the system.
fn publish(output: Draft, report: Option<Draft>) -> Result<()> {
    let mut drafts: Vec<Draft> = report.into_iter().chain([output]).collect();
    drafts.sort_by_key(Draft::is_file);
    drafts.into_iter().try_for_each(Draft::publish)
}

/// Returns whether there is something to write. A profile without functions is what programs without them leave, if nothing was lost.
fn is_of_use(merged: &Merged, options: &Options) -> bool {
    let (account, profile) = (&merged.account, &merged.profile);
    let total = &account.report.total;
    let has_content = !profile.is_empty() || !profile.traces().is_empty() || !profile.memprof_sections().is_empty();
    options.partial || account.used() > 0 && (has_content || options.compat || total.whole == total.inputs())
}

/// Writes the report to a draft, if there is to be one.
fn report(account: &Account, status: u8, options: &Options) -> Result<Option<Draft>> {
    let Some(path) = &options.report else { return Ok(None) };
    Draft::of(path, account.json(status)?.as_bytes()).map(Some)
}

/// Merges by our own rules.
fn merge(sources: &Sources, options: &Options, target: Option<Target>) -> Result<Merged> {
    let weights = Weights::new(&options.weights);
    let settings = Settings {
        threads: options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1),
        merge: MergeOptions {
            mix_kinds: options.mix_kinds,
            correlation: inputs::binaries(&options.object)?,
            target,
            ..MergeOptions::default()
        },
        drop_equal: options.drop_equal,
        weights: &weights,
    };
    ensure!(
        !options.balance || sources.can_read_twice(),
        "--balance reads each input twice, which a pipe does not allow; write it to a file first"
    );
    let shares = options.balance.then(|| Shares::of(sources, &settings)).transpose()?;
    let mut added = add::add(sources, &settings, shares.as_ref())?;
    let mut partial = options.partial.then(Vec::new);
    if let Some(bytes) = &mut partial {
        added.merger.write_partial(bytes).context("the partial result cannot be made")?;
    }
    if let Some(target) = target {
        target::convert(&mut added.merger, target, options.hashes).map_err(anyhow::Error::new)?;
    }
    // A partial result has names as they are: which compiler reads the result is not known.
    let finished = names::finish(added.merger, target, options.partial || options.keep_names);
    let names::Finished { profile, report, target, renamed } = finished.map_err(anyhow::Error::new)?;
    let (duplicates, equal, ignored) = (added.duplicates, added.equal, added.ignored);
    let mut account = Account { report, duplicates, equal, ignored, renamed, ..Account::default() };
    weights.note(&mut account);
    Ok(Merged { profile, account, partial, target })
}

/// What was written.
struct Written {
    format: &'static str,
    target: Option<Target>,
    bytes: u64,
    functions: u64,
    /// Sum of the counters of functions that the form has no place for.
    counts_lost: u128,
    findings: Vec<profdata::Finding>,
}

/// Writes the output to a draft.
fn write(options: &Options, merged: &mut Merged) -> Result<(Draft, Written)> {
    let (profile, target) = (&mut merged.profile, merged.target);
    if !options.partial && !options.compat {
        ensure!(
            !(options.text && options.hashes == Hashes::Convert),
            "--hashes convert writes indexed profiles only; leave out --text"
        );
        target::check_hashes(profile, target, options.hashes)?;
    }
    if options.text && options.sparse {
        profdata::compat::drop_dead_names(profile);
    }
    let partial = merged.partial.take();
    let (draft, (bytes, written)) = Draft::write(&options.output, |out| {
        let mut out = Watched { out, bytes: 0, error: None };
        let written = write_form(options, profile, target, partial, &mut out);
        match (written, out.error) {
            (Err(_), Some(error)) => Err(unwritable(&options.output, error)),
            (written, _) => Ok((out.bytes, written?)),
        }
    })?;
    Ok((draft, Written { bytes, ..written }))
}

/// Writes the form that is wanted.
fn write_form(
    options: &Options,
    profile: &Profile,
    target: Target,
    partial: Option<Vec<u8>>,
    out: &mut Watched<'_>,
) -> Result<Written> {
    let settings = TextWriteOptions { release: target.release() };
    let functions = profile.len() as u64;
    let form =
        Written { format: "text", target: Some(target), bytes: 0, functions, counts_lost: 0, findings: Vec::new() };
    Ok(if let Some(partial) = partial {
        out.write_all(&partial)?;
        Written { format: "partial", target: None, ..form }
    } else if options.text && options.compat {
        text::write_as_llvm(profile, &settings, out)?;
        form
    } else if options.text {
        let written = text::write(profile, &settings, out).map_err(target::refused)?;
        Written { functions: written.records, counts_lost: written.counts_lost, findings: written.findings, ..form }
    } else {
        let settings = WriteOptions {
            sparse: options.sparse,
            vtable_names: !options.compat,
            hash_eras: if options.compat { HashEras::AsIs } else { options.hashes.into() },
        };
        let written = indexed::write(profile, target, &settings, out).map_err(target::refused)?;
        Written { format: "indexed", functions: written.records, findings: written.findings, ..form }
    })
}

/// Counts what is written, and keeps the error of the system.
struct Watched<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
    error: Option<io::Error>,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes).map_err(|error| {
            let kind = error.kind();
            self.error = Some(error);
            io::Error::from(kind)
        })?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
