//! The end of a merge for other programs than the command: the same profile, the same bytes and the same report.

use std::path::Path;

use anyhow::Result;
use profdata::merge::{MergeOptions, Merger};
use profdata::{Profile, Target};

use super::account::Account;
use super::{Hashes, Merged, Options, Watched, is_of_use, names, notes, target, write_form};
use crate::inputs::Sources;
use crate::report::output::Draft;
use crate::report::verdict::NO_RESULT;

/// A merge that has ended.
pub struct Ended {
    /// The sum.
    pub profile: Profile,
    /// For whom it is.
    pub target: Target,
    /// The report, as JSON without an output. Status 2: no input can be used, and the profile is not for a compiler.
    pub report: String,
}

/// Ends a merge for a compiler, or that of the inputs. What `sources` have left out is in the report.
///
/// Errors: no such compiler is known; there are 2^32 names.
pub fn end(merger: Merger, compiler: Option<&str>, sources: Sources) -> Result<Ended> {
    let named = compiler.map(target::named).transpose()?;
    let finished = names::finish(merger, named, false).map_err(anyhow::Error::new)?;
    let names::Finished { profile, report, target, renamed } = finished;
    let notes = notes::of(&profile, target, named.is_some());
    let Sources { duplicates, ignored, .. } = sources;
    let mut account = Account { report, duplicates, ignored, renamed, notes, ..Account::default() };
    account.name_functions(&profile);
    let (merged, options) = (Merged { profile, account, partial: None, target }, Options::default());
    let status = if is_of_use(&merged, &options) { merged.account.verdict(&options).status() } else { NO_RESULT };
    Ok(Ended { report: merged.account.json(status)?, profile: merged.profile, target })
}

/// Ends a merge of one profile.
///
/// Errors: those of [`end`].
pub fn end_one(profile: &Profile, compiler: Option<&str>) -> Result<Ended> {
    let mut merger = Merger::new(MergeOptions { mix_kinds: true, ..MergeOptions::default() });
    let mut input = merger.input("", 1);
    let read = profile.send_to(&mut input);
    input.finish(0, read).map_err(anyhow::Error::new)?;
    end(merger, compiler, Sources::default())
}

/// Writes an indexed profile, whole or not at all, as the command does without further options.
///
/// Errors: the compiler would not find the functions by their hashes; those of the system.
pub fn write(profile: &Profile, target: Target, path: &Path) -> Result<()> {
    target::check_hashes(profile, target, Hashes::Refuse)?;
    let (draft, ()) = Draft::write(path, |out| {
        let mut out = Watched { out, bytes: 0, error: None };
        write_form(&Options::default(), profile, target, None, &mut out).map(drop)
    })?;
    draft.publish()
}
