//! `profrt convert`: a profile in another form: a merge of one input, which is never replaced. Only that of `pprof` is no profile any more.

mod pprof;

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, ensure};
use profdata::Target;

use crate::inputs::display;
use crate::merge::{self, Hashes};
use crate::report::output::is_same;

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
    /// What to write: indexed-9, clang-16, rustc-1.85, text, partial or pprof
    #[arg(long = "to", value_name = "FORM")]
    form: Form,
    /// The program or shared object, or its debug info: for functions whose names are torn, -profile-correlate, and lines of pprof
    #[arg(long, alias = "elf", value_name = "FILE")]
    object: Vec<PathBuf>,
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
Examples: a profile for clang 16, an indexed profile as text, and one for pprof

    profrt convert app.profdata --to clang-16 -o app-16.profdata
    profrt convert app.profdata --to text -o -
    profrt convert app.profdata --to pprof --object app -o app.pb.gz

Exit status: 0; 1 something was lost, the output is written; 2 nothing is written. What a form has no place for is a note.";

/// A form of profiles.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Indexed, for a compiler.
    Indexed(String),
    Text,
    /// A partial result of `profrt merge`.
    Partial,
    /// For tools that show samples.
    Pprof,
}

impl FromStr for Form {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Form, &'static str> {
        match text {
            "text" => Ok(Form::Text),
            "partial" => Ok(Form::Partial),
            "pprof" => Ok(Form::Pprof),
            _ if Target::of_name(text).is_ok() => Ok(Form::Indexed(text.to_owned())),
            _ => Err(
                "write indexed-7 to indexed-14, clang-13 to clang-23, rustc-1.60 to rustc-1.95, text, partial or pprof",
            ),
        }
    }
}

/// Converts, and returns the exit status. Errors: nothing is written.
pub fn run(options: &Options) -> Result<u8> {
    ensure!(
        !is_same(&options.input, &options.output),
        "{} is the input: what the other form has no place for would be gone; choose another output",
        display(&options.output)
    );
    let is_plain = options.hashes == Hashes::default() && !options.keep_names;
    ensure!(
        is_plain || matches!(options.form, Form::Indexed(_)),
        "text, partial and pprof profiles are for no compiler: they have names and hashes as they are; leave out --hashes and --keep-names"
    );
    let mut merge = merge::Options::of(options.input.clone(), options.output.clone());
    match &options.form {
        Form::Indexed(name) => {
            (merge.target, merge.hashes, merge.keep_names) = (Some(name.clone()), options.hashes, options.keep_names);
        }
        // It has both as they are.
        Form::Text => (merge.text, merge.hashes, merge.keep_names) = (true, Hashes::Keep, true),
        Form::Partial => merge.partial = true,
        Form::Pprof => return pprof::convert(&options.input, &options.object, &options.output),
    }
    (merge.object, merge.quiet) = (options.object.clone(), options.quiet);
    merge::run(&merge)
}
