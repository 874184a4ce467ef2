//! `profrt check`: is each profile in a file whole, what is wrong where, and what can be saved of it.

mod guess;
mod names;
mod profile;
mod values;

use std::fmt::{self, Write as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::raw::{value_record, zeros};
use crate::text::{many, offset, read, write};
pub use profile::{Damage, Finding, Whole, profile};

/// What to check.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Raw profiles; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write what is whole in all of the files into this one
    #[arg(long, value_name = "OUT")]
    salvage: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Example: what is wrong with a file, and a file with what is whole of it

    profrt check torn.profraw --salvage kept.profraw

Exit status: 0 all files are whole; 1 some are not, or cannot be read.";

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Report {
    /// The profiles that are whole, in the order of the file.
    pub whole: Vec<Whole>,
    /// What is not.
    pub damage: Vec<Damage>,
    /// Zero bytes behind the last profile, which readers skip.
    pub zeros: usize,
    /// What can be kept: the whole profiles, and damaged ones without what is torn.
    pub salvage: Vec<u8>,
}

impl Report {
    /// Whether there is nothing but whole profiles.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty() && !self.whole.is_empty()
    }
}

/// Checks the files and says on standard output what they are. False: some are not whole.
pub fn run(options: &Options) -> Result<bool> {
    let mut all = true;
    let mut kept = Vec::new();
    for file in &options.files {
        let bytes = if file == Path::new("-") { stdin()? } else { read(file)? };
        let report = check(&bytes);
        all &= report.is_whole();
        print!("{}", Named(file, &report));
        kept.extend(report.salvage);
    }
    if let Some(out) = &options.salvage {
        if kept.is_empty() {
            bail!("nothing in the files can be kept, so {} was not written; run the program again", out.display());
        }
        write(out, &kept)?;
        println!("{}: written, {}", out.display(), many(check(&kept).whole.len() as u64, "whole profile"));
    }
    Ok(all)
}

fn stdin() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).context("standard input cannot be read; name a file instead")?;
    Ok(bytes)
}

/// Places where a profile may begin that are tried behind a damaged one.
const CANDIDATES: usize = 1000;

/// How many times larger than the file a profile may become by the empty value records that it is given.
const SALVAGED: usize = 4;

/// Checks all profiles in the bytes of a file.
pub fn check(bytes: &[u8]) -> Report {
    let mut report = Report::default();
    let mut at = 0;
    let mut candidates = 0;
    while at < bytes.len() || at == 0 {
        let zeros = bytes[at..].iter().take_while(|byte| **byte == 0).count();
        if at > 0 && at + zeros == bytes.len() {
            report.zeros = zeros;
            break;
        }
        // Readers skip zeros between profiles; before the first they do not.
        let start = if at > 0 { at + zeros } else { 0 };
        match profile(bytes, start) {
            Ok(whole) => {
                at = whole.end;
                keep(&mut report.salvage, &bytes[start..at]);
                match start.is_multiple_of(8) {
                    true => report.whole.push(whole),
                    false => report.damage.push(profile::misplaced(&whole)),
                }
            }
            Err(mut damage) => {
                // The next place where a whole profile begins, if there is one.
                let mut next = None;
                let mut from = start + 1;
                while let Some(found) = profile::next_magic(bytes, from) {
                    from = found + 1;
                    candidates += 1;
                    if candidates > CANDIDATES {
                        break;
                    }
                    if profile(bytes, found).is_ok() {
                        next = Some(found);
                        break;
                    }
                }
                if let Some(found) = next {
                    damage.followed_by(found);
                }
                if let Some(rescued) = damage.without_torn_values(bytes) {
                    keep(&mut report.salvage, &rescued);
                    damage
                        .finding
                        .salvage
                        .push("everything but values, in place of which there are empty records".into());
                }
                report.damage.push(*damage);
                match next {
                    Some(found) => at = found,
                    None => break,
                }
            }
        }
    }
    report
}

/// Appends a profile where a reader looks for it.
fn keep(to: &mut Vec<u8>, profile: &[u8]) {
    to.resize(to.len() + zeros(to.len()), 0);
    to.extend(profile);
}

impl Damage {
    /// A whole profile begins behind.
    fn followed_by(&mut self, found: usize) {
        let early = self.torn_values.is_some() || self.end.is_none_or(|end| found < end);
        if early && self.is_profile {
            self.finding.cause = format!(
                "another profile begins at offset {}, before this one ends: two programs wrote the file at once, or one was \
                 killed and the next one appended. Give each process its own file with %p in LLVM_PROFILE_FILE",
                offset(found as u64)
            );
        }
    }

    /// The profile with its torn value records replaced by empty ones, if everything else is there.
    fn without_torn_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let torn = self.torn_values.as_ref()?;
        let mut rescued = bytes.get(self.start..torn.from)?.to_vec();
        for sites in &torn.sites {
            value_record(&mut rescued, torn.encoding, sites, &[]);
            // A record can claim to have thousands of times as many sites as it has bytes. Those of compilers have few.
            if rescued.len() > SALVAGED * bytes.len() + (1 << 20) {
                return None;
            }
        }
        Some(rescued)
    }
}

/// A report with the name of its file.
struct Named<'a>(&'a Path, &'a Report);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(path, report) = self;
        let name = path.display();
        if report.is_whole() {
            return writeln!(f, "{name}: whole: {}", summary(report));
        }
        writeln!(f, "{name}: NOT WHOLE")?;
        for damage in &report.damage {
            if report.whole.len() + report.damage.len() > 1 {
                writeln!(f, "  profile at offset {}:", offset(damage.start as u64))?;
            }
            write!(f, "{}", damage.finding)?;
        }
        let mut kept = Vec::new();
        match report.whole.len() {
            0 => {}
            number => kept.push(format!("{} ({})", many(number as u64, "whole profile"), summary(report))),
        }
        kept.extend(report.damage.iter().flat_map(|damage| damage.finding.salvage.iter().cloned()));
        match kept.is_empty() {
            true => writeln!(f, "  salvage:  nothing"),
            false => writeln!(f, "  salvage:  {}; --salvage OUT writes that", kept.join(", and ")),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  field:    {}", self.field)?;
        writeln!(f, "  offset:   {}", offset(self.offset as u64))?;
        writeln!(f, "  expected: {}", self.expected)?;
        writeln!(f, "  found:    {}", self.found)?;
        writeln!(f, "  cause:    {}", self.cause)
    }
}

/// One line about all whole profiles of a file.
fn summary(report: &Report) -> String {
    let sum = |of: fn(&Whole) -> u64| report.whole.iter().map(of).sum::<u64>();
    let mut line = String::new();
    if report.whole.len() > 1 {
        let _ = write!(line, "{}, ", many(report.whole.len() as u64, "profile"));
    }
    let _ = write!(line, "{}, ", many(sum(|whole| whole.functions), "function"));
    let _ = write!(line, "{}, {} not 0", many(sum(|whole| whole.counters), "counter"), sum(|whole| whole.counted));
    for (number, noun) in [
        (sum(|whole| whole.bitmap_bytes), "bitmap byte"),
        (sum(|whole| whole.values), "value"),
        (sum(|whole| whole.vtables), "vtable"),
    ] {
        if number > 0 {
            let _ = write!(line, ", {}", many(number, noun));
        }
    }
    let mut kinds: Vec<String> = report.whole.iter().map(|whole| whole.kind.clone()).collect();
    kinds.dedup();
    let _ = write!(line, " ({})", kinds.join(" and "));
    if report.zeros > 0 {
        let _ = write!(line, ", {} behind", many(report.zeros as u64, "zero byte"));
    }
    line
}
