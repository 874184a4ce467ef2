//! Says which inputs are of which kind when they do not merge.

use std::collections::BTreeMap;

use profdata::error::{Error, ErrorKind};
use profdata::finding::Finding;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::Trace;
use profdata::{Flags, Heading, RecordRef, Sink};

use crate::inputs::{Feed, Progress, Sources, load};

/// Returns a message for an error that ended a merge.
pub(super) fn explain(error: &Error, sources: &Sources) -> String {
    if error.kind() != ErrorKind::Incompatible {
        return format!("{error}\n  cause:    {}\n  remedy:   {}", error.cause(), error.remedy());
    }
    let mut message =
        String::from("inputs of different kinds do not merge: counts of one kind have no meaning in the other");
    if sources.can_read_twice() {
        for (kind, (number, first)) in kinds(sources) {
            let inputs = if number == 1 { "input" } else { "inputs" };
            message += &format!("\n  found:    {number} {inputs} with {kind}, the first: {first}");
        }
    } else {
        message += &format!("\n  found:    {error}");
    }
    message += "\n  cause:    the inputs come from builds with different flags (-fprofile-instr-generate, -fprofile-generate, \
                byte coverage)\n  remedy:   merge each kind by itself; --mix-kinds does what llvm-profdata does";
    message
}

/// Returns for each kind the number of inputs, and the name of the first.
fn kinds(sources: &Sources) -> BTreeMap<String, (u64, String)> {
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(sources, &feed, "looking for the kinds of inputs: ");
    let (mut kinds, mut buffer) = (BTreeMap::<String, (u64, String)>::new(), Vec::new());
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
        let mut first = FirstRecord::default();
        let _ = read(loaded.bytes.unwrap_or(&[]), &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut first);
        let Some(heading) = first.heading.filter(|heading| first.has_record && !heading.kind_unknown) else { continue };
        let (number, _) = kinds.entry(kind(heading.flags)).or_insert((0, item.name));
        *number += 1;
    }
    kinds
}

fn kind(flags: Flags) -> String {
    let mut kind = String::from(if flags.has(Flags::IR) { "IR instrumentation" } else { "front-end instrumentation" });
    for (flag, name) in [
        (Flags::BYTE_COVERAGE, "byte coverage"),
        (Flags::FUNCTION_ENTRY_ONLY, "function entries only"),
        (Flags::ENTRY_FIRST, "entries first"),
        (Flags::LOOP_ENTRIES, "loop entries"),
    ] {
        if flags.has(flag) {
            kind += &format!(" ({name})");
        }
    }
    kind
}

/// Ends a reader at the first record.
#[derive(Default)]
struct FirstRecord {
    heading: Option<Heading>,
    has_record: bool,
}

impl Sink for FirstRecord {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.heading = Some(*heading);
        Ok(())
    }

    fn record(&mut self, _: RecordRef<'_>) -> Result<(), Error> {
        self.has_record = true;
        Err(Error::new(ErrorKind::Incompatible, "record"))
    }

    fn binary_id(&mut self, _: &[u8]) {}
    fn vtable_name(&mut self, _: &[u8]) {}
    fn traces(&mut self, _: &[Trace], _: u64) {}
    fn memprof(&mut self, _: &[u8], _: u64) {}
    fn finding(&mut self, _: Finding) {}
}
