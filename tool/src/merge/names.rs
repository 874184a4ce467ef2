//! Names of local functions as the chosen compiler has them.
//!
//! In profiles of IR instrumentation the name of a local function is that of its file, a delimiter, and its own: `:` up to LLVM 17, `;` later.
//! An older compiler does not find the names of a newer one. A newer one finds older names only where the function has no newer one, so
//! inputs of both must be added up. Front-end profiles have `:` always.

use profdata::error::{Error, ErrorKind};
use profdata::merge::{MergeOptions, Merger, Report};
use profdata::name::Names;
use profdata::sink::Flags;
use profdata::write::Release;
use profdata::{Profile, Target};

use super::target;
use crate::text::exact;

/// The first release with `;`.
const SEMICOLON: u32 = 18;

/// A merge that has ended.
pub(crate) struct Finished {
    pub(crate) profile: Profile,
    pub(crate) report: Report,
    pub(crate) target: Target,
    /// Names of local functions with another delimiter.
    pub(crate) renamed: u64,
}

/// Ends a merge. Local functions get the names that the compiler of the target looks for, unless they are to be kept. Without a target, it is that
/// of the inputs.
///
/// Errors: there are 2^32 names.
pub(crate) fn finish(mut merger: Merger, target: Option<Target>, keep: bool) -> Result<Finished, Error> {
    let renamed = if keep { 0 } else { rename(&mut merger, target)? };
    let (profile, report) = merger.finish()?;
    let target = target.unwrap_or_else(|| target::default(&profile));
    Ok(Finished { profile, report, target, renamed })
}

/// Gives local functions the names that the compiler of a target looks for, and returns how many. It must be done before the merge ends: then
/// each input still counts for itself, and sites have all values.
fn rename(merger: &mut Merger, target: Option<Target>) -> Result<u64, Error> {
    let flags = merger.flags();
    // A newer compiler finds the names of an older one, if it finds no others.
    if !has(merger.names()?, flags, b';') {
        return Ok(0);
    }
    let release = match target {
        Some(target) => target.release(),
        None => release_of(merger)?,
    };
    delimit(merger, if release.number() >= SEMICOLON { b';' } else { b':' })
}

/// Returns the release of the default target.
fn release_of(merger: &mut Merger) -> Result<Release, Error> {
    let earliest = target::earliest(merger.headings()).release();
    if earliest.number() >= SEMICOLON {
        return Ok(earliest);
    }
    // Inputs of an older compiler with names of a newer one: everything in the result decides. A partial result is a copy without any loss.
    let (mut copy, mut bytes) = (Merger::new(MergeOptions { mix_kinds: true, ..MergeOptions::default() }), Vec::new());
    merger.write_partial(&mut bytes).map_err(|error| Error::new(ErrorKind::TooLarge, "record").found(error))?;
    copy.add_partial("copy", 1, &bytes)?;
    Ok(target::default(&copy.finish()?.0).release())
}

/// Gives the local functions of two profiles the same delimiter where they have both: that of the second if it has only one. Returns how many
/// names have another delimiter, and a line about counts of what two functions that have become one do not have in common.
///
/// Errors: there are 2^32 names.
pub(crate) fn align(before: &mut Profile, after: &mut Profile) -> Result<(u64, Option<String>), Error> {
    let has = |profile: &Profile, delimiter| has(profile.names(), profile.flags(), delimiter);
    let has_both = [b';', b':'].into_iter().all(|delimiter| has(before, delimiter) || has(after, delimiter));
    let to = if has(after, b';') { b';' } else { b':' };
    let (mut names, mut lost) = (0, 0);
    for profile in [before, after].into_iter().filter(|_| has_both) {
        let mut merger = Merger::new(MergeOptions { mix_kinds: true, ..MergeOptions::default() });
        let mut input = merger.input("", 1);
        let read = profile.send_to(&mut input);
        input.finish(0, read)?;
        let own = delimit(&mut merger, to)?;
        let (mut renamed, report) = merger.finish()?;
        renamed.set_flags(profile.flags());
        if own > 0 {
            *profile = renamed;
            (names, lost) = (names + own, lost + report.total.counts_lost);
        }
    }
    let line = || {
        let lost = exact(lost);
        format!(
            "{lost} counts are left out: local functions that are one function with two names have counters that do not fit"
        )
    };
    Ok((names, (lost > 0).then(line)))
}

/// Returns whether there is a local function with a delimiter. Only profiles of IR instrumentation have two.
fn has(names: &Names, flags: Flags, delimiter: u8) -> bool {
    let mut names = names.iter().filter_map(|(_, name)| name.bytes);
    flags.has(Flags::IR) && names.any(|name| place(name, delimiter).is_some())
}

/// Gives local functions names with a delimiter. Returns how many have got one.
fn delimit(merger: &mut Merger, to: u8) -> Result<u64, Error> {
    if !merger.flags().has(Flags::IR) {
        return Ok(0);
    }
    let from = if to == b';' { b':' } else { b';' };
    merger.rename(|name| {
        let place = place(name, from)?;
        let mut name = name.to_vec();
        name.get_mut(place).into_iter().for_each(|delimiter| *delimiter = to);
        Some(name)
    })
}

/// Returns where in the name of a local function the delimiter is; `None` for any other name.
fn place(name: &[u8], delimiter: u8) -> Option<usize> {
    let place = memchr::memrchr2(b';', b':', name).filter(|place| name.get(*place) == Some(&delimiter))?;
    let (file, own) = (name.get(..place)?, name.get(place + 1..)?);
    // Methods of Objective-C have colons too: `-[Class method:]`.
    let is_symbol = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | 0x80..);
    let is_file = !matches!(file.first(), None | Some(b'\x01' | b'-' | b'+')) && !file.contains(&b'[');
    (is_file && !own.is_empty() && own.iter().all(is_symbol)).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn local_names_have_a_file() {
        for (name, delimiter, expected) in [
            ("a.c:f", b':', Some(3)),
            ("C:\\a.c:f", b':', Some(6)),
            ("a.c;_ZL1fv", b';', Some(3)),
            ("a.c;_ZL1fv", b':', None),
            ("main", b':', None),
            (":f", b':', None),
            ("a.c:", b':', None),
            ("-[A b:]", b':', None),
            ("+[A b:c:]", b':', None),
            ("-[A b]:f", b':', None),
        ] {
            assert_eq!(place(name.as_bytes(), delimiter), expected, "{name}");
        }
    }
}
