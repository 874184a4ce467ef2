//! What an output and a report may replace: nothing whose contents would be gone.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use profdata::finding::{InputId, Outcome};
use profdata::read::ReadOptions;
use profdata::read::detect::{Detected, detect};
use profdata::{Profile, read};

use super::account::Account;
use super::{Options, display};
use crate::inputs::{Sources, is_profile_name};
use crate::report::findings::is_loss;
use crate::report::is_report;
use crate::report::output::{check_keeps, is_same};

/// Checks what the output and the report would replace. Returns the name of the input that the output replaces, for [`check_contained`].
///
/// Errors: the report would replace something that is no report, or mix with the output; the output would replace a list, a program, an
/// archive, or a file in an input directory that no merge has written.
pub(super) fn check_outputs(options: &Options, arguments: &[PathBuf], sources: &Sources) -> Result<Option<String>> {
    let others = || options.lists.iter().chain(&options.object).map(PathBuf::as_path);
    check_keeps("-o", &options.output, others())?;
    // It is no input, so that the next merge of a directory may replace what the last one has written there.
    ensure!(
        !sources.has_output || is_result(&options.output),
        "-o would replace {} in an input directory, which is not the result of a merge; give another file",
        display(&options.output)
    );
    let replaced = sources.files().find(|path| is_same(path, &options.output));
    ensure!(
        replaced.is_none() || !matches!(detect(&head(&options.output)), Some(Detected::Archive(_))),
        "-o would replace the archive {}; give another file",
        display(&options.output)
    );
    if let Some(report) = &options.report {
        check_report(report, options, arguments, sources)?;
    }
    Ok(replaced.map(display))
}

/// Errors: the report is also the output or an input, or would replace a file that is no report.
fn check_report(report: &Path, options: &Options, arguments: &[PathBuf], sources: &Sources) -> Result<()> {
    let stdout = Path::new("-");
    ensure!(
        report != stdout || options.output != stdout,
        "the output and the report cannot both be standard output; give one of them a file"
    );
    ensure!(!is_same(report, &options.output), "--json and -o are one file; give the report another one");
    let given = arguments.iter().chain(&options.inputs).chain(&options.lists).chain(&options.object);
    let files = sources.files().filter(|_| report.exists());
    check_keeps("--json", report, given.map(PathBuf::as_path).chain(files))?;
    let is_free = || !report.is_file() || is_report(&head(report)) || is_empty(report) && !is_profile(report);
    ensure!(is_free(), "--json would replace {}, which is no report; give the report another file", display(report));
    Ok(())
}

/// Checks that everything of an input that the output replaces is in the result.
///
/// Errors: some of it is not.
pub(super) fn check_contained(name: &str, account: &Account) -> Result<()> {
    let report = &account.report;
    let inputs = report.inputs.iter().filter(|(_, input)| input.name == name || report.inputs.len() == 1);
    let mut lost = account.findings_of(InputId::MERGE).any(|finding| is_loss(&finding.kind));
    for (id, input) in inputs {
        lost |= !matches!(input.outcome, Outcome::Whole | Outcome::Empty);
        lost |= account.findings_of(*id).any(|finding| is_loss(&finding.kind));
    }
    ensure!(!lost, "-o would replace the input {name}, and not everything of it is in the result; give another file");
    Ok(())
}

impl Account {
    fn findings_of(&self, id: InputId) -> impl Iterator<Item = &profdata::Finding> {
        self.report.findings.iter().filter(move |finding| finding.input == id)
    }
}

/// Returns whether a file is what a merge writes, or empty. A text has to be one that can be read: any file may look like text.
fn is_result(path: &Path) -> bool {
    match detect(&head(path)) {
        Some(Detected::Indexed | Detected::Partial) => true,
        Some(Detected::Text) => {
            let bytes = fs::read(path).unwrap_or_default();
            read(&bytes, &ReadOptions::default(), &mut Profile::new()).is_ok()
        }
        Some(_) => false,
        None => is_empty(path),
    }
}

fn is_profile(path: &Path) -> bool {
    is_profile_name(path.as_os_str().as_encoded_bytes())
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() == 0)
}

/// Returns the first bytes of a file. Of a pipe there are none: to open it would mean to wait for a writer.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if path.is_file() {
        let _ = File::open(path).and_then(|file| file.take(512).read_to_end(&mut head));
    }
    head
}
