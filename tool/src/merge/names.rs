//! Names of local functions as the chosen compiler has them.
//!
//! In profiles of IR instrumentation the name of a local function is that of its file, a delimiter, and its own: `:` up to LLVM 17, `;` later.
//! An older compiler does not find the names of a newer one. A newer one finds older names only where the function has no newer one, so
//! inputs of both must be added up. Front-end profiles have `:` always.

use std::collections::HashMap;

use profdata::error::Error;
use profdata::finding::Finding;
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::release::Release;
use profdata::sink::Trace;
use profdata::{Flags, Heading, Name, Profile, RecordRef, Sink};

/// The first release with `;`.
const SEMICOLON: u32 = 18;

/// What has become of a profile.
pub(crate) struct Renamed {
    pub(crate) profile: Profile,
    /// Names with another delimiter.
    pub(crate) names: u64,
    /// What two functions that have become one do not have in common.
    pub(crate) findings: Vec<Finding>,
    /// Counts of these.
    pub(crate) counts_lost: u128,
}

/// Gives local functions the names that the compiler of a release looks for; `None`: they have them.
///
/// Errors: there are 2^32 names.
pub(crate) fn rename(profile: &Profile, release: Release) -> Result<Option<Renamed>, Error> {
    let to = if release.number() >= SEMICOLON { b';' } else { b':' };
    // A newer compiler finds the names of an older one, if it finds no others.
    if to == b';' && local(profile, to).next().is_none() {
        return Ok(None);
    }
    delimit(profile, to)
}

/// Gives the local functions of two profiles the same delimiter where they have both: that of the second if it has only one.
///
/// Errors: there are 2^32 names.
pub(crate) fn align(before: &Profile, after: &Profile) -> Result<[Option<Renamed>; 2], Error> {
    let has = |profile, delimiter| local(profile, delimiter).next().is_some();
    let has_both = [b';', b':'].into_iter().all(|delimiter| has(before, delimiter) || has(after, delimiter));
    if !has_both {
        return Ok([None, None]);
    }
    let to = if has(after, b';') { b';' } else { b':' };
    Ok([delimit(before, to)?, delimit(after, to)?])
}

/// Returns the names of local functions with a delimiter: hash, bytes, and where the delimiter is.
fn local(profile: &Profile, delimiter: u8) -> impl Iterator<Item = (u64, &[u8], usize)> {
    let is_ir = profile.flags().has(Flags::IR);
    let names = profile.names().iter().filter_map(move |(_, name)| Some((name.hash, name.bytes.filter(|_| is_ir)?)));
    names.filter_map(move |(hash, bytes)| Some((hash, bytes, place(bytes, delimiter)?)))
}

/// Gives local functions names with a delimiter; `None`: they have them.
fn delimit(profile: &Profile, to: u8) -> Result<Option<Renamed>, Error> {
    let from = if to == b';' { b':' } else { b';' };
    let other = |(hash, bytes, place): (u64, &[u8], usize)| {
        let mut bytes = bytes.to_vec();
        bytes.get_mut(place).into_iter().for_each(|delimiter| *delimiter = to);
        (hash, bytes)
    };
    let names: HashMap<u64, Vec<u8>> = local(profile, from).map(other).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let mut merger = Merger::new(MergeOptions { mix_kinds: true, ..MergeOptions::default() });
    let mut input = merger.input("", 1);
    let hashes = names.iter().map(|(hash, name)| (*hash, name_hash(name))).collect();
    let read = profile.send_to(&mut Renaming { sink: &mut input, names: &names, hashes });
    input.finish(0, read)?;
    let (mut renamed, report) = merger.finish()?;
    renamed.set_flags(profile.flags());
    let (findings, counts_lost) = (report.findings, report.total.counts_lost);
    Ok(Some(Renamed { profile: renamed, names: names.len() as u64, findings, counts_lost }))
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

/// Hands everything on with other names.
struct Renaming<'a, S> {
    sink: &'a mut S,
    names: &'a HashMap<u64, Vec<u8>>,
    hashes: HashMap<u64, u64>,
}

impl<S> Renaming<'_, S> {
    fn hash(&self, hash: u64) -> u64 {
        self.hashes.get(&hash).copied().unwrap_or(hash)
    }
}

impl<S: Sink> Sink for Renaming<'_, S> {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.sink.heading(heading)
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        let name = self.names.get(&record.name.hash).map_or(record.name, |name| Name::of(name));
        let mut values = record.values.cloned();
        if let Some([calls, ..]) = values.as_mut().map(|values| &mut values.kinds) {
            calls.values_mut().iter_mut().for_each(|value| value.value = self.hash(value.value));
        }
        self.sink.record(RecordRef { name, values: values.as_ref(), ..record })
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.sink.binary_id(id);
    }

    fn vtable_name(&mut self, name: &[u8]) {
        self.sink.vtable_name(name);
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        let renamed = |trace: &Trace| Trace {
            weight: trace.weight,
            functions: trace.functions.iter().map(|function| self.hash(*function)).collect(),
        };
        let traces: Vec<Trace> = traces.iter().map(renamed).collect();
        self.sink.traces(&traces, stream_size);
    }

    fn memprof(&mut self, section: &[u8], start: u64) {
        self.sink.memprof(section, start);
    }

    fn finding(&mut self, finding: Finding) {
        self.sink.finding(finding);
    }
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
