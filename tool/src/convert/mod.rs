//! `profrt convert`: a profile in another form: indexed, text, partial, or raw of another version.
//!
//! The exit status is that of `profrt merge`: 0; 1 something was lost, and the output is written; 2 nothing is written. What the form has no
//! place for is a note.

mod form;
mod notes;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail, ensure};
use profdata::Profile;
use profdata::error::Error;
use profdata::merge::{MergeOptions, Merger};
use profdata::read::raw::is_raw;
use profdata::release::{Release, Target};
use profdata::write::indexed::WriteOptions;
use profdata::write::text::TextWriteOptions;

use crate::inputs::{self, Feed, Item, Loaded, binaries, display, load};
use crate::merge::names::{self, Finished};
use crate::merge::target::{check_hashes, readers, refused};
use crate::merge::{self, Hashes, Watched};
use crate::rebuild::version;
use crate::report::exact;
use crate::report::output::{check_keeps, is_same, publish};
use crate::report::style::{BAD, HEADING, Styled};
use crate::text::many;
use form::Form;
use notes::Notes;

/// What to convert, and to what.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A profile of any format; `-` is standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Where to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to write: indexed-9, clang-16, rustc-1.85, text, partial, or raw-10 (of a raw profile)
    #[arg(long = "to", value_name = "FORM")]
    form: Form,
    /// The program or shared object, or its debug info: for functions whose names are torn, and -profile-correlate
    #[arg(long, value_name = "FILE")]
    elf: Vec<PathBuf>,
    /// What to do with front-end profiles whose function hashes the compiler of --to computes by another rule
    #[arg(long, value_enum, default_value_t)]
    hashes: Hashes,
    /// Keep the names of local functions as they are: a compiler before LLVM 18 does not find those of a later one
    #[arg(long)]
    keep_names: bool,
    /// Print nothing when there is no loss and no note
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples: a profile of a program of clang 16 for the tools of LLVM 22, and an indexed profile as text

    profrt convert default.profraw --to raw-10 -o for-22.profraw
    profrt convert app.profdata --to text -o -

Exit status: 0; 1 something was lost, the output is written; 2 nothing is written. What a form has no place for is a note.";

/// Converts, reports on standard error, and returns the exit status.
pub fn main(options: &Options) -> ExitCode {
    match run(options) {
        Ok(is_whole) => ExitCode::from(u8::from(!is_whole)),
        Err(error) => {
            complainln!("{} {error:#}", Styled(BAD, "profrt convert:"));
            ExitCode::from(2)
        }
    }
}

/// Returns whether nothing was lost. Errors: nothing is written.
fn run(options: &Options) -> Result<bool> {
    ensure!(
        !is_same(&options.input, &options.output),
        "{} is the input: what the other form has no place for would be gone; choose another output",
        display(&options.output)
    );
    check_options(options)?;
    let sources = inputs::expand(std::slice::from_ref(&options.input), Some(&options.output));
    sources.check_keeps("-o", &options.output)?;
    check_keeps("-o", &options.output, sources.files().chain(options.elf.iter().map(PathBuf::as_path)))?;
    let feed = Feed::new(&sources.sources);
    let name = display(&options.input);
    let item = feed.next().with_context(|| format!("{name} has no profile"))?;
    let mut buffer = Vec::new();
    let loaded = load(&item.content, &mut buffer);
    ensure!(feed.next().is_none(), "{name} has several profiles; `profrt merge` adds them up to one");
    let (summary, notes) = match options.form {
        Form::Raw(version) => to_raw(options, &item, &loaded, version)?,
        _ => to_other(options, &item, &loaded)?,
    };
    if !options.quiet || !notes.is_empty() {
        let output = display(&options.output);
        complain!("{notes}{}: {summary}\n", Styled(HEADING, output));
    }
    Ok(!notes.has_loss())
}

/// Errors: an option has no effect on the form.
fn check_options(options: &Options) -> Result<()> {
    let is_plain = options.hashes == Hashes::default() && !options.keep_names;
    match options.form {
        Form::Raw(_) => ensure!(
            options.elf.is_empty() && is_plain,
            "--elf, --hashes and --keep-names change nothing of a raw profile; leave them out, or convert to another form"
        ),
        Form::Text | Form::Partial => ensure!(
            is_plain,
            "text and partial profiles are for no compiler: they have names and hashes as they are; leave out --hashes and --keep-names"
        ),
        Form::Indexed(_) => {}
    }
    Ok(())
}

