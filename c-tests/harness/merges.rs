//! The crate `profdata` over the profiles that a program leaves: the bytes of `llvm-profdata merge`, and the same profile by its own merge.
//!
//! The merges that the harness makes anyway are repeated for every variant. Others are made for one variant in [`SHARE`], and for all with
//! `PROFRT_PROFDATA=all`.

use anyhow::{Context, Result};
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use profdata::Profile;
use profdata::Target;
use profdata::compat::{self, FailureMode};
use profdata::correlate::{Correlation, ObjectFiles};
use profdata::merge::{MergeOptions, Merger};
use profdata::read;
use profdata::read::ReadOptions;
use profdata::read::raw::RawFile;
use profdata::sink::{Flags, Sink};
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions};
use profdata::write::{self, text::TextWriteOptions};

use super::program::Variant;
use super::same;
use super::shell;
use super::tools::Compiler;

/// One variant in so many is merged in every way, and read by LLVM's tools on both sides.
const SHARE: u64 = 16;

/// Whether a variant with a compiler is the one of its share.
pub fn is_of_the_share(variant: &Variant, compiler: &Compiler) -> bool {
    let mut hasher = DefaultHasher::new();
    (&variant.name, compiler.version).hash(&mut hasher);
    all() || hasher.finish().is_multiple_of(SHARE)
}

/// So many profiles of a program are merged in every way, besides all together. `PROFRT_PROFDATA=all`: four times as many.
const FILES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Indexed,
    /// `-write-prev-version`.
    Previous,
    Text,
}

/// What `llvm-profdata merge -num-threads=1` has made.
pub struct Merge {
    pub form: Form,
    pub sparse: bool,
    /// Weights and files.
    pub inputs: Vec<(u64, PathBuf)>,
    /// The output; `None`: it failed.
    pub result: Option<Vec<u8>>,
}

/// The form, whether it is sparse, and the inputs of a merge.
type Way = (Form, bool, Vec<(u64, PathBuf)>);

/// Who merges, and what for.
pub struct Merges<'a> {
    pub variant: &'a Variant,
    pub compiler: &'a Compiler,
    /// The variant's flags of `llvm-profdata merge`, with paths.
    pub flags: Vec<String>,
    /// For outputs.
    pub dir: &'a Path,
}

impl Merges<'_> {
    /// Complaints about merges that differ from what `llvm-profdata` has made.
    pub fn check(&self, made: &[Merge]) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        for merge in made {
            self.compare(merge, &mut wrong)?;
        }
        let mut files: Vec<PathBuf> = made
            .iter()
            .filter_map(|merge| match &merge.inputs[..] {
                [(1, file)] if merge.form == Form::Text => Some(file.clone()),
                _ => None,
            })
            .collect();
        files.sort();
        if is_of_the_share(self.variant, self.compiler) {
            for (form, sparse, inputs) in ways(files, self.compiler.version) {
                let result = self.llvm(form, sparse, &inputs)?;
                self.compare(&Merge { form, sparse, inputs, result }, &mut wrong)?;
            }
        }
        Ok(wrong)
    }

    fn llvm(&self, form: Form, sparse: bool, inputs: &[(u64, PathBuf)]) -> Result<Option<Vec<u8>>> {
        let output = self.dir.join("merged.output");
        let mut command = Command::new(&self.compiler.profdata);
        command.args(["merge", "-num-threads=1"]).args(&self.flags).arg("-o").arg(&output);
        command.args(match form {
            Form::Indexed => None,
            Form::Previous => Some("-write-prev-version"),
            Form::Text => Some("-text"),
        });
        command.args(sparse.then_some("-sparse"));
        for (weight, file) in inputs {
            command.arg(format!("-weighted-input={weight},{}", file.display()));
        }
        let out = shell::output(&mut command)?;
        Ok(if out.code == 0 { Some(std::fs::read(&output).with_context(|| format!("{command:?}"))?) } else { None })
    }

    fn compare(&self, merge: &Merge, wrong: &mut Vec<String>) -> Result<()> {
        let mut inputs = Vec::new();
        for (weight, file) in &merge.inputs {
            inputs.push((*weight, std::fs::read(file).with_context(|| file.display().to_string())?));
        }
        if merge.form != Form::Text && inputs.iter().any(|(_, bytes)| lacks_stamps(bytes)) {
            return Ok(());
        }
        let names: Vec<_> = merge.inputs.iter().map(|(_, file)| file.file_name().unwrap_or_default()).collect();
        let weight = merge.inputs.first().map_or(1, |(weight, _)| *weight);
        let what = format!("profdata: {:?}, sparse {}, weight {weight}, {names:?}", merge.form, merge.sparse);
        let elf = self.elf_files()?;
        let release = Release::new(self.compiler.version).context("a release that profdata knows")?;
        let target = match merge.form {
            Form::Previous => Target::prev_version_of(release).context("a release with -write-prev-version")?,
            _ => Target::of_release(release),
        };
        let options = WriteOptions { sparse: merge.sparse, vtable_names: false, hash_eras: HashEras::AsIs };

        let ours = compatible(&inputs, release, elf.as_deref()).map(|mut merged| {
            if merge.sparse && merge.form == Form::Text {
                compat::drop_dead_names(&mut merged.profile);
            }
            merged.profile
        });
        let mut bytes = Vec::new();
        match (&ours, merge.form) {
            (None, _) => {}
            (Some(profile), Form::Text) => {
                write::text::write_as_llvm(profile, &TextWriteOptions { release }, &mut bytes)?
            }
            (Some(profile), _) => drop(write::indexed::write(profile, target, &options, &mut bytes)?),
        }
        match (&ours, &merge.result) {
            (Some(_), Some(theirs)) if *theirs == bytes => {}
            (Some(_), Some(theirs)) => wrong.push(format!("{what}: {}", same::difference(theirs, &bytes))),
            (None, None) => {}
            (Some(_), None) => wrong.push(format!("{what}: llvm-profdata refuses it, we do not")),
            (None, Some(_)) => wrong.push(format!("{what}: we refuse it, llvm-profdata does not")),
        }
        let (Some(_), Form::Indexed) = (&ours, merge.form) else { return Ok(()) };

        // LLVM adds a value that is new to a site without the weight: there the second profile of a file may have one.
        if inputs.iter().any(|(weight, bytes)| *weight != 1 && has_several_profiles(bytes)) {
            return Ok(());
        }
        // LLVM counts records of one function and one counter as often as they are there.
        if inputs.iter().any(|(_, bytes)| has_shared_counters(bytes)) {
            return Ok(());
        }
        // The default merge is another way to the same profile, unless it has something to say.
        let Some(profile) = by_default(&inputs, elf)? else { return Ok(()) };
        let mut default = Vec::new();
        write::indexed::write(&profile, target, &options, &mut default)?;
        let difference = same::profiles(&bytes, &default)?;
        wrong.extend(difference.map(|difference| format!("{what}: by default: {difference}")));
        Ok(())
    }

    /// The programs that the flags name.
    fn elf_files(&self) -> Result<Option<Arc<dyn Correlation>>> {
        let mut files: Option<ObjectFiles> = None;
        for flag in &self.flags {
            if let Some((_, path)) = flag.split_once('=') {
                files.get_or_insert_with(ObjectFiles::new).add(std::fs::read(path)?)?;
            }
        }
        Ok(files.map(|files| Arc::new(files) as Arc<dyn Correlation>))
    }
}

