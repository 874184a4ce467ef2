//! Other names for functions (`-remapping-file`), and functions to leave out (`-function`, `-no-function`).

use std::collections::HashMap;

use profdata::Profile;
use profdata::error::Error;
use profdata::sink::{Name, RecordRef, Sink};

use super::super::failure::Failure;
use super::super::grammar::Parsed;
use super::super::input::load;
use super::super::pattern;

/// Old names and the new ones.
pub(super) type Remapping = HashMap<Vec<u8>, Vec<u8>>;

/// Reads a remapping file: an old and a new name on each line.
pub(super) fn remapping(parsed: &Parsed) -> Result<Remapping, Failure> {
    let mut remapping = Remapping::new();
    let Some(path) = parsed.text("remapping-file") else { return Ok(remapping) };
    let text = load(path).map_err(|error| Failure::of_system(path, &error))?;
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let mut words = line.trim_ascii().splitn(2, |byte| *byte == b' ');
        match (words.next(), words.next()) {
            (Some(old), Some(new)) if !new.is_empty() && !new.contains(&b' ') => {
                remapping.insert(old.to_vec(), new.to_vec());
            }
            _ => {
                let path = String::from_utf8_lossy(path);
                let failure = Failure::new(format_args!("{path}:{number}: unexpected line in remapping file"));
                return Err(failure.line("note: expected 'old_symbol new_symbol'"));
            }
        }
    }
    Ok(remapping)
}

/// Hands a record on under its new name.
pub(super) fn rename(remapping: &Remapping, record: RecordRef<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let new = record.name.bytes.and_then(|name| remapping.get(name));
    sink.record(RecordRef { name: new.map_or(record.name, |new| Name::of(new)), ..record })
}

/// Removes the functions that `-function` and `-no-function` leave out, and reports their number.
pub(super) fn filter(parsed: &Parsed, profile: &mut Profile) -> Result<(), Failure> {
    let compile = |option| parsed.text(option).map(pattern::compile).transpose().map_err(Failure::new);
    let (wanted, unwanted) = (compile("function")?, compile("no-function")?);
    if wanted.is_none() && unwanted.is_none() {
        return Ok(());
    }
    let keeps = |record: RecordRef<'_>| {
        let name = record.name.bytes.unwrap_or(&[]);
        let unwanted = unwanted.as_ref().is_some_and(|pattern| pattern.is_match(name));
        !unwanted && wanted.as_ref().is_none_or(|pattern| pattern.is_match(name))
    };
    let names = |profile: &Profile| {
        let names = profile.records().map(|record| record.name.bytes);
        names.collect::<std::collections::HashSet<_>>().len()
    };
    let before = names(profile);
    profile.retain(keeps);
    let filtered = before - names(profile);
    warn_line!("{filtered} of {before} functions in the original profile are filtered.");
    Ok(())
}