/// Writes a raw profile.
fn to_raw(options: &Options, item: &Item, loaded: &Loaded<'_>, version: u64) -> Result<(String, Notes)> {
    if let Some(damage) = &loaded.damage {
        return Err(explained(damage));
    }
    let bytes = loaded.bytes.unwrap_or(&[]);
    let name = &item.name;
    ensure!(
        is_raw(bytes),
        "{name} is no raw profile, and only a raw one has the addresses that raw-{version} needs\n  \
         remedy: convert it to indexed-N, clang-N, text or partial"
    );
    let converted = version::convert(bytes, version).map_err(|error| match error.downcast_ref::<Error>() {
        Some(error) => anyhow!(
            "{name}: {error}\n  cause:  {}\n  remedy: make or copy the file again; `profrt merge {name}` takes what is whole",
            error.cause()
        ),
        None => error.context(name.clone()),
    })?;
    publish(&options.output, |out| Ok(out.write_all(&converted.bytes)?))?;
    let mut notes = Notes::default();
    for finding in &converted.findings {
        notes.finding(finding, None);
    }
    converted.notes.iter().for_each(|note| notes.note(note));
    let profiles =
        if converted.profiles == 1 { String::new() } else { format!("{}, ", many(converted.profiles, "profile")) };
    let (functions, size) = (many(converted.records, "function"), exact(converted.bytes.len() as u64));
    Ok((format!("raw version {version}; {profiles}{functions}, {size} bytes"), notes))
}

/// Writes any other form.
fn to_other(options: &Options, item: &Item, loaded: &Loaded<'_>) -> Result<(String, Notes)> {
    let correlation = binaries(&options.elf)?;
    let mut merger = Merger::new(MergeOptions { correlation: correlation.clone(), ..MergeOptions::default() });
    loaded.add_to(&mut merger, item, 1, correlation.as_deref()).map_err(|error| explained(&error))?;
    let mut partial = (options.form == Form::Partial).then(Vec::new);
    if let Some(bytes) = &mut partial {
        merger.write_partial(bytes).context("the partial result cannot be made")?;
    }
    let (target, keep) = match options.form {
        Form::Indexed(target) => (Some(target), options.keep_names),
        _ => (None, true),
    };
    let Finished { profile, report, renamed, .. } = names::finish(merger, target, keep)?;
    let mut notes = Notes::of(&report, &profile);
    if renamed > 0 {
        notes.note(&format!("{} got the names that the compiler looks for", many(renamed, "local function")));
    }
    if report.total.whole + report.total.salvaged == 0 {
        bail!("nothing of {} can be read\n{notes}", item.name);
    }
    let summary = match (options.form, partial) {
        (Form::Indexed(target), _) => indexed(options, &profile, target, &mut notes)?,
        (_, Some(partial)) => {
            publish(&options.output, |out| Ok(out.write_all(&partial)?))?;
            format!("partial; {}, {} bytes", many(profile.len() as u64, "function"), exact(partial.len() as u64))
        }
        _ => text(options, &profile, &mut notes)?,
    };
    Ok((summary, notes))
}

/// Writes an indexed profile.
fn indexed(options: &Options, profile: &Profile, target: Target, notes: &mut Notes) -> Result<String> {
    check_hashes(profile, target, options.hashes)?;
    let settings = WriteOptions { hash_eras: options.hashes.into(), ..WriteOptions::default() };
    let written = publish(&options.output, |mut out| {
        profdata::write::indexed::write(profile, target, &settings, &mut out).map_err(refused)
    })?;
    written.findings.iter().for_each(|finding| notes.finding(finding, Some(profile)));
    merge::notes::of(profile, target, true).iter().for_each(|note| notes.note(note));
    let (version, functions) = (target.version(), many(written.records, "function"));
    Ok(format!("indexed version {version}, for {}; {functions}, {} bytes", readers(target), exact(written.bytes)))
}

/// Writes the text form, as the newest release has it: it has lines of later releases only for what no earlier one has.
fn text(options: &Options, profile: &Profile, notes: &mut Notes) -> Result<String> {
    let settings = TextWriteOptions { release: Release::NEWEST };
    let (written, bytes) = publish(&options.output, |out| {
        let mut counted = Watched { out, bytes: 0, error: None };
        let written = profdata::write::text::write(profile, &settings, &mut counted)?;
        Ok((written, counted.bytes))
    })?;
    written.findings.iter().for_each(|finding| notes.finding(finding, Some(profile)));
    Ok(format!("text; {}, {} bytes", many(written.records, "function"), exact(bytes)))
}

/// Returns an error with its cause and what to do.
fn explained(error: &Error) -> anyhow::Error {
    anyhow!("{error}\n  cause:  {}\n  remedy: {}", error.cause(), error.remedy())
}
