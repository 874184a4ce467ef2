//! `profrt.toml` in the working directory, or the nearest above it in the repository: options of `profrt cov`, which the command line overrides.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use glob::Pattern;
use profrt_coverage::paths::root;
use serde::Deserialize;
use toml::{Table, Value};

const FILE: &str = "profrt.toml";

/// What it can have. Nothing that writes a file: it may be another user's, or come with a repository.
const OPTIONS: [&str; 14] = [
    "absolute-paths",
    "compilation-dir",
    "exclude-branches",
    "exclude-functions",
    "exclude-lines",
    "fail-on",
    "fail-under",
    "fail-under-file",
    "ignore",
    "object",
    "only",
    "outside",
    "path-map",
    "rust",
];

/// The file. What has options of other commands comes beside `cov`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    cov: Table,
}

/// Puts the options of the file into a command line of `profrt cov`, but those that it has, and behind `--compat`, which knows LLVM's only. An
/// option has the name of the command line; `object` is for `run`. Errors: the file is no TOML, or has something else.
pub fn with_file(mut arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let is = |place: usize, word: &str| arguments.get(place).is_some_and(|argument| argument == word);
    let own = arguments.iter().take_while(|argument| *argument != "--");
    let has = |option: &str| {
        let name = |argument: &OsString| argument.to_string_lossy().split('=').next() == Some(&format!("--{option}"));
        own.clone().any(name)
    };
    let here = std::env::current_dir().unwrap_or_default();
    let is_wanted = is(1, "cov") && !is(2, "who") && !has("compat");
    let mut above = here.ancestors().take_while(|above| is_wanted && above.starts_with(root()));
    let Some(directory) = above.find(|above| above.join(FILE).exists()) else { return Ok(arguments) };
    let directory = if directory == here { "".into() } else { directory.to_string_lossy() };
    let path = Path::new(&*directory).join(FILE);
    let shown = path.display();
    let text = String::from_utf8(crate::text::read(&path)?).with_context(|| shown.to_string())?;
    let file: File = toml::from_str(&text).map_err(|error| anyhow::anyhow!("{shown}: {error}"))?;
    let (is_run, is_change) = (is(2, "run"), has("since") || has("diff"));
    if let Some(name) = file.cov.keys().find(|name| !OPTIONS.contains(&name.as_str())) {
        bail!("{shown}: `{name}` is not one of {}", OPTIONS.join(", "));
    }
    let mut options = Vec::new();
    for (name, value) in file.cov.into_iter().filter(|(name, _)| !has(name) && (is_run || name != "object")) {
        let values = if let Value::Array(values) = value { values } else { vec![value] };
        for value in values {
            options.push(OsString::from(match value {
                Value::Boolean(true) => format!("--{name}"),
                // Thresholds of new lines are of a change, and the others of the project.
                Value::String(text) if name.starts_with("fail-under") && text.starts_with("new-lines") != is_change => {
                    continue;
                }
                Value::String(text) => format!("--{name}={}", relative_to(&directory, &name, &text)),
                _ => bail!("{shown}: `{name}` is true, a text, or a list of texts"),
            }));
        }
    }
    let place = if is_run { 3 } else { 2 };
    arguments.splice(place..place, options);
    Ok(arguments)
}

/// Returns the value of an option with its path, if it has one, below the directory.
fn relative_to(directory: &str, name: &str, value: &str) -> String {
    let start = if name == "path-map" { value.find('=').map_or(0, |place| place + 1) } else { 0 };
    let (from, path) = value.split_at(start);
    let directory = match name {
        "compilation-dir" | "object" | "path-map" => directory,
        "only" if !path.starts_with('*') => &Pattern::escape(directory),
        _ => return value.to_owned(),
    };
    format!("{from}{}", Path::new(directory).join(path).display())
}