/// Whether every profile is to be merged in every way.
fn all() -> bool {
    std::env::var_os("PROFRT_PROFDATA").is_some_and(|value| value == "all")
}

/// Whether functions have one byte where time stamps are promised. `llvm-profdata` then reads records without counters, and makes its summary
/// from memory that it never wrote.
fn lacks_stamps(bytes: &[u8]) -> bool {
    RawFile::parse(bytes, 0).is_ok_and(|file| {
        let flags = file.flags().has(Flags::TEMPORAL | Flags::BYTE_COVERAGE);
        flags && file.records().any(|record| record.num_counters < 8)
    })
}

/// Whether the magic of the first raw profile stands where another one may begin.
fn has_several_profiles(bytes: &[u8]) -> bool {
    let words = bytes.as_chunks::<8>().0;
    words.iter().filter(|word| words.first() == Some(word)).count() > 1
}

/// All merges of these profiles.
fn ways(files: Vec<PathBuf>, release: u32) -> Vec<Way> {
    let mut ways = Vec::new();
    let number = if all() { 4 * FILES } else { FILES };
    for file in files.iter().take(number) {
        let input = |weight: u64| (weight, file.clone());
        ways.push((Form::Indexed, false, vec![input(1)]));
        ways.push((Form::Indexed, false, vec![input(1), input(1)]));
        ways.push((Form::Indexed, false, vec![input(3)]));
        ways.push((Form::Indexed, true, vec![input(1)]));
        ways.push((Form::Text, true, vec![input(1), input(3)]));
        if release >= 19 {
            ways.push((Form::Previous, false, vec![input(1)]));
        }
    }
    if files.len() > 1 {
        let all: Vec<_> = files.into_iter().map(|file| (1, file)).collect();
        ways.push((Form::Indexed, false, all.clone()));
        ways.push((Form::Text, false, all));
    }
    ways
}

/// Merges as `llvm-profdata` does.
fn compatible(inputs: &[(u64, Vec<u8>)], release: Release, elf: Option<&dyn Correlation>) -> Option<compat::Merged> {
    let mut merger = compat::CompatMerger::new(release, FailureMode::Any, 1);
    for (weight, bytes) in inputs {
        let options = ReadOptions { release: Some(release), correlation: elf, ..ReadOptions::default() };
        merger.add(*weight, |sink: &mut dyn Sink| read(bytes, &options, sink));
    }
    merger.finish().ok()
}

/// Whether two records of a raw profile have the same counters, as after LTO with clang 14.
fn has_shared_counters(bytes: &[u8]) -> bool {
    let mut seen = HashSet::new();
    RawFile::parse(bytes, 0).is_ok_and(|file| file.records().any(|head| !seen.insert((head.hash, head.counters_at))))
}

/// Merges as `profdata` does by default; nothing when the result may be another.
fn by_default(inputs: &[(u64, Vec<u8>)], elf: Option<Arc<dyn Correlation>>) -> Result<Option<Profile>> {
    let mut merger = Merger::new(MergeOptions { correlation: elf, ..MergeOptions::default() });
    for (weight, bytes) in inputs {
        if merger.add_bytes("", *weight, bytes).is_err() {
            return Ok(None);
        }
    }
    let (profile, report) = merger.finish()?;
    let refused = report.inputs.values().any(|input| input.error.is_some());
    Ok((!refused && report.findings.is_empty()).then_some(profile))
}
