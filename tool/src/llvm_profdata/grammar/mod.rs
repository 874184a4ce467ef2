//! The grammar of LLVM's command lines: `-name`, `--name`, `-name=value`, `-name value`, aliases, `--` and response files.

mod response;
mod table;
mod value;

use super::Program;
use super::failure::Failure;

pub(super) use response::expand;
pub(super) use table::{Command, MERGE, ORDER, OVERLAP, SHOW};
pub(super) use value::Value;

use table::{Argument, Spec};

/// Options and files of a command line.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Each option in the order of the command line, under its own name if an alias was used.
    options: Vec<(&'static str, Value)>,
    /// Everything else.
    pub(super) files: Vec<Vec<u8>>,
}

/// What a command line asks for.
#[derive(Debug)]
pub(super) enum Request {
    /// Run the command.
    Run(Parsed),
    /// Print the options of the command.
    Help,
    /// Print the version.
    Version,
}

impl Parsed {
    fn last(&self, name: &str) -> Option<&Value> {
        self.options.iter().rev().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// Returns whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.last(name).is_some()
    }

    /// Returns a switch, which is off by default.
    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.last(name), Some(Value::Flag(true)))
    }

    /// Returns a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.last(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns a string; an empty one counts as not given, as in LLVM.
    pub(super) fn text(&self, name: &str) -> Option<&[u8]> {
        match self.last(name) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns one of several words, or the default `""`.
    pub(super) fn choice(&self, name: &str) -> &'static str {
        match self.last(name) {
            Some(Value::Choice(choice)) => choice,
            _ => "",
        }
    }

    /// Returns the strings of all occurrences of an option.
    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.options.iter().filter(move |(other, _)| *other == name).filter_map(|(_, value)| match value {
            Value::Text(text) => Some(text.as_slice()),
            _ => None,
        })
    }

    /// Returns the numbers of all occurrences of an option.
    pub(super) fn numbers(&self, name: &str) -> Vec<u64> {
        let all = self.options.iter().filter(|(other, _)| *other == name);
        let lists = all.filter_map(|(_, value)| match value {
            Value::Numbers(numbers) => Some(numbers.as_slice()),
            _ => None,
        });
        lists.flatten().copied().collect()
    }
}

/// Parses the arguments after the name of a command.
pub(super) fn parse(command: &Command, called: Program<'_>, arguments: Vec<Vec<u8>>) -> Result<Request, Failure> {
    let Program { name: program, path } = called;
    let mut parsed = Parsed::default();
    let mut failure = Failure::default();
    let mut arguments = arguments.into_iter();
    let mut files_only = false;
    while let Some(argument) = arguments.next() {
        if files_only || !argument.starts_with(b"-") || argument == b"-" {
            parsed.files.push(argument);
            continue;
        }
        if argument == b"--" {
            files_only = true;
            continue;
        }
        let (name, value) = split(&argument);
        if matches!(name.as_ref(), "help" | "help-hidden" | "help-list" | "help-list-hidden")
            || name.starts_with('h') && command.find(&name).is_none()
        {
            // `-h` may be followed by other letters.
            return Ok(Request::Help);
        }
        if name == "version" {
            return Ok(Request::Version);
        }
        match command.find(&name) {
            Some(spec) => take(&mut parsed, &mut failure, program, spec, &name, value, &mut arguments),
            None => unknown(&mut failure, command, called, &argument, &name),
        }
    }
    let (least, most) = command.files;
    let count = parsed.files.len();
    // Options of LLVM's readers of samples are not known here; that samples are not is the better reason.
    if !failure.is_empty() && parsed.choice("kind") != "sample" {
        return Err(failure);
    }
    if count < least {
        let text = format!("{program}: Not enough positional command line arguments specified!");
        return Err(Failure::of_line(text)
            .line(format!("Must specify at least {least} positional arguments: See: {path} --help")));
    }
    if count > most {
        let text = format!("{program}: Too many positional arguments specified!");
        return Err(
            Failure::of_line(text).line(format!("Can specify at most {most} positional arguments: See: {path} --help"))
        );
    }
    Ok(Request::Run(parsed))
}

/// Returns the option of a command that an argument is, with one dash before a name of several letters.
pub(super) fn single_dashed(command: &Command, argument: &[u8]) -> Option<String> {
    let (name, _) = split(argument);
    let is_long = argument.starts_with(b"-") && !argument.starts_with(b"--") && name.len() > 1;
    (is_long && command.find(&name).is_some()).then(|| format!("-{name}"))
}

/// Splits `--name=value` into name and value.
fn split(argument: &[u8]) -> (String, Option<Vec<u8>>) {
    let argument = argument.strip_prefix(b"-").unwrap_or(argument);
    let argument = argument.strip_prefix(b"-").unwrap_or(argument);
    let mut parts = argument.splitn(2, |byte| *byte == b'=');
    let name = String::from_utf8_lossy(parts.next().unwrap_or(&[])).into_owned();
    (name, parts.next().map(<[u8]>::to_vec))
}

/// Takes one option, and its value from the next argument if it needs one.
fn take(
    parsed: &mut Parsed,
    failure: &mut Failure,
    program: &str,
    spec: Spec,
    name: &str,
    value: Option<Vec<u8>>,
    arguments: &mut impl Iterator<Item = Vec<u8>>,
) {
    if let Argument::Member { group, title } = spec.argument {
        match value {
            Some(value) => failure.push(format!(
                "{title} option: does not allow a value! '{}' specified.",
                String::from_utf8_lossy(&value)
            )),
            None => parsed.options.push((group, Value::Choice(spec.name))),
        }
        return;
    }
    let value = match (value, spec.argument) {
        (Some(value), _) => value,
        (None, Argument::Switch) => Vec::new(),
        (None, _) => match arguments.next() {
            Some(value) => value,
            None => return failure.push(format!("{program}: for the {} option: requires a value!", dashed(name))),
        },
    };
    match value::parse(spec.argument, value) {
        Ok(value) => parsed.options.push((spec.name, value)),
        Err(reason) => failure.push(format!("{program}: for the {} option: {reason}", dashed(spec.name))),
    }
}

fn dashed(name: &str) -> String {
    if name.len() == 1 { format!("-{name}") } else { format!("--{name}") }
}

fn unknown(failure: &mut Failure, command: &Command, called: Program<'_>, argument: &[u8], name: &str) {
    let Program { name: program, path } = called;
    let argument = String::from_utf8_lossy(argument);
    // A one-letter option may stand in a group of letters, but not if it takes a value.
    let mut characters = name.chars();
    if let (Some(first), Some(_)) = (characters.next(), characters.next())
        && command.find(first.encode_utf8(&mut [0; 4])).is_some()
    {
        failure.push(format!("{program}: for the -{first} option: may not occur within a group!"));
    }
    failure.push(format!("{program}: Unknown command line argument '{argument}'.  Try: '{path} --help'"));
    if let Some(nearest) = command.nearest(name) {
        let value = argument.split_once('=').map_or(String::new(), |(_, value)| format!("={value}"));
        failure.push(format!("{program}: Did you mean '{}{value}'?", dashed(nearest)));
    }
}
