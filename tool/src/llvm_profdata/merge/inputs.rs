//! The inputs of a merge: files, directories, weighted inputs and lists.

use std::fs;
use std::path::Path;

use super::super::failure::{Failure, bytes_of};
use super::super::grammar::Parsed;
use super::super::input::load;
use super::super::output::no_such_file;
use super::super::path_of;

/// An input and its weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Input {
    pub(super) path: Vec<u8>,
    pub(super) weight: u64,
}

/// Returns the inputs of a command line, in LLVM's order: files, weighted inputs, and those of the list.
pub(super) fn of(parsed: &Parsed) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for file in &parsed.files {
        add(&mut inputs, 1, file)?;
    }
    for argument in parsed.texts("weighted-input") {
        let (weight, path) = weighted(argument)?;
        add(&mut inputs, weight, path)?;
    }
    if let Some(list) = parsed.text("input-files") {
        let text = load(list).map_err(|error| Failure::of_system(list, &error))?;
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let (weight, path) = if line.contains(&b',') { weighted(line)? } else { (1, line) };
            add(&mut inputs, weight, path)?;
        }
    }
    Ok(inputs)
}

/// Splits `WEIGHT,FILE`.
fn weighted(argument: &[u8]) -> Result<(u64, &[u8]), Failure> {
    let mut parts = argument.splitn(2, |byte| *byte == b',');
    let weight = parts.next().unwrap_or(&[]);
    let digits = weight.iter().all(u8::is_ascii_digit);
    let weight = std::str::from_utf8(weight).ok().filter(|_| digits).and_then(|weight| weight.parse().ok());
    match weight {
        Some(weight) if weight > 0 => Ok((weight, parts.next().unwrap_or(&[]))),
        _ => Err(Failure::new("input weight must be a positive integer")),
    }
}

/// Adds a file, or all files of a directory.
fn add(inputs: &mut Vec<Input>, weight: u64, path: &[u8]) -> Result<(), Failure> {
    if path != b"-" {
        if path.is_empty() {
            return Err(Failure::of_system(path, &no_such_file()));
        }
        let file = path_of(path);
        let kind = fs::metadata(&file).map_err(|error| Failure::of_system(path, &error))?;
        if kind.is_dir() {
            return walk(inputs, weight, &file);
        }
    }
    inputs.push(Input { path: path.to_vec(), weight });
    Ok(())
}

/// Adds the regular files of a directory and of those in it, in the order of the file system.
fn walk(inputs: &mut Vec<Input>, weight: u64, directory: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::of_system(&bytes_of(directory), &error);
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        match fs::metadata(&path) {
            Ok(kind) if kind.is_dir() => walk(inputs, weight, &path)?,
            Ok(kind) if kind.is_file() => inputs.push(Input { path: bytes_of(&path), weight }),
            // A link to nothing, a device, a pipe.
            _ => {}
        }
    }
    Ok(())
}
